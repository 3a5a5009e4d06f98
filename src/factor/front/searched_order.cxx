#include "factor/front/searched_order.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

/// Columns begin .. end - 1 of one panel, in the order in which they were found, and which of them begin pairs.
void append_panel(Index begin, Index end, const std::vector<SearchedPlace> &place, PivotSequence &pivots)
{
  const auto at = pivots.row.insert(pivots.row.end(), end - begin, 0);
  std::iota(at, pivots.row.end(), begin);
  std::sort(at, pivots.row.end(), [&](Index i, Index j) { return place[i].place() < place[j].place(); });
  for (bool second = false; pivots.pair.size() < pivots.row.size();) {
    const bool first = !second && place[pivots.row[pivots.pair.size()]].in_pair();
    pivots.pair.push_back(first);
    second = first;
  }
}

} // namespace

std::vector<Index> searched_columns(const FrontPlan &plan, const std::vector<SearchedPlace> &place)
{
  const AssemblyTree &tree = plan.tree;
  std::vector<Index> columns(tree.fronts());
  for (Index s = 0; s < tree.fronts(); ++s)
    if (plan.symmetric || plan.rows_of(s) > searched_panel)
      columns[s] = Index(std::count_if(place.begin() + tree.first[s], place.begin() + tree.first[s + 1],
                                       [](SearchedPlace p) { return p.is_found(); }));
  return columns;
}

PivotSequence searched_order(const FrontPlan &plan, const std::vector<SearchedPlace> &place)
{
  const AssemblyTree &tree = plan.tree;
  PivotSequence pivots;
  pivots.start = tree.first;
  for (Index s = 0; s < tree.fronts(); ++s)
    for (Index begin = tree.first[s], end; begin < tree.first[s + 1]; begin = end) {
      end = std::min(begin + searched_panel, tree.first[s + 1]);
      if (place[begin].is_found()) {
        append_panel(begin, end, place, pivots);
        continue;
      }
      for (Index k = begin; k < end; ++k) {
        pivots.row.push_back(k);
        pivots.pair.push_back(tree.pair[k]);
      }
    }
  return pivots;
}

} // namespace tessera
