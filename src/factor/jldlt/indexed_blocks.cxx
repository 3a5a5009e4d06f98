#include "factor/jldlt/indexed_blocks.hpp"

#include <numeric>

namespace tessera {
IndexView IndexedBlocks::view()
{
  return {blocks(), start.data(), index.data(), tile.data(), diagonal.data(), level.data(), order.data(), place.data()};
}

IndexedBlocks index_blocks(const BlockPattern &tiles)
{
  IndexedBlocks b;
  const Index n = tiles.upper.rows;
  b.start.resize(n + 1);
  b.diagonal.resize(n);
  b.level.assign(n, 0);
  b.order.resize(n);
  std::iota(b.order.begin(), b.order.end(), 0);
  b.place = b.order;
  b.start[0] = 0;
  for (Index i = 0; i < n; ++i) {
    b.diagonal[i] = b.start[i] + tiles.columns.start[i + 1] - tiles.columns.start[i];
    b.start[i + 1] = b.diagonal[i] + tiles.upper.start[i + 1] - tiles.upper.start[i];
  }
  b.index.resize(b.start[n]);
  b.tile.resize(b.start[n]);
#pragma omp parallel for schedule(static) if (n > 10000)
  for (Index i = 0; i < n; ++i) {
    Offset p = b.start[i];
    for (Offset q = tiles.columns.start[i]; q < tiles.columns.start[i + 1]; ++q, ++p) {
      b.index[p] = tiles.columns.column[q];
      b.tile[p] = static_cast<Index>(tiles.position[q]);
    }
    for (Offset t = tiles.upper.start[i]; t < tiles.upper.start[i + 1]; ++t, ++p) {
      b.index[p] = tiles.upper.column[t];
      b.tile[p] = static_cast<Index>(t);
    }
  }
  return b;
}

} // namespace tessera
