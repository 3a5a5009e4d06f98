#ifndef TESSERA_TILE_TRIANGULAR_HPP
#define TESSERA_TILE_TRIANGULAR_HPP

#include "tile/group.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

/// Column k of a unit lower triangular tile below its unit
template <class T, class G>
TESSERA_COLLECTIVE auto strict_column(const G &g, const T *L, int ld, int n, int k)
{
  const auto i = g.template id<T>();
  using Index = typename G::template index<T>;
  return g.load((i > Index(k)) & (i < Index(n)), L + std::ptrdiff_t(k) * ld);
}

/// Steps First .. First + panel of inverse_lower: columns of the inverse from First + panel on are still unit vectors.
template <int First, class G, class T>
TESSERA_COLLECTIVE void inverse_steps(const G &g, const T *L, int ld, int n,
                                      typename G::template lane<T> (&x)[G::width])
{
  constexpr int W = G::width;
  constexpr int panel = G::columns_are_registers && W > 8 ? 8 : W;
  for (int k = First; k < First + panel && G::any_group(k < n); ++k) {
    const auto minus = -strict_column(g, L, ld, n, k);
    const int end = G::columns_are_registers ? First + panel : k + 1;
    TESSERA_UNROLL
    for (int j = 0; j < end; ++j)
      x[j] = fma(minus, typename G::template lane<T>(g.broadcast(x[j], k)), x[j]);
  }
  if constexpr (First + panel < W)
    inverse_steps<First + panel>(g, L, ld, n, x);
}

/// X = L⁻¹ P of the factor P A Pᵀ = L D Lᵀ, so that A⁻¹ = Xᵀ D⁻¹ X.
/// L: [n columns, ld] unit lower triangular, its strict lower triangle read. perm: [n], row perm[k] of A is pivot k.
/// X: [n columns, ldx] dense: row k belongs to pivot k, columns are in the order of A; may be L.
template <class G, class T>
TESSERA_COLLECTIVE void inverse_lower(const G &g, const T *L, int ld, int n, const std::int32_t *perm, T *X, int ldx)
{
  constexpr int W = G::width;
  using Lane = typename G::template lane<T>;
  using Index = typename G::template index<T>;
  const Index id = g.template id<T>();
  Lane x[W];
  TESSERA_UNROLL
  for (int j = 0; j < W; ++j)
    x[j] = select(id == Index(j), Lane(T(1)), Lane(T(0)));
  inverse_steps<0>(g, L, ld, n, x);
  TESSERA_UNROLL
  for (int j = 0; j < W; ++j)
    if (j < n)
      g.store(id < Index(n), X + std::ptrdiff_t(perm[j]) * ldx, x[j]);
  g.sync();
}

/// Right-hand sides a triangular solve works on at a time: enough to hide the latency of one elimination
constexpr int solve_columns = 4;

/// X = L⁻¹ X or L⁻ᵀ X. L: [n columns, ld] unit lower triangular, its strict lower triangle read. X: [c columns, ldx],
/// n rows, overwritten.
template <bool Transposed, class G, class T>
TESSERA_COLLECTIVE void solve_lower(const G &g, const T *L, int ld, int n, T *X, int ldx, int c)
{
  using Lane = typename G::template lane<T>;
  using Index = typename G::template index<T>;
  const Index id = g.template id<T>();
  const auto rows = id < Index(n);
  for (int j = 0; G::any_group(j < c); j += solve_columns) {
    Lane x[solve_columns];
    TESSERA_UNROLL
    for (int q = 0; q < solve_columns; ++q)
      x[q] = g.load(rows & (Index(j + q) < Index(c)), X + std::ptrdiff_t(j + q) * ldx);
    for (int step = 0; G::any_group(step < n); ++step) {
      const int k = Transposed && step < n ? n - 1 - step : step;
      // Row k of L is column k of Lᵀ; past its own n a group does nothing
      const Lane l =
          Transposed ? g.load((id < Index(k)) & (Index(step) < Index(n)), L + k, ld) : strict_column(g, L, ld, n, k);
      TESSERA_UNROLL
      for (int q = 0; q < solve_columns; ++q)
        x[q] = fma(-l, Lane(g.broadcast(x[q], k)), x[q]);
    }
    TESSERA_UNROLL
    for (int q = 0; q < solve_columns; ++q)
      g.store(rows & (Index(j + q) < Index(c)), X + std::ptrdiff_t(j + q) * ldx, x[q]);
  }
  g.sync();
}

} // namespace tessera
#endif
