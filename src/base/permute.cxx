#include "base/permute.hpp"

#include "base/allocate.hpp"
#include "base/key_sort.hpp"

#include <algorithm>

namespace tessera {

std::vector<Index> inverse_permutation(const std::vector<Index> &perm)
{
  std::vector<Index> inverse(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i)
    inverse[perm[i]] = static_cast<Index>(i);
  return inverse;
}

std::vector<Index> compose(const std::vector<Index> &first, const std::vector<Index> &second)
{
  std::vector<Index> perm(second.size());
  for (std::size_t i = 0; i < second.size(); ++i)
    perm[i] = first[second[i]];
  return perm;
}

Pattern permute_graph(const Pattern &graph, const std::vector<Index> &perm)
{
  const Index n = static_cast<Index>(perm.size());
  std::vector<Index> inverse(graph.rows, -1);
  for (Index i = 0; i < n; ++i)
    inverse[perm[i]] = i;

  Pattern out;
  out.rows = out.cols = n;
  out.start = row_starts(n, n > parallel_rows, [&](Index i) {
    Offset count = 0;
    for (Offset p = graph.start[perm[i]]; p < graph.start[perm[i] + 1]; ++p) {
      const Index j = inverse[graph.column[p]];
      count += j >= 0 && j != i;
    }
    return count;
  });
  allocate_in_parallel(out.column, out.start[n]);
#pragma omp parallel for schedule(dynamic, 1024) if (n > parallel_rows)
  for (Index i = 0; i < n; ++i) {
    Offset q = out.start[i];
    for (Offset p = graph.start[perm[i]]; p < graph.start[perm[i] + 1]; ++p) {
      const Index j = inverse[graph.column[p]];
      if (j >= 0 && j != i)
        out.column[q++] = j;
    }
    std::sort(out.column.begin() + out.start[i], out.column.begin() + q);
  }
  return out;
}

Pattern transpose(const Pattern &pattern, std::vector<Offset> *position)
{
  KeySort sort(pattern.rows, pattern.cols, pattern.entries());
  const auto for_rows = [&](Index begin, Index end, const auto &emit) {
    for (Index i = begin; i < end; ++i)
      for (Offset p = pattern.start[i]; p < pattern.start[i + 1]; ++p)
        emit(pattern.column[p], i, p);
  };
  sort.count(for_rows);
  Pattern out;
  out.rows = pattern.cols;
  out.cols = pattern.rows;
  out.start = sort.start();
  allocate_in_parallel(out.column, pattern.column.size());
  if (position)
    allocate_in_parallel(*position, pattern.column.size());
  sort.fill(for_rows, [&](Offset q, Index i, Offset p) {
    out.column[q] = i;
    if (position)
      (*position)[q] = p;
  });
  return out;
}

bool is_odd(const std::vector<Index> &perm)
{
  std::vector<bool> seen(perm.size(), false);
  bool odd = false;
  for (std::size_t i = 0; i < perm.size(); ++i)
    for (std::size_t k = i; !seen[k]; k = perm[k]) {
      seen[k] = true;
      odd ^= perm[k] != Index(i); // a cycle of n takes n - 1 exchanges
    }
  return odd;
}

Offset count_sources(const std::vector<Offset> &source)
{
  constexpr std::size_t worth_it = 1 << 20;
  Offset last = -1;
#pragma omp parallel for schedule(static) reduction(max : last) if (source.size() > worth_it)
  for (std::size_t p = 0; p < source.size(); ++p)
    last = std::max(last, source[p]);
  return last + 1;
}

} // namespace tessera
