#include "factor/bildlt/schedule.hpp"

#include "analysis/symbolic/elimination_tree.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

Offset tiles_of(const BlockStructure &s, Index b)
{
  return s.tiles.upper.start[b + 1] - s.tiles.upper.start[b];
}

constexpr double tasks_wanted = 128;  ///< enough to share among some tens of threads
constexpr double least_task = 500000; ///< operations: some 100 us, below which sharing costs more than it gives

/// Adds the pieces of block row b: whole tiles, each piece closed once it has piece_columns columns.
void add_pieces(const BlockStructure &s, Index b, Index piece_columns, Schedule &schedule)
{
  const Pattern &upper = s.tiles.upper;
  Index begin = 0;
  auto add = [&](Offset tile, Index column) {
    schedule.piece_tile.push_back(tile);
    schedule.piece_column.push_back(column);
    begin = column;
  };
  add(upper.start[b], 0);
  for (Offset t = upper.start[b] + 1; t < upper.start[b + 1]; ++t)
    if (s.panel_column[t] - begin >= piece_columns && s.panel_width[b] - s.panel_column[t] >= piece_columns / 2)
      add(t, s.panel_column[t]);
}

/// Operations that each block row takes: clearing and solving its panel, pulling its updates; with tolls for each row
/// and each update, because blocks may be tiny.
std::vector<double> estimated_work(const BlockStructure &s)
{
  std::vector<double> work(s.blocks());
#pragma omp parallel for schedule(dynamic, 256) if (s.rows > parallel_rows)
  for (Index b = 0; b < s.blocks(); ++b) {
    const double rows = s.block_rows(b);
    work[b] = 4000 + s.panel_width[b] * rows * (rows + 4);
    for (Offset q = s.tiles.columns.start[b]; q < s.tiles.columns.start[b + 1]; ++q) {
      const Index k = s.tiles.columns.column[q];
      work[b] += 400 + rows * s.block_rows(k) * (s.panel_width[k] - s.panel_column[s.tiles.position[q]]);
    }
  }
  return work;
}

/// Appends block row b to the last batch, or to a new one where `fresh` or where the last one is full.
void append_row(const BlockStructure &s, const Schedule &schedule, Index b, bool fresh, Offset batch_doubles,
                RowBatches &batches, Offset &used)
{
  const Offset size = row_doubles(s.block_rows(b), s.panel_width[b], schedule.pieces(b), tiles_of(s, b));
  if (fresh || used + size > batch_doubles) {
    batches.start.push_back(static_cast<Index>(batches.row.size()));
    used = 0;
  }
  batches.row.push_back(b);
  batches.offset.push_back(used);
  used += size;
  batches.most_doubles = std::max(batches.most_doubles, used);
}

RowBatches batch_split_rows(const BlockStructure &s, const Schedule &schedule, Offset batch_doubles)
{
  const ForestCut &forest = schedule.forest;
  RowBatches batches;
  Offset used = 0;
  Index level = -1;
  for (Index k = 0; k < forest.segments(); ++k) {
    const Index b = forest.order[forest.segment_start[k]];
    if (schedule.pieces(b) == 1)
      continue;
    append_row(s, schedule, b, forest.segment_level[k] != level, batch_doubles, batches, used);
    level = forest.segment_level[k];
  }
  batches.start.push_back(static_cast<Index>(batches.row.size()));
  return batches;
}

RowBatches batch_levels(const BlockStructure &s, const Schedule &schedule, Offset batch_doubles)
{
  RowBatches batches;
  Offset used = 0;
  for (Index level = 0; level < s.levels.levels(); ++level)
    for (Index i = s.levels.start[level]; i < s.levels.start[level + 1]; ++i)
      append_row(s, schedule, s.levels.order[i], i == s.levels.start[level], batch_doubles, batches, used);
  batches.start.push_back(static_cast<Index>(batches.row.size()));
  return batches;
}

} // namespace

Schedule make_schedule(const BlockStructure &s, Index piece_columns, Offset batch_doubles)
{
  Schedule schedule;
  schedule.piece_start.reserve(s.blocks() + 1);
  schedule.piece_start.push_back(0);
  std::vector<bool> split(s.blocks());
  for (Index b = 0; b < s.blocks(); ++b) {
    add_pieces(s, b, piece_columns, schedule);
    schedule.piece_start.push_back(static_cast<Offset>(schedule.piece_tile.size()));
    split[b] = schedule.pieces(b) > 1;
    schedule.most_doubles = std::max(
        schedule.most_doubles, row_doubles(s.block_rows(b), s.panel_width[b], schedule.pieces(b), tiles_of(s, b)));
  }
  const std::vector<double> work = estimated_work(s);
  schedule.work = std::accumulate(work.begin(), work.end(), 0.0);
  schedule.forest =
      cut_forest(elimination_tree(s.tiles.columns), work, std::max(schedule.work / tasks_wanted, least_task), split);
  schedule.split = batch_split_rows(s, schedule, batch_doubles);
  schedule.levels = batch_levels(s, schedule, batch_doubles);
  return schedule;
}

} // namespace tessera
