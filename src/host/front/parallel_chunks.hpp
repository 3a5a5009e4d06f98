#ifndef TESSERA_HOST_FRONT_PARALLEL_CHUNKS_HPP
#define TESSERA_HOST_FRONT_PARALLEL_CHUNKS_HPP

#include "base/types.hpp"

#include <algorithm>

namespace tessera {

/// Rows, or columns, of a front that one call of the BLAS works on. Chunks depend on the front only, so that results do
/// not depend on the number of threads.
constexpr Index chunk_rows = 384;

/// Operations of a front, and entries that a substitution reads of it, from which on all threads work on it: threads
/// that the machine does not run at the same time wait for each other at the end of each of its many steps.
constexpr double parallel_operations = 1e7, parallel_entries = 1e6;

/// Runs work(i) for i = 0 .. count - 1, on all threads or on one.
template <class Work>
void for_each_chunk(Index count, bool parallel, const Work &work)
{
  if (!parallel || count <= 1) { // without OpenMP, which takes longer than a small front
    for (Index i = 0; i < count; ++i)
      work(i);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1)
  for (Index i = 0; i < count; ++i)
    work(i);
}

/// Runs work(begin, end) for chunks of begin .. end - 1.
template <class Work>
void for_chunks_of_rows(Index begin, Index end, bool parallel, const Work &work)
{
  const Index chunks = (end - begin + chunk_rows - 1) / chunk_rows;
  for_each_chunk(chunks, parallel, [&](Index i) {
    const Index first = begin + i * chunk_rows;
    work(first, std::min(end, first + chunk_rows));
  });
}

} // namespace tessera
#endif
