#ifndef TESSERA_HOST_FRONT_LOWER_CHUNKS_HPP
#define TESSERA_HOST_FRONT_LOWER_CHUNKS_HPP

#include "host/front/parallel_chunks.hpp"

namespace tessera {

/// Runs work(r0, r1, j0, j1) for pieces of as many rows as columns that cover the lower triangle of the columns
/// first .. columns - 1 of a front of `rows` rows.
template <class Work>
void for_lower_chunks(Index first, Index columns, Index rows, bool parallel, const Work &work)
{
  if (first >= columns)
    return;
  const Index size = chunk_rows(rows - first, parallel);
  const Index across = (columns - first + size - 1) / size, down = (rows - first + size - 1) / size;
  const Index square = across * (across + 1) / 2; // pieces whose rows are among these columns
  for_each_chunk(square + across * (down - across), parallel, [&](Index t) {
    Index i = 0, j = t;
    if (t >= square) {
      i = across + (t - square) / across;
      j = (t - square) % across;
    } else {
      for (; j > i; ++i)
        j -= i + 1;
    }
    work(first + i * size, std::min(rows, first + (i + 1) * size), first + j * size,
         std::min(columns, first + (j + 1) * size));
  });
}

} // namespace tessera
#endif
