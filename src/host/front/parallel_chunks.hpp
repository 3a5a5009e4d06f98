#ifndef TESSERA_HOST_FRONT_PARALLEL_CHUNKS_HPP
#define TESSERA_HOST_FRONT_PARALLEL_CHUNKS_HPP

#include "base/types.hpp"

#include <algorithm>
#include <omp.h>

namespace tessera {

/// Rows, or columns, of a front that one call of the BLAS works on: of n that all threads share so few that there are
/// a dozen pieces, if they do not become too small. Chunks depend on the front only, so that results do not depend on
/// the number of threads.
constexpr Index most_chunk_rows = 384, least_chunk_rows = 192;
inline Index chunk_rows(Index n, bool parallel)
{
  return parallel ? std::clamp(n / 12 / 32 * 32, least_chunk_rows, most_chunk_rows) : most_chunk_rows;
}

/// Operations of a front, and entries that a substitution reads of it, from which on all threads work on it: threads
/// that the machine does not run at the same time wait for each other at the end of each of its many steps.
constexpr double parallel_front_operations = 1e7, parallel_front_entries = 1e6;

/// Entries of a factor from which on a substitution wakes several threads.
constexpr double parallel_substitution = 4e5;

/// Numbers that a loop handles, with a few operations each, from which on it wakes several threads.
constexpr Offset parallel_numbers = 50000;

/// Runs work(i) for i = 0 .. count - 1: on one thread, or on all, of which others of the same parallel region may have
/// work of their own.
template <class Work>
void for_each_chunk(Index count, bool parallel, const Work &work)
{
  if (!parallel || count <= 1) { // without OpenMP, which takes longer than a small front
    for (Index i = 0; i < count; ++i)
      work(i);
  } else if (omp_in_parallel()) {
#pragma omp taskloop grainsize(1) default(none) firstprivate(count) shared(work)
    for (Index i = 0; i < count; ++i)
      work(i);
  } else {
#pragma omp parallel for schedule(dynamic, 1)
    for (Index i = 0; i < count; ++i)
      work(i);
  }
}

/// Runs work(begin, end) for chunks of begin .. end - 1.
template <class Work>
void for_chunks_of_rows(Index begin, Index end, bool parallel, const Work &work)
{
  const Index size = chunk_rows(end - begin, parallel);
  for_each_chunk((end - begin + size - 1) / size, parallel, [&](Index i) {
    const Index first = begin + i * size;
    work(first, std::min(end, first + size));
  });
}

} // namespace tessera
#endif
