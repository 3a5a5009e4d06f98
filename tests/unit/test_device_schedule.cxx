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
      ++pull;
      continue;
    }
    ASSERT_LT(split, batch.split_begin[w + 1]);
    EXPECT_GT(parts, 1);
    EXPECT_EQ(schedule.splits[split].piece, p);
    EXPECT_EQ(schedule.splits[split].parts, parts);
    EXPECT_EQ(schedule.splits[split].position, schedule.pulls[pull].position);
    EXPECT_GE(schedule.splits[split].position, before);
    before = schedule.splits[split++].position + parts * size;
    EXPECT_LE(before, schedule.parts_size);
    for (Offset part = 0; part < parts; ++part, ++pull) {
      EXPECT_EQ(schedule.pulls[pull].piece, p);
      EXPECT_EQ(schedule.pulls[pull].part, part);
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

/// The panels of a batch, the squares of their tiles and their norms do not overlap; the panels of more than one row
/// keep to the memory of a batch.
void expect_panels(const BlockStructure &s, const DeviceSchedule &schedule, const DeviceBatch &batch,
                   Offset batch_doubles)
{
  Offset panel = 0, squares = 0, norms = 0;
  for (int w = 0; w < width_classes; ++w)
    for (Offset i = batch.row_begin[w]; i < batch.row_begin[w + 1]; ++i) {
      const Index b = schedule.rows[i];
      EXPECT_EQ(schedule.panel_offset[b], panel);
      EXPECT_EQ(schedule.squares_offset[b], squares);
      EXPECT_EQ(schedule.norm_offset[b], norms);
      panel += s.panel_width[b] * (Offset(4) << w);
      squares += (s.tiles.upper.start[b + 1] - s.tiles.upper.start[b]) * (Offset(4) << w);
      norms += Offset(4) << w;
      expect_pieces(s, schedule, schedule.rows[i], schedule.row_pieces[i], schedule.row_pieces[i + 1]);
    }
  EXPECT_LE(panel, schedule.panel_size);
  EXPECT_LE(squares, schedule.squares_size);
  EXPECT_LE(norms, schedule.norm_size);
  const bool single = batch.row_begin[width_classes] - batch.row_begin[0] == 1;
  EXPECT_TRUE(single || panel <= batch_doubles);
}

DeviceSchedule expect_schedule(const BlockStructure &s, Offset batch_doubles)
{
  const DeviceSchedule schedule = make_device_schedule(s, batch_doubles, 400);
  std::vector<int> times(s.blocks(), 0);
  for (const Index b : schedule.rows)
    ++times[b];
  EXPECT_EQ(times, std::vector<int>(s.blocks(), 1));
  for (const DeviceBatch &batch : schedule.batches) {
    expect_panels(s, schedule, batch, batch_doubles);
    Offset parts = 0;
    for (int w = 0; w < width_classes; ++w)
      expect_pulls(s, schedule, batch, w, parts);
  }
  for (const RowRun &run : schedule.runs)
    for (Offset i = run.row_begin; i < run.row_end; ++i)
      EXPECT_LE(updates_of(s, schedule.rows[i]), 4 * update_part);
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

/// A row that 3000 others update is computed by many thread blocks, one that 90 update row by row.
TEST(DeviceSchedule, LongSumsAreShared)
{
  const DeviceSchedule few = expect_schedule(analyze(symmetric_on(arrow_graph(90), 3, 7)).structure, 1 << 20),
                       many = expect_schedule(analyze(symmetric_on(arrow_graph(3000), 3, 7)).structure, 1 << 20);
  EXPECT_EQ(few.batches.size(), few.runs.empty() ? 0 : few.runs[0].last_batch + 1);
  EXPECT_LT(many.runs.empty() ? 0 : many.runs[0].last_batch + 1, many.batches.size());
  EXPECT_FALSE(many.splits.empty());
}

} // namespace
