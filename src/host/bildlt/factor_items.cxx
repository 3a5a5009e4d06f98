#include "host/bildlt/factor_items.hpp"

namespace tessera {
namespace {

void add_batch(const Schedule &schedule, const RowBatches &batches, Index batch, bool whole_rows,
               std::vector<FactorItem> &items)
{
  for (FactorItem::Kind kind : {FactorItem::Pull, FactorItem::Score, FactorItem::Store})
    for (Index r = batches.start[batch]; r < batches.start[batch + 1]; ++r) {
      const Index pieces = kind == FactorItem::Store && whole_rows ? 1 : schedule.pieces(batches.row[r]);
      for (Index p = 0; p < pieces; ++p)
        items.push_back({kind, r, p});
    }
}

} // namespace

std::vector<FactorItem> items_by_subtrees(const Schedule &schedule)
{
  const ForestCut &forest = schedule.forest;
  std::vector<FactorItem> items;
  items.reserve(static_cast<std::size_t>(forest.tasks()) + forest.segments()); // and more for rows of several pieces
  for (Index task = 0; task < forest.tasks(); ++task)
    items.push_back({FactorItem::Task, task, 0});
  Index batch = 0;
  for (Index k = 0; k < forest.segments(); ++k) {
    const Index b = forest.order[forest.segment_start[k]];
    if (schedule.pieces(b) == 1) {
      items.push_back({FactorItem::Segment, k, 0});
    } else if (batch < schedule.split.batches() && schedule.split.row[schedule.split.start[batch]] == b) {
      add_batch(schedule, schedule.split, batch, false, items);
      ++batch;
    }
  }
  return items;
}

std::vector<FactorItem> items_by_levels(const Schedule &schedule)
{
  std::vector<FactorItem> items;
  for (Index batch = 0; batch < schedule.levels.batches(); ++batch)
    add_batch(schedule, schedule.levels, batch, true, items);
  return items;
}

} // namespace tessera
