#include "factor/schedule.hpp"

namespace tessera {
namespace {

/// Adds the pieces of block row b: whole tiles, each piece closed once it has piece_columns columns.
void add_pieces(const BlockStructure &s, Index b, Index piece_columns, Schedule &schedule)
{
  const Pattern &upper = s.tiles.upper;
  Index begin = 0;
  auto add = [&](Offset tile, Index column) {
    schedule.piece_block.push_back(b);
    schedule.piece_tile.push_back(tile);
    schedule.piece_column.push_back(column);
    begin = column;
  };
  add(upper.start[b], 0);
  for (Offset t = upper.start[b] + 1; t < upper.start[b + 1]; ++t)
    if (s.panel_column[t] - begin >= piece_columns && s.panel_width[b] - s.panel_column[t] >= piece_columns / 2)
      add(t, s.panel_column[t]);
}

/// A rough count of the operations that block row b takes: clearing and solving its panel, pulling its updates.
double estimated_work(const BlockStructure &s, Index b)
{
  const double rows = s.block_rows(b), updates = double(s.tiles.columns.start[b + 1] - s.tiles.columns.start[b]);
  return s.panel_width[b] * rows * (rows + 4) + updates * 200;
}

} // namespace

Schedule make_schedule(const BlockStructure &s, Index piece_columns, Offset batch_doubles, double small_work)
{
  Schedule schedule;
  schedule.panel_offset.resize(s.blocks());
  schedule.piece_start.reserve(s.blocks() + 1);
  schedule.piece_start.push_back(0);
  for (Index level = 0; level < s.levels.levels(); ++level) {
    double work = 0;
    for (Index position = s.levels.start[level]; position < s.levels.start[level + 1]; ++position) {
      const Index b = s.levels.order[position];
      const Offset pieces = static_cast<Offset>(schedule.piece_block.size());
      const Offset size = Offset(s.panel_width[b]) * group_width(s.block_rows(b));
      const bool first = position == s.levels.start[level];
      if (first || schedule.batches.back().panel_size + size > batch_doubles) {
        schedule.batches.push_back({position, position, pieces, pieces, 0, false, true});
        work = 0;
      }
      Batch &batch = schedule.batches.back();
      add_pieces(s, b, piece_columns, schedule);
      schedule.panel_offset[b] = batch.panel_size;
      batch.panel_size += size;
      batch.row_end = position + 1;
      batch.piece_end = static_cast<Offset>(schedule.piece_block.size());
      batch.split |= batch.piece_end - pieces > 1;
      work += estimated_work(s, b);
      batch.small = work < small_work;
      schedule.piece_start.push_back(batch.piece_end);
    }
  }
  return schedule;
}

} // namespace tessera
