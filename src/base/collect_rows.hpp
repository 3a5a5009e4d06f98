#ifndef TESSERA_BASE_COLLECT_ROWS_HPP
#define TESSERA_BASE_COLLECT_ROWS_HPP

#include "base/allocate.hpp"
#include "base/parallel_for.hpp"
#include "base/row_starts.hpp"
#include "base/types.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace tessera {

/// Some consecutive rows of a pattern as they are found.
struct FoundRows {
  std::vector<Index> column;
  std::vector<std::uint8_t> label; ///< of each column, or empty
};

/// Makes an n x n pattern whose rows nobody can count before they are found, on all threads.
///
/// make_search() gives each thread a search with working space of its own; search(i, found) appends the columns of row
/// i to `found`, and their labels if `label` is wanted. Rows are found in chunks that threads share out, and joined in
/// their order, so the result does not depend on the number of threads. False beyond max_entries entries: `pattern` and
/// `label` are then of no use.
template <class MakeSearch>
bool collect_rows(Index n, Offset max_entries, const MakeSearch &make_search, Pattern &pattern,
                  std::vector<std::uint8_t> *label = nullptr)
{
  constexpr Index chunk_rows = 256;
  const Index chunks = (n + chunk_rows - 1) / chunk_rows;
  std::vector<FoundRows> found(chunks);
  std::vector<Offset> first(chunks + 1, 0);
  pattern.rows = pattern.cols = n;
  pattern.start.assign(n + 1, 0);
  std::atomic<Offset> total{0};
  parallel_for_with(chunks, 1, n > parallel_rows, make_search, [&](auto &search, Index c) {
    constexpr std::size_t told_at_once = 4096; // else threads wait for each other
    const Index end = std::min(n, (c + 1) * chunk_rows);
    std::size_t told = 0;
    for (Index i = c * chunk_rows; i < end; ++i) {
      if (told == 0 && total.load(std::memory_order_relaxed) > max_entries)
        break;
      search(i, found[c]);
      const std::size_t size = found[c].column.size();
      pattern.start[i + 1] = static_cast<Offset>(size);
      if (size - told < told_at_once && i + 1 < end)
        continue;
      if ((total += static_cast<Offset>(size - std::exchange(told, size))) > max_entries)
        break;
    }
    first[c + 1] = static_cast<Offset>(found[c].column.size());
  });
  if (total > max_entries)
    return false;

  sum_counts(first);
  allocate_in_parallel(pattern.column, first[chunks]);
  if (label)
    allocate_in_parallel(*label, first[chunks]);
#pragma omp parallel for schedule(static) if (n > parallel_rows)
  for (Index c = 0; c < chunks; ++c) {
    std::copy(found[c].column.begin(), found[c].column.end(), pattern.column.begin() + first[c]);
    if (label)
      std::copy(found[c].label.begin(), found[c].label.end(), label->begin() + first[c]);
    found[c] = FoundRows();
    for (Index i = c * chunk_rows; i < std::min(n, (c + 1) * chunk_rows); ++i)
      pattern.start[i + 1] += first[c];
  }
  return true;
}

} // namespace tessera
#endif
