#ifndef TESSERA_HOST_FRONT_LOWER_CHUNKS_HPP
#define TESSERA_HOST_FRONT_LOWER_CHUNKS_HPP

#include "host/front/parallel_chunks.hpp"

namespace tessera {

/// Runs work(r0, r1, j0, j1) for pieces of at most chunk_rows rows and columns that cover the lower triangle of the
/// columns first .. columns - 1 of a front of `rows` rows.
template <class Work>
void for_lower_chunks(Index first, Index columns, Index rows, bool parallel, const Work &work)
{
  if (first >= columns)
    return;
  const Index across = (columns - first + chunk_rows - 1) / chunk_rows,
              down = (rows - first + chunk_rows - 1) / chunk_rows;
  for_each_chunk(across * down, parallel, [&](Index t) {
    const Index i = t / across, j = t % across;
    if (i >= j)
      work(first + i * chunk_rows, std::min(rows, first + (i + 1) * chunk_rows), first + j * chunk_rows,
           std::min(columns, first + (j + 1) * chunk_rows));
  });
}

} // namespace tessera
#endif
