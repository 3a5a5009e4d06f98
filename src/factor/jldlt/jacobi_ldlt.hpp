#ifndef TESSERA_FACTOR_JLDLT_JACOBI_LDLT_HPP
#define TESSERA_FACTOR_JLDLT_JACOBI_LDLT_HPP

#include "factor/bildlt/factor_tile.hpp"
#include "factor/jldlt/view.hpp"
#include "tile/block_diagonal.hpp"
#include "tile/triangular.hpp"

namespace tessera {

// A stage of a sweep of Jacobi-LDLᵀ (thesis Alg. 11) has three steps, each for all of its items at once:
//
//   pull diagonal tiles     B_bb = A_bb - sum over k of U_kbᵀ J_k U_kb, with the old iterate
//   factor_diagonal         P B Pᵀ = L D Lᵀ, D = Fᵀ J F, and F⁻ᵀ L⁻¹ P
//   sweep the other tiles   U_bj = F⁻ᵀ L⁻¹ P (A_bj - sum over k of U_kbᵀ J_k U_kj)
//
// The second is here; the other two are the bulk of the work and are written for each backend: host/jldlt/sweep.hpp
// and cuda/jldlt/sweep.cuh. Every entry is a sum over block rows k in their current order, then over the rows of k,
// cut into parts as the items say, so that host and device give the same bits, and any number of threads does.
// factor/jldlt/contract.hpp says what its groups have besides what tile/group.hpp asks of them.

/// Factors the pulled diagonal tile of block b: all of its next iterate but u and largest. Groups of a warp go
/// through it together, also those whose block the sweep does not compute.
template <Pivoting P, class G>
TESSERA_COLLECTIVE void factor_diagonal(const G &g, const JacobiView &v, Index b)
{
  constexpr int W = G::width;
  const bool active = v.active[b] != 0;
  if (!G::any_group(active))
    return;
  const JacobiIterate now = v.now(b);
  const Index rows = active ? v.block_rows(b) : 0, row = v.block_start[b];
  double *tile = now.lower + v.lower_start[b], *inverse = now.inverse + v.inverse_start[b];
  PivotCounts counts;
  factor_tile<P>(g, tile, W, rows, LdltOptions<double>{v.delta, v.pairs[b]}, now.d + row, now.e + row, now.perm + row,
                 &counts);
  g.invert_lower(tile, W, rows, now.perm + row, inverse, rows);
  multiply_diagonal<DiagonalOf::inverse_root>(g, now.d + row, now.e + row, rows, inverse, rows, rows);
  const std::uint32_t negative = g.bits(negative_pivots(g, now.d + row, now.e + row, rows));
  if (active && g.leads()) {
    v.changed[b] = v.step;
    now.counts[b] = counts;
    now.negative[b] = negative;
  }
  g.sync();
}

} // namespace tessera
#endif
