#ifndef TESSERA_TILE_LU_HPP
#define TESSERA_TILE_LU_HPP

#include "tile/group.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

/// What the pivots of one LU factorization were
struct LuCounts {
  std::int32_t perturbed; ///< pivots replaced because they were below delta
  std::int32_t zero;      ///< pivots that are exactly 0; their columns of L are unit vectors
  std::int32_t nonfinite; ///< 1 if the tile had a NaN or an infinity or grew one: what was written is finite, not of A
};

/// P A = L U of a dense n x n tile by partial pivoting, n <= W. Row i stays in lane i; its place in the pivot order is
/// the step that chose it. A: [n columns, ld] column-major. LU: [n columns, ld], unit lower L below the diagonal and U
/// on and above it, rows in pivot order; may be A. perm: [n] the row of A at each place. Pivots below delta are
/// perturbed to it, sign kept. Not finite tiles and pivots: as ldlt.
template <class G, class T>
TESSERA_COLLECTIVE void lu(const G &g, const T *A, int ld, int n, T delta, T *LU, std::int32_t *perm, LuCounts *counts)
{
  constexpr int W = G::width;
  using Lane = typename G::template lane<T>;
  using Index = typename G::template index<T>;
  const Index id = g.template id<T>();
  const Lane zero = T(0), none = T(-1);
  const auto rows = id < Index(n);
  Lane a[W], poison = zero;
  TESSERA_UNROLL
  for (int j = 0; j < W; ++j) {
    a[j] = g.load(rows & (Index(j) < Index(n)), A + std::ptrdiff_t(j) * ld);
    poison = fma(a[j], zero, poison); // stays 0 unless a[j] is NaN or infinite
  }
  bool bad = g.any(poison != poison);
  int perturbed = 0, zeros = 0;
  Index place = W; // not chosen yet
  const int steps = G::columns_are_registers ? W : n;
  TESSERA_UNROLL
  for (int k = 0; k < steps; ++k) {
    if (!G::any_group(k < n))
      break;
    const auto left = (place == Index(W)) & rows;
    const Largest<T> pivot = g.argmax(select(left, abs(a[k]), none));
    const bool live = k < n;
    T p = g.broadcast(a[k], pivot.lane);
    const bool small = abs(p) < delta;
    p = small ? (p < 0 ? -delta : delta) : p;
    const auto below = left & (id != Index(pivot.lane)) & (Index(k) < Index(n));
    Lane l = select(below, a[k], zero) / Lane(p == 0 ? T(1) : p);
    const bool drop = p == 0;
    const bool wrong = !g.all(finite(l)) || bad || !finite(p);
    l = drop || wrong ? zero : l;
    place = select((id == Index(pivot.lane)) & (Index(k) < Index(n)), Index(k), place);
    perturbed += live && small;
    zeros += live && (drop || wrong);
    bad = bad || (live && wrong);
    const int end = G::columns_are_registers ? W : n;
    TESSERA_UNROLL
    for (int j = k + 1; j < end; ++j)
      a[j] = fma(-l, Lane(g.broadcast(a[j], pivot.lane)), a[j]);
    a[k] = select(below, l, select((id == Index(pivot.lane)) & (Index(k) < Index(n)), Lane(p), a[k]));
  }
  place = bad ? id : place;
  TESSERA_UNROLL
  for (int j = 0; j < W; ++j)
    if (j < n)
      g.template scatter<T>(rows, LU + std::ptrdiff_t(j) * ld, place, bad ? zero : a[j]);
  g.template scatter_index<T>(rows, perm, place, id);
  if (g.leads())
    *counts = {perturbed, bad ? n : zeros, bad};
  g.sync();
}

} // namespace tessera
#endif
