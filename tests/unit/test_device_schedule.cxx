// The order of work of a factorization on a GPU, which the host makes.
#include "factor/bildlt/device_schedule.hpp"
#include "factor/bildlt/views.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/host_factor.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

constexpr Offset short_level = 300; // pulls

Offset updates_of(const BlockStructure &s, Index b)
{
  return s.tiles.columns.start[b + 1] - s.tiles.columns.start[b];
}

/// The updates of every piece of a width class, of its diagonal tiles or of the others, are pulled once: at once, or in
/// as many parts as its sums have, whose memory does not overlap that of others. Goes on from `pull`, `split` and the
/// memory `before`.
void expect_pulls(const BlockStructure &s, const DeviceSchedule &schedule, const DeviceBatch &batch, int w,
                  bool diagonal, Offset &pull, Offset &split, Offset &before)
{
  for (Offset p = batch.piece_begin[w]; p < batch.piece_begin[w + 1]; ++p) {
    const PieceItem &piece = schedule.pieces[p];
    if ((piece.column_begin == 0) != diagonal)
      continue;
    const Offset parts = count_parts(updates_of(s, piece.block));
    const Offset size = (piece.column_end - piece.column_begin) * (Offset(4) << w);
    ASSERT_LT(pull, batch.pull_begin[w + 1]);
    EXPECT_EQ(schedule.pulls[pull].piece, p);
    if (schedule.pulls[pull].position < 0) {
      EXPECT_LT(schedule.pulls[pull].split, 0);
      ++pull;
      continue;
    }
    ASSERT_LT(split, batch.split_begin[w + 1]);
    EXPECT_GT(parts, 1);
    EXPECT_EQ(schedule.splits[split].piece, p);
    EXPECT_EQ(schedule.splits[split].parts, parts);
    EXPECT_EQ(schedule.splits[split].position, schedule.pulls[pull].position);
    EXPECT_EQ(schedule.pulls[pull].split, split);
    EXPECT_GE(schedule.splits[split].position, before);
    before = schedule.splits[split++].position + parts * size;
    EXPECT_LE(before, schedule.parts_size);
    for (Offset part = 0; part < parts; ++part, ++pull) {
      EXPECT_EQ(schedule.pulls[pull].piece, p);
      EXPECT_EQ(schedule.pulls[pull].part, part);
      EXPECT_EQ(schedule.pulls[pull].split, split - 1);
      EXPECT_EQ(schedule.pulls[pull].position, schedule.pulls[pull - part].position + part * size);
    }
  }
}

/// Those of the diagonal tiles come first. `before` goes on from class to class, which are computed at the same time.
void expect_pulls(const BlockStructure &s, const DeviceSchedule &schedule, const DeviceBatch &batch, int w,
                  Offset &before)
{
  Offset split = batch.split_begin[w], pull = batch.pull_begin[w];
  expect_pulls(s, schedule, batch, w, true, pull, split, before);
  EXPECT_EQ(pull, batch.diagonal_pull_end[w]);
  EXPECT_EQ(split, batch.diagonal_split_end[w]);
  expect_pulls(s, schedule, batch, w, false, pull, split, before);
  EXPECT_EQ(pull, batch.pull_begin[w + 1]);
  EXPECT_EQ(split, batch.split_begin[w + 1]);
}

/// The pieces of a row, p on, are its diagonal tile and then all of its other tiles, in order.
void expect_pieces(const BlockStructure &s, const DeviceSchedule &schedule, Index b, Offset p, Offset end)
{
  ASSERT_LT(p, end);
  EXPECT_EQ(schedule.pieces[p].column_end, s.block_rows(b));
  Offset tile = s.tiles.upper.start[b];
  Index column = 0;
  for (; p < end; ++p) {
    const PieceItem &piece = schedule.pieces[p];
    EXPECT_EQ(piece.block, b);
    EXPECT_EQ(piece.tile_begin, tile);
    EXPECT_EQ(piece.column_begin, column);
    EXPECT_LE(piece.column_end - piece.column_begin, piece_columns_on_device);
    for (tile = piece.tile_begin; tile < piece.tile_end; ++tile)
      EXPECT_TRUE(s.panel_column[tile] >= column && s.panel_column[tile] < piece.column_end);
    column = piece.column_end;
  }
  EXPECT_EQ(tile, s.tiles.upper.start[b + 1]);
  EXPECT_EQ(column, s.panel_width[b]);
}

/// Where the memory of the rows of a batch begins.
struct Memory {
  Offset panel = 0, squares = 0, norms = 0, parts = 0;
};

/// The panels of a batch, the squares of their tiles and their norms lie one behind the other from `memory` on, which
/// goes on behind them; the panels of more than one row keep to the memory of a batch.
void expect_panels(const BlockStructure &s, const DeviceSchedule &schedule, const DeviceBatch &batch,
                   Offset batch_doubles, Memory &memory)
{
  const Offset before = memory.panel;
  for (int w = 0; w < width_classes; ++w)
    for (Offset i = batch.row_begin[w]; i < batch.row_begin[w + 1]; ++i) {
      const Index b = schedule.rows[i];
      EXPECT_EQ(schedule.panel_offset[b], memory.panel);
      EXPECT_EQ(schedule.squares_offset[b], memory.squares);
      EXPECT_EQ(schedule.norm_offset[b], memory.norms);
      memory.panel += s.panel_width[b] * (Offset(4) << w);
      memory.squares += (s.tiles.upper.start[b + 1] - s.tiles.upper.start[b]) * (Offset(4) << w);
      memory.norms += Offset(4) << w;
      expect_pieces(s, schedule, schedule.rows[i], schedule.row_pieces[i], schedule.row_pieces[i + 1]);
      for (Offset p = schedule.row_pieces[i]; p < schedule.row_pieces[i + 1]; ++p)
        EXPECT_EQ(schedule.pieces[p].row, i);
    }
  EXPECT_LE(memory.panel, schedule.panel_size);
  EXPECT_LE(memory.squares, schedule.squares_size);
  EXPECT_LE(memory.norms, schedule.norm_size);
  const bool single = batch.row_begin[width_classes] - batch.row_begin[0] == 1;
  EXPECT_TRUE(single || memory.panel - before <= batch_doubles);
}

/// A run holds the rows and pulls of its batches. By rows they are narrow; by pulls levels are short, and all panels
/// together keep to the memory of a batch, unless there is one batch.
void expect_run(const BlockStructure &s, const DeviceSchedule &schedule, const LevelRun &run, Offset batch_doubles)
{
  const DeviceBatch &first = schedule.batches[run.first_batch], &last = schedule.batches[run.last_batch];
  EXPECT_EQ(run.row_begin, first.row_begin[0]);
  EXPECT_EQ(run.row_end, last.row_begin[width_classes]);
  EXPECT_EQ(run.pull_begin, first.pull_begin[0]);
  EXPECT_EQ(run.pull_end, last.pull_begin[width_classes]);
  Offset panels = 0;
  for (Offset i = run.row_begin; i < run.row_end; ++i) {
    const Index b = schedule.rows[i];
    EXPECT_LE(s.panel_width[b], run.columns);
    EXPECT_LE(s.tiles.upper.start[b + 1] - s.tiles.upper.start[b], run.tiles);
    panels += s.panel_width[b] * (Offset(4) << width_class(s.block_rows(b)));
    if (run.by_rows) {
      EXPECT_LE(updates_of(s, b), 4 * update_part);
    }
  }
  for (std::size_t i = run.first_batch; i <= run.last_batch; ++i) {
    const DeviceBatch &batch = schedule.batches[i];
    EXPECT_EQ(batch.pull_begin[width_classes] - batch.pull_begin[0] <= short_level, !run.by_rows);
  }
  EXPECT_TRUE(run.by_rows || run.first_batch == run.last_batch || panels <= batch_doubles);
}

DeviceSchedule expect_schedule(const BlockStructure &s, Offset batch_doubles)
{
  const DeviceSchedule schedule = make_device_schedule(s, {batch_doubles, 400, short_level});
  std::vector<int> times(s.blocks(), 0);
  for (const Index b : schedule.rows)
    ++times[b];
  EXPECT_EQ(times, std::vector<int>(s.blocks(), 1));
  Memory memory;
  std::size_t run = 0;
  for (std::size_t i = 0; i < schedule.batches.size(); ++i) {
    run += run < schedule.runs.size() && schedule.runs[run].last_batch < i;
    const bool goes_on =
        run < schedule.runs.size() && schedule.runs[run].first_batch < i && !schedule.runs[run].by_rows;
    if (!goes_on)
      memory = {};
    expect_panels(s, schedule, schedule.batches[i], batch_doubles, memory);
    for (int w = 0; w < width_classes; ++w)
      expect_pulls(s, schedule, schedule.batches[i], w, memory.parts);
  }
  for (const LevelRun &levels : schedule.runs)
    expect_run(s, schedule, levels, batch_doubles);
  return schedule;
}

TEST(DeviceSchedule, PullsEverythingOnce)
{
  for (const NamedMatrix &x : factor_cases())
    for (const Offset batch_doubles : {1, 1 << 20}) {
      SCOPED_TRACE(x.name);
      expect_schedule(analyze(x.matrix).structure, batch_doubles);
    }
}

/// Rows of several pieces.
TEST(DeviceSchedule, WidePanels)
{
  const DeviceSchedule schedule =
      expect_schedule(analyze(symmetric_on(random_graph(200, 20000, 1), 0, 6)).structure, 1 << 20);
  EXPECT_GE(schedule.panel_size, 4 * piece_columns_on_device * 32);
}

/// A row that 3000 others update is computed by many thread blocks, those others row by row.
TEST(DeviceSchedule, LongSumsAreShared)
{
  const DeviceSchedule few = expect_schedule(analyze(symmetric_on(arrow_graph(90), 3, 7)).structure, 1 << 20),
                       many = expect_schedule(analyze(symmetric_on(arrow_graph(3000), 3, 7)).structure, 1 << 20);
  ASSERT_EQ(few.runs.size(), 1u);
  EXPECT_FALSE(few.runs[0].by_rows);
  EXPECT_EQ(few.runs[0].last_batch + 1, few.batches.size());
  ASSERT_EQ(many.runs.size(), 2u);
  EXPECT_TRUE(many.runs[0].by_rows);
  EXPECT_FALSE(many.runs[1].by_rows);
  EXPECT_EQ(many.runs[1].last_batch + 1, many.batches.size());
  EXPECT_FALSE(many.splits.empty());
}

/// Short levels of wide panels share a launch, as far as their panels fit the memory of a batch.
TEST(DeviceSchedule, ShortLevelsShareALaunch)
{
  const BlockStructure s = analyze(symmetric_on(random_graph(400, 30000, 1), 0, 6)).structure;
  const DeviceSchedule all = expect_schedule(s, 1 << 20), some = expect_schedule(s, 1 << 15);
  ASSERT_EQ(all.runs.size(), 1u);
  EXPECT_EQ(all.runs[0].first_batch, 0u);
  EXPECT_EQ(all.runs[0].last_batch + 1, all.batches.size());
  EXPECT_GT(all.runs[0].columns, 256);
  EXPECT_GT(some.runs.size(), 1u);
  EXPECT_LT(some.runs.size(), some.batches.size());
  EXPECT_LT(some.panel_size, all.panel_size);
}

} // namespace
