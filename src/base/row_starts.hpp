#ifndef TESSERA_BASE_ROW_STARTS_HPP
#define TESSERA_BASE_ROW_STARTS_HPP

#include "base/types.hpp"

namespace tessera {

/// Turns counts at [k + 1] into where each of them begins, and the sum of all at the end. start[0] = 0.
template <class Starts>
void sum_counts(Starts &start)
{
  for (std::size_t k = 1; k < start.size(); ++k)
    start[k] += start[k - 1];
}

/// The row starts of a pattern of which count(i) tells how many entries row i has; on all threads if `parallel`.
template <class Count>
std::vector<Offset> row_starts(Index rows, bool parallel, const Count &count)
{
  std::vector<Offset> start(rows + 1, 0);
#pragma omp parallel for schedule(dynamic, 256) if (parallel)
  for (Index i = 0; i < rows; ++i)
    start[i + 1] = count(i);
  sum_counts(start);
  return start;
}

/// Items by their keys, those of one key in ascending order: key k has item[start[k]] .. item[start[k + 1] - 1].
struct ItemsByKey {
  std::vector<Index> start; ///< [keys + 1]
  std::vector<Index> item;
};

/// Sorts the items begin .. end - 1 by key(item) in 0 .. keys - 1 (counting sort).
template <class Key>
ItemsByKey sort_by_key(Index begin, Index end, Index keys, const Key &key)
{
  ItemsByKey sorted;
  sorted.start.assign(keys + 1, 0);
  for (Index i = begin; i < end; ++i)
    ++sorted.start[key(i) + 1];
  sum_counts(sorted.start);
  std::vector<Index> next(sorted.start.begin(), sorted.start.end() - 1);
  sorted.item.resize(end - begin);
  for (Index i = begin; i < end; ++i)
    sorted.item[next[key(i)]++] = i;
  return sorted;
}

} // namespace tessera
#endif
