#ifndef TESSERA_FACTOR_SORT_BY_WIDTH_HPP
#define TESSERA_FACTOR_SORT_BY_WIDTH_HPP

#include "factor/jacobi_layout.hpp"

#include <algorithm>

namespace tessera {

inline int width_class(Index rows)
{
  return rows <= 4 ? 0 : rows <= 8 ? 1 : rows <= 16 ? 2 : 3;
}

/// Sorts items by class; for_each(add) calls add(class, item) for every item, twice in the same order.
template <class T, class ForEach>
void sort_by_width(ByWidth<T> &list, const ForEach &for_each)
{
  Offset next[width_classes_of_jacobi + 1] = {};
  for_each([&](int w, const T &) { ++next[w + 1]; });
  for (int w = 0; w < width_classes_of_jacobi; ++w)
    next[w + 1] += next[w];
  std::copy(next, next + width_classes_of_jacobi + 1, list.begin);
  list.item.resize(next[width_classes_of_jacobi]);
  for_each([&](int w, const T &item) { list.item[next[w]++] = item; });
}

} // namespace tessera
#endif
