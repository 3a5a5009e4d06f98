#ifndef TESSERA_FACTOR_JLDLT_SORT_BY_WIDTH_HPP
#define TESSERA_FACTOR_JLDLT_SORT_BY_WIDTH_HPP

#include "factor/jldlt/layout.hpp"

#include <numeric>

namespace tessera {

/// Sorts items by width and stage; for_each(add) calls add(stage, class of width, item) for every item, twice in the
/// same order.
template <class T, class ForEach>
void sort_by_width(ByWidth<T> &list, Index stages, const ForEach &for_each)
{
  std::vector<Offset> next(Offset(stages) * width_classes + 1, 0);
  for_each([&](Index stage, int w, const T &) { ++next[w * stages + stage + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  list.ranges = {stages, next};
  list.item.resize(next.back());
  for_each([&](Index stage, int w, const T &item) { list.item[next[w * stages + stage]++] = item; });
}

} // namespace tessera
#endif
