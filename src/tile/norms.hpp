#ifndef TESSERA_TILE_NORMS_HPP
#define TESSERA_TILE_NORMS_HPP

#include "tile/group.hpp"

#include <cstddef>

namespace tessera {

/// Largest magnitude of each row. A: [c columns, ld], n rows. Padding lanes give 0; a NaN gives NaN.
template <class G, class T>
TESSERA_COLLECTIVE auto row_maxima(const G &g, const T *A, int ld, int n, int c)
{
  using Lane = typename G::template lane<T>;
  using Index = typename G::template index<T>;
  const auto rows = g.template id<T>() < Index(n);
  Lane m = T(0);
  for (int j = 0; G::any_group(j < c); ++j) {
    const Lane x = abs(g.load(rows & (Index(j) < Index(c)), A + std::ptrdiff_t(j) * ld));
    m = select((x > m) | (x != x), x, m); // a NaN stays, since no comparison with it is true
  }
  return m;
}

/// 2-norm of each row: norm: [n]. A: [c columns, ld], n rows. Rows are scaled by their largest entry, so nothing
/// overflows or underflows; of a row whose largest entry is subnormal or not finite that entry is the result.
template <class G, class T>
TESSERA_COLLECTIVE void row_norms(const G &g, const T *A, int ld, int n, int c, T *norm)
{
  using Lane = typename G::template lane<T>;
  using Index = typename G::template index<T>;
  const auto rows = g.template id<T>() < Index(n);
  const Lane m = row_maxima(g, A, ld, n, c);
  const auto usual = (m >= Lane(4 * smallest_normal<T>)) & finite(m);
  const Lane scale = Lane(T(1)) / select(usual, m, Lane(T(1)));
  Lane s = T(0);
  for (int j = 0; G::any_group(j < c); ++j) {
    const Lane x = g.load(rows & (Index(j) < Index(c)), A + std::ptrdiff_t(j) * ld) * scale;
    s = fma(x, x, s);
  }
  g.store(rows, norm, select(usual, m * sqrt(s), m));
  g.sync();
}

/// Largest magnitude of an n x c tile, exactly; NaN if it has one. A: [c columns, ld]
template <class G, class T>
TESSERA_COLLECTIVE T max_norm(const G &g, const T *A, int ld, int n, int c)
{
  return g.max_of(row_maxima(g, A, ld, n, c));
}

} // namespace tessera
#endif
