#ifndef TESSERA_TILE_PERMUTE_HPP
#define TESSERA_TILE_PERMUTE_HPP

#include "tile/group.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

/// B = P A Pᵀ: entry (i, j) of B is entry (perm[i], perm[j]) of A. A, B: [n columns, ld] with both triangles,
/// column-major; B may be A. perm: [n].
template <class G, class T>
TESSERA_COLLECTIVE void permute_symmetric(const G &g, const T *A, int ld, int n, const std::int32_t *perm, T *B)
{
  constexpr int W = G::width;
  using Index = typename G::template index<T>;
  const Index id = g.template id<T>();
  const auto rows = id < Index(n);
  const Index from = g.template load_index<T>(rows, perm);
  typename G::template lane<T> b[W];
  TESSERA_UNROLL
  for (int j = 0; j < W; ++j) {
    const int column = j < n ? perm[j] : 0;
    b[j] = g.shuffle(g.load(rows & (Index(j) < Index(n)), A + std::ptrdiff_t(column) * ld), from);
  }
  TESSERA_UNROLL
  for (int j = 0; j < W; ++j)
    if (j < n)
      g.store(rows, B + std::ptrdiff_t(j) * ld, b[j]);
  g.sync();
}

} // namespace tessera
#endif
