#ifndef TESSERA_FACTOR_JACOBI_LDLT_HPP
#define TESSERA_FACTOR_JACOBI_LDLT_HPP

#include "factor/factor_tile.hpp"
#include "factor/jacobi_view.hpp"
#include "tile/block_diagonal.hpp"
#include "tile/triangular.hpp"

namespace tessera {

// A stage of a sweep of Jacobi-LDLᵀ (thesis Alg. 11) has three steps, each for all of its items at once:
//
//   pull diagonal tiles     B_bb = A_bb - sum over k of U_kbᵀ D_k U_kb, with the old iterate
//   factor_diagonal         P B Pᵀ = L D Lᵀ and L⁻¹ P
//   sweep the other tiles   D_b U_bj = L⁻¹ P (A_bj - sum over k of U_kbᵀ D_k U_kj), U_bj = D_b⁻¹ (D_b U_bj)
//
// The second is here, and the products with vectors that the reconstruction error is estimated with; the other two are
// the bulk of the work and are written for each backend: host/jacobi_sweep.hpp and cuda/jacobi_sweep.cuh. Every entry
// is a sum over block rows k in their current order, then over the rows of k, cut into parts as the items say, so that
// host and device give the same bits, and any number of threads does.

/// Factors the pulled diagonal tile of block b: all of its next iterate but u and weight. Groups of a warp go through
/// it together, also those whose block the sweep does not compute.
template <Pivoting P, class G>
TESSERA_COLLECTIVE void factor_diagonal(const G &g, const JacobiView &v, Index b)
{
  using Lane = typename G::template lane<double>;
  using Number = typename G::template index<double>;
  constexpr int W = G::width;
  const bool active = v.active[b] != 0;
  if (!G::any_group(active))
    return;
  const JacobiIterate now = v.now(b);
  const Index rows = active ? v.block_rows(b) : 0, row = v.block_start[b];
  double *tile = now.lower + v.lower_start[b], *inverse = now.inverse + v.inverse_start[b];
  const Number id = g.template id<double>();
  const auto inside = id < Number(rows);
  Lane magnitude = Lane(0.0);
  for (Index c = 0; G::any_group(c < rows); ++c)
    magnitude = max(magnitude, abs(g.load(inside & (id >= Number(c)), tile + Offset(c < rows ? c : 0) * W)));
  const double largest = g.max_of(magnitude);
  PivotCounts counts;
  factor_tile<P>(g, tile, W, rows, LdltOptions<double>{v.delta, v.pairs[b]}, now.d + row, now.e + row, now.perm + row,
                 &counts);
  inverse_lower(g, tile, W, rows, now.perm + row, inverse, rows);
  const BlockDiagonal<G, double> f = block_diagonal<DiagonalOf::inverse>(g, now.d + row, now.e + row, rows);
  g.store(inside, now.own + row, f.own);
  g.store(inside, now.other + row, f.other);
  g.template scatter_index<double>(inside, now.partner + row, id, f.partner);
  if (active && g.leads()) {
    v.changed[b] = v.step;
    now.counts[b] = counts;
    now.largest[b] = largest;
  }
  g.sync();
}

/// Entries of a row of vectors [rows x probes], read together.
struct alignas(16) ProbeRow {
  double x[jacobi_probes];
};

/// sum[q] += column of the lanes' rows times entry q of the row of x [rows x probes].
template <class L>
TESSERA_COLLECTIVE void add_probes(const L &column, const double *x, Offset row, L (&sum)[jacobi_probes])
{
  const ProbeRow *rows = reinterpret_cast<const ProbeRow *>(x);
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q)
    sum[q] = fma(column, L(rows[row].x[q]), sum[q]);
}

/// sum += terms of U probe: kept columns terms.begin .. terms.end - 1 of the block row.
template <class G>
TESSERA_COLLECTIVE void add_row_terms(const G &g, const JacobiView &v, const JacobiTerms &terms,
                                      typename G::template lane<double> (&sum)[jacobi_probes])
{
  using Number = typename G::template index<double>;
  const Index b = terms.block, rows = v.block_rows(b);
  const auto inside = g.template id<double>() < Number(rows);
  const double *u = v.now(b).u + v.u_start[b] + (terms.begin - v.column_start[b]) * padded(rows);
  for (Offset c = terms.begin; c < terms.end; ++c, u += padded(rows))
    add_probes(g.load(inside, u), v.probe, v.column_row[c], sum);
}

/// sum += terms of (D U)ᵀ product: tiles before the diagonal one, by their places terms.begin .. terms.end - 1 in the
/// lists of block rows.
template <class G>
TESSERA_COLLECTIVE void add_column_terms(const G &g, const JacobiView &v, const JacobiTerms &terms,
                                         typename G::template lane<double> (&sum)[jacobi_probes])
{
  for (Offset p = terms.begin; p < terms.end; ++p) {
    const Index k = v.index.index[p], t = v.index.tile[p], stride = v.weight_stride[t];
    const std::uint32_t mask = v.mask[t];
    const double *weight = v.now(k).weight + v.weight_start[t];
    for (Index r = 0; r < v.block_rows(k); ++r)
      add_probes(g.load_kept(mask, weight + Offset(r) * stride), v.product, v.block_start[k] + r, sum);
  }
}

/// Stores sums of a part of a product.
template <class G>
TESSERA_COLLECTIVE void store_terms(const G &g, const JacobiView &v, const JacobiTerms &terms,
                                    const typename G::template lane<double> (&sum)[jacobi_probes])
{
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q)
    g.store(v.terms + terms.part + q * G::width, sum[q]);
}

/// sum += those of its parts, in their order.
template <class G>
TESSERA_COLLECTIVE void add_parts(const G &g, const JacobiView &v, const JacobiTerms &terms,
                                  typename G::template lane<double> (&sum)[jacobi_probes])
{
  const double *part = v.terms + terms.part;
  for (Offset i = 0; i < terms.parts; ++i, part += G::width * jacobi_probes)
    TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q)
    sum[q] = sum[q] + g.load(part + q * G::width);
}

/// Block terms.block of product = U probe.
template <class G>
TESSERA_COLLECTIVE void multiply_rows(const G &g, const JacobiView &v, const JacobiTerms &terms)
{
  using Lane = typename G::template lane<double>;
  using Number = typename G::template index<double>;
  const Index b = terms.block, rows = v.block_rows(b), row = v.block_start[b];
  const JacobiIterate now = v.now(b);
  const double *lower = now.lower + v.lower_start[b];
  const auto inside = g.template id<double>() < Number(rows);
  Lane sum[jacobi_probes] = {Lane(0.0), Lane(0.0), Lane(0.0), Lane(0.0)};
  for (Index i = 0; i < rows; ++i)
    add_probes(g.load(inside, lower + i, G::width), v.probe, row + now.perm[row + i], sum);
  add_row_terms(g, v, terms, sum);
  add_parts(g, v, terms, sum);
  const Number place = g.template id<double>() * Number(jacobi_probes);
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q)
    g.template scatter<double>(inside, v.product + Offset(row) * jacobi_probes + q, place, sum[q]);
}

/// Sum of squares of block terms.block of (D U)ᵀ product - A probe.
template <class G>
TESSERA_COLLECTIVE void multiply_columns(const G &g, const JacobiView &v, const JacobiTerms &terms)
{
  using Lane = typename G::template lane<double>;
  using Number = typename G::template index<double>;
  const Index b = terms.block, rows = v.block_rows(b), row = v.block_start[b];
  const auto inside = g.template id<double>() < Number(rows);
  double *residual = v.residual + Offset(row) * jacobi_probes;
  const Number place = g.template id<double>() * Number(jacobi_probes);
  const JacobiIterate now = v.now(b);
  const BlockDiagonal<G, double> d = block_diagonal<DiagonalOf::d>(g, now.d + row, now.e + row, rows);
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q) {
    const Lane x = g.load(inside, v.product + Offset(row) * jacobi_probes + q, jacobi_probes);
    g.template scatter<double>(inside, residual + q, place, fma(d.other, g.shuffle(x, d.partner), d.own * x));
  }
  g.sync();
  Lane sum[jacobi_probes] = {Lane(0.0), Lane(0.0), Lane(0.0), Lane(0.0)};
  for (Index c = 0; c < rows; ++c)
    add_probes(g.load(inside, now.lower + v.lower_start[b] + Offset(c) * G::width), v.residual, row + c, sum);
  const Number from_pivot = g.template load_index<double>(inside, now.perm + row) * Number(jacobi_probes);
  g.sync();
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q)
    g.template scatter<double>(inside, residual + q, from_pivot, sum[q]);
  g.sync();
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q)
    sum[q] = g.load(inside, residual + q, jacobi_probes);
  add_column_terms(g, v, terms, sum);
  add_parts(g, v, terms, sum);
  Lane error2 = Lane(0.0);
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q) {
    const Lane difference = sum[q] - g.load(inside, v.reference + Offset(row) * jacobi_probes + q, jacobi_probes);
    error2 = fma(difference, difference, error2);
  }
  const double error = g.sum(error2);
  if (g.leads())
    v.error[b] = error;
}

} // namespace tessera
#endif
