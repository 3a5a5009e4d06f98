#include "factor/bildlt/device_schedule.hpp"

#include "factor/bildlt/views.hpp"

#include <algorithm>

namespace tessera {
namespace {

// One thread block a row hides the hand-over between levels, but has only its own warps for a wide panel or for many
// updates, and a level of very many rows fills the device anyway.
constexpr Index narrow_panel = 256;               ///< columns
constexpr Offset few_rows = 8192;                 ///< of a level
constexpr Offset few_updates = 4 * update_part;   ///< of a row
constexpr Offset parts_doubles = Offset(1) << 25; ///< of a batch at most: 256 MB

Offset count_updates(const BlockStructure &s, Index b)
{
  return s.tiles.columns.start[b + 1] - s.tiles.columns.start[b];
}

/// Adds the pieces of block row b, the `row`-th in the order of work.
void add_pieces(const BlockStructure &s, Index b, Index row, std::vector<PieceItem> &pieces)
{
  const Pattern &upper = s.tiles.upper;
  const Index rows = s.block_rows(b);
  const Offset end = upper.start[b + 1];
  pieces.push_back({b, row, 0, rows, upper.start[b], upper.start[b]});
  for (Offset t = upper.start[b]; t < end; ++t) {
    const Index width = s.block_rows(upper.column[t]), column = s.panel_column[t];
    PieceItem &last = pieces.back();
    if (last.column_begin == 0 || column + width - last.column_begin > piece_columns_on_device)
      pieces.push_back({b, row, column, column + width, t, t + 1});
    else
      last.column_end = column + width, last.tile_end = t + 1;
  }
}

/// Adds the pulls of pieces from `first` on, rows of `width` lanes: of the diagonal tiles, or of the others. Splits the
/// updates of those that take longer than a fair share of all, where so many pieces are computed at once.
void add_pulls(const BlockStructure &s, Offset first, Offset width, bool diagonal, Offset pieces_at_once,
               Offset &parts_size, DeviceSchedule &schedule)
{
  const Offset end = static_cast<Offset>(schedule.pieces.size());
  Offset all = 0;
  for (Offset p = first; p < end; ++p)
    all += count_parts(count_updates(s, schedule.pieces[p].block));
  for (Offset p = first; p < end; ++p) {
    const PieceItem &piece = schedule.pieces[p];
    if ((piece.column_begin == 0) != diagonal)
      continue;
    const Offset parts = count_parts(count_updates(s, piece.block));
    const Offset size = (piece.column_end - piece.column_begin) * width;
    if (parts == 1 || parts * pieces_at_once <= all || parts_size + parts * size > parts_doubles) {
      schedule.pulls.push_back({p, 0, -1, -1});
      continue;
    }
    const Offset split = static_cast<Offset>(schedule.splits.size());
    schedule.splits.push_back({p, parts, parts_size});
    for (Offset part = 0; part < parts; ++part, parts_size += size)
      schedule.pulls.push_back({p, part, parts_size, split});
  }
}

/// Doubles for the panels of rows that are computed at the same time, and for what belongs to them.
struct PanelMemory {
  Offset panel = 0, squares = 0, norms = 0, parts = 0;
};

PanelMemory operator+(const PanelMemory &x, const PanelMemory &y)
{
  return {x.panel + y.panel, x.squares + y.squares, x.norms + y.norms, x.parts + y.parts};
}

/// Adds the rows of a batch, all of one level, whose memory begins at 0, and returns how much it is.
PanelMemory add_batch(const BlockStructure &s, std::vector<Index> rows, Offset pieces_at_once, DeviceSchedule &schedule)
{
  std::stable_sort(rows.begin(), rows.end(),
                   [&](Index a, Index b) { return width_class(s.block_rows(a)) < width_class(s.block_rows(b)); });
  DeviceBatch batch;
  PanelMemory used;
  std::size_t i = 0;
  for (int w = 0; w <= width_classes; ++w) {
    batch.row_begin[w] = static_cast<Offset>(schedule.rows.size());
    batch.piece_begin[w] = static_cast<Offset>(schedule.pieces.size());
    batch.pull_begin[w] = static_cast<Offset>(schedule.pulls.size());
    batch.split_begin[w] = static_cast<Offset>(schedule.splits.size());
    for (; i < rows.size() && width_class(s.block_rows(rows[i])) == w; ++i) {
      const Index b = rows[i];
      const Offset width = Offset(4) << w;
      schedule.row_pieces.push_back(static_cast<Offset>(schedule.pieces.size()));
      add_pieces(s, b, static_cast<Index>(schedule.rows.size()), schedule.pieces);
      schedule.rows.push_back(b);
      schedule.panel_offset[b] = used.panel;
      schedule.squares_offset[b] = used.squares;
      schedule.norm_offset[b] = used.norms;
      used.norms += width;
      used.panel += s.panel_width[b] * width;
      used.squares += (s.tiles.upper.start[b + 1] - s.tiles.upper.start[b]) * width;
    }
    if (w == width_classes)
      break;
    add_pulls(s, batch.piece_begin[w], Offset(4) << w, true, pieces_at_once, used.parts, schedule);
    batch.diagonal_pull_end[w] = static_cast<Offset>(schedule.pulls.size());
    batch.diagonal_split_end[w] = static_cast<Offset>(schedule.splits.size());
    add_pulls(s, batch.piece_begin[w], Offset(4) << w, false, pieces_at_once, used.parts, schedule);
  }
  schedule.batches.push_back(batch);
  return used;
}

/// Moves the memory of the last batch behind other memory.
void move_behind(const PanelMemory &before, DeviceSchedule &schedule)
{
  const DeviceBatch &batch = schedule.batches.back();
  for (Offset i = batch.row_begin[0]; i < batch.row_begin[width_classes]; ++i) {
    const Index b = schedule.rows[i];
    schedule.panel_offset[b] += before.panel;
    schedule.squares_offset[b] += before.squares;
    schedule.norm_offset[b] += before.norms;
  }
  for (Offset i = batch.split_begin[0]; i < batch.split_begin[width_classes]; ++i)
    schedule.splits[i].position += before.parts;
  for (Offset i = batch.pull_begin[0]; i < batch.pull_begin[width_classes]; ++i)
    if (schedule.pulls[i].position >= 0)
      schedule.pulls[i].position += before.parts;
}

/// The last batch by itself as a run by rows.
LevelRun run_of_last_batch(const BlockStructure &s, const DeviceSchedule &schedule)
{
  const std::size_t last = schedule.batches.size() - 1;
  const DeviceBatch &batch = schedule.batches[last];
  LevelRun run = {true,
                  last,
                  last,
                  batch.row_begin[0],
                  batch.row_begin[width_classes],
                  batch.pull_begin[0],
                  batch.pull_begin[width_classes],
                  0,
                  0};
  for (Offset i = run.row_begin; i < run.row_end; ++i) {
    const Index b = schedule.rows[i];
    run.columns = std::max(run.columns, s.panel_width[b]);
    run.tiles = std::max(run.tiles, s.tiles.upper.start[b + 1] - s.tiles.upper.start[b]);
  }
  return run;
}

/// Whether the levels of a run are better computed row by row than step by step.
bool has_narrow_rows(const BlockStructure &s, const DeviceSchedule &schedule, const LevelRun &run)
{
  if (run.columns > narrow_panel || run.row_end - run.row_begin > few_rows)
    return false;
  return std::all_of(schedule.rows.begin() + run.row_begin, schedule.rows.begin() + run.row_end,
                     [&](Index b) { return count_updates(s, b) <= few_updates; });
}

/// Adds the last batch, which takes so much memory, to the last run if it can share its launch, or begins one with it,
/// or leaves it to launches of its own. Rows that are computed pull by pull all have their panels in memory, for which
/// that of a batch is the limit too; those that are computed row by row have no more panels than thread blocks.
/// run_memory: of the last run by pulls.
void add_to_runs(const BlockStructure &s, const PanelMemory &used, const ScheduleLimits &limits,
                 PanelMemory &run_memory, DeviceSchedule &schedule)
{
  LevelRun batch = run_of_last_batch(s, schedule);
  batch.by_rows = batch.pull_end - batch.pull_begin > limits.short_level;
  const bool alone = batch.by_rows && !has_narrow_rows(s, schedule, batch);
  bool joins = !alone && !schedule.runs.empty() && schedule.runs.back().by_rows == batch.by_rows &&
               schedule.runs.back().last_batch + 1 == batch.first_batch;
  if (joins && !batch.by_rows)
    joins = run_memory.panel + run_memory.parts + used.panel + used.parts <= limits.batch_doubles;
  if (joins && !batch.by_rows)
    move_behind(run_memory, schedule);
  run_memory = joins && !batch.by_rows ? run_memory + used : used;
  schedule.panel_size = std::max(schedule.panel_size, run_memory.panel);
  schedule.squares_size = std::max(schedule.squares_size, run_memory.squares);
  schedule.norm_size = std::max(schedule.norm_size, run_memory.norms);
  schedule.parts_size = std::max(schedule.parts_size, run_memory.parts);
  if (alone)
    return;
  if (!joins) {
    schedule.runs.push_back(batch);
    return;
  }
  LevelRun &run = schedule.runs.back();
  run.last_batch = batch.last_batch;
  run.row_end = batch.row_end;
  run.pull_end = batch.pull_end;
  run.columns = std::max(run.columns, batch.columns);
  run.tiles = std::max(run.tiles, batch.tiles);
}

} // namespace

DeviceSchedule make_device_schedule(const BlockStructure &s, const ScheduleLimits &limits)
{
  DeviceSchedule schedule;
  PanelMemory run_memory;
  schedule.panel_offset.resize(s.blocks());
  schedule.squares_offset.resize(s.blocks());
  schedule.norm_offset.resize(s.blocks());
  const auto add = [&](const std::vector<Index> &rows) {
    const PanelMemory used = add_batch(s, rows, limits.pieces_at_once, schedule);
    add_to_runs(s, used, limits, run_memory, schedule);
  };
  for (Index level = 0; level < s.levels.levels(); ++level) {
    std::vector<Index> rows;
    Offset doubles = 0;
    for (Index i = s.levels.start[level]; i < s.levels.start[level + 1]; ++i) {
      const Index b = s.levels.order[i];
      const Offset size = Offset(s.panel_width[b]) * (Offset(4) << width_class(s.block_rows(b)));
      if (!rows.empty() && doubles + size > limits.batch_doubles) {
        add(rows);
        rows.clear();
        doubles = 0;
      }
      rows.push_back(b);
      doubles += size;
    }
    if (!rows.empty())
      add(rows);
  }
  schedule.row_pieces.push_back(static_cast<Offset>(schedule.pieces.size()));
  for (Index b = 0; b < s.blocks(); ++b)
    schedule.largest_block = std::max(schedule.largest_block, s.block_rows(b));
  return schedule;
}

} // namespace tessera
