#ifndef TESSERA_FACTOR_JACOBI_LDLT_HPP
#define TESSERA_FACTOR_JACOBI_LDLT_HPP

#include "factor/factor_tile.hpp"
#include "factor/jacobi_view.hpp"
#include "tile/block_diagonal.hpp"
#include "tile/triangular.hpp"

namespace tessera {

// A sweep of Jacobi-LDLᵀ (thesis Alg. 11) as kernels that run on the host and on a device: pull_diagonal, then
// factor_diagonal, then sweep_tile, each for all of its items at once. A group, lane i of which holds row i of a block,
// has besides what tile/group.hpp says
//
//   g.first_item(), g.item_step()   a loop over independent items, shared by the lanes where lanes are threads
//   G::columns_at_once              columns of a tile that are computed together
//
// Every entry is a sum over block rows k in their current order, so that host and device give the same bits, and any
// number of threads does.

/// Two neighbouring numbers, read by one load.
struct alignas(16) TwoNumbers {
  double value[2];
};

/// sum[q] -= weight(r, lane) u(r, q) for r < rows: one update of columns of tile (b, j) by the tiles (k, b) and (k, j).
template <int Count, class Strip>
TESSERA_COLLECTIVE void subtract_update(const Strip &g, const double *weight, Index weight_stride, const double *u,
                                        Index u_stride, Index rows, typename Strip::template lane<double> (&sum)[Count])
{
  for (Index r = 0; r < rows; ++r) {
    const auto w = -g.load(weight + Offset(r) * weight_stride);
    const TwoNumbers *x = reinterpret_cast<const TwoNumbers *>(u + Offset(r) * u_stride);
    TESSERA_UNROLL
    for (int q = 0; q < Count; ++q)
      sum[q] = fma(w, typename Strip::template lane<double>(x[q / 2].value[q % 2]), sum[q]);
  }
}

/// Column `column` of the tile of A between block b and another one, b's rows in the lanes from `lane` on. 0 elsewhere.
template <class Strip>
TESSERA_COLLECTIVE auto value_column(const Strip &g, const JacobiView &v, Offset t, Index b, Index column, int lane)
{
  using Number = typename Strip::template index<double>;
  const Index row = v.tile_row[t], stride = group_width(v.block_rows(row));
  const double *a = v.a + v.panel_start[row] + Offset(v.panel_column[t]) * stride;
  const auto there = g.template id<double>() < Number(v.block_rows(b) - lane);
  return b == row ? g.load(there, a + Offset(column) * stride + lane)
                  : g.load(there, a + Offset(lane) * stride + column, stride);
}

/// Columns item.begin .. item.end - 1 of the diagonal tile of block item.tile less its updates, into now.lower.
template <class G>
TESSERA_COLLECTIVE void pull_diagonal(const G &, const JacobiView &v, const JacobiItem &item)
{
  constexpr int W = G::width, count = G::columns_at_once;
  using Strip = typename G::template strip<double>;
  const Strip strip{};
  const Index b = static_cast<Index>(item.tile), rows = v.block_rows(b), stride = tile_stride(rows);
  const Offset end = v.fresh ? v.index.start[b] : v.index.diagonal[b];
  for (Index c0 = item.begin; c0 < item.end; c0 += count)
    for (int lane = 0; lane < W; lane += Strip::width) {
      typename Strip::template lane<double> sum[count];
      TESSERA_UNROLL
      for (int q = 0; q < count; ++q)
        sum[q] = strip.load(v.a + v.panel_start[b] + Offset(c0 + q < rows ? c0 + q : rows - 1) * W + lane);
      for (Offset p = v.index.start[b]; p < end; ++p) {
        const Offset from = v.tile_start[v.index.tile[p]];
        subtract_update<count>(strip, v.old.weight + from + lane, stride, v.old.u + from + c0, stride,
                               v.block_rows(v.index.index[p]), sum);
      }
      TESSERA_UNROLL
      for (int q = 0; q < count; ++q)
        if (c0 + q < rows)
          strip.store(v.now.lower + v.lower_start[b] + Offset(c0 + q) * W + lane, sum[q]);
    }
}

/// Factors the pulled diagonal tile of block b: all of now but u and weight.
template <Pivoting P, class G>
TESSERA_COLLECTIVE void factor_diagonal(const G &g, const JacobiView &v, Index b)
{
  using Lane = typename G::template lane<double>;
  using Number = typename G::template index<double>;
  constexpr int W = G::width;
  const Index rows = v.block_rows(b), row = v.block_start[b];
  double *tile = v.now.lower + v.lower_start[b], *inverse = v.now.inverse + v.inverse_start[b];
  const Number id = g.template id<double>();
  const auto inside = id < Number(rows);
  Lane magnitude = Lane(0.0);
  for (Index c = 0; G::any_group(c < rows); ++c)
    magnitude = max(magnitude, abs(g.load(inside & (id >= Number(c)), tile + Offset(c < rows ? c : 0) * W)));
  const double largest = g.max_of(magnitude);
  PivotCounts *counts = v.now.counts + b;
  factor_tile<P>(g, tile, W, rows, LdltOptions<double>{v.delta, v.pairs[b]}, v.now.d + row, v.now.e + row,
                 v.now.perm + row, counts);
  inverse_lower(g, tile, W, rows, v.now.perm + row, inverse, rows);
  const BlockDiagonal<G, double> f = block_diagonal<DiagonalOf::inverse>(g, v.now.d + row, v.now.e + row, rows);
  g.store(inside, v.now.own + row, f.own);
  g.store(inside, v.now.other + row, f.other);
  g.template scatter_index<double>(inside, v.now.partner + row, id, f.partner);
  if (g.leads())
    v.now.largest[b] = largest;
  g.sync();
}

/// Writes sum[q], lane i of which is row lane + i, to columns c0 .. of a tile kept by rows.
template <int Count, class Strip>
TESSERA_COLLECTIVE void store_columns(const Strip &g, const typename Strip::template lane<double> (&sum)[Count],
                                      Index rows, Index columns, Index c0, int lane, double *tile)
{
  using Number = typename Strip::template index<double>;
  const Number id = g.template id<double>();
  const Index stride = tile_stride(columns);
  const Number place = (id + Number(lane)) * Number(stride);
  const auto inside = id < Number(rows - lane);
  TESSERA_UNROLL
  for (int q = 0; q < Count; ++q)
    g.template scatter<double>(inside & (Number(c0 + q) < Number(columns)), tile + c0 + q, place, sum[q]);
}

/// Columns item.begin .. item.end - 1 of tile item.tile of the next iterate: U_bj = D⁻¹ L⁻¹ P (A_bj - sum over k of
/// U_kbᵀ D_k U_kj), D, L and P being those of the next iterate and the U_k those of the old one.
template <class G>
TESSERA_COLLECTIVE void sweep_tile(const G &g, const JacobiView &v, const JacobiItem &item)
{
  constexpr int count = G::columns_at_once;
  using Strip = typename G::template strip<double>;
  using Lane = typename Strip::template lane<double>;
  using Number = typename Strip::template index<double>;
  const Strip strip{};
  const Offset t = item.tile;
  const Index b = v.first(t), j = v.second(t), rows = v.block_rows(b), columns = v.block_rows(j);
  const Index row_stride = tile_stride(rows), stride = tile_stride(columns);
  double *u = v.now.u + v.tile_start[t], *weight = v.now.weight + v.tile_start[t];
  const double *inverse = v.now.inverse + v.inverse_start[b];
  const Offset end = v.fresh ? v.common_start[t] : v.common_start[t + 1];
  for (Index c0 = item.begin; G::any_group(c0 < item.end); c0 += count) {
    for (int lane = 0; lane < rows; lane += Strip::width) {
      Lane sum[count];
      TESSERA_UNROLL
      for (int q = 0; q < count; ++q)
        sum[q] = value_column(strip, v, t, b, c0 + q < columns ? c0 + q : columns - 1, lane);
      const Index at = c0 < columns ? c0 : 0;
      for (Offset p = v.common_start[t]; p < end; ++p) {
        const Offset kb = v.common_first[p], kj = v.common_second[p];
        subtract_update<count>(strip, v.old.weight + v.tile_start[kb] + lane, row_stride,
                               v.old.u + v.tile_start[kj] + at, stride, v.block_rows(v.first(kb)), sum);
      }
      store_columns<count>(strip, sum, rows, columns, c0, lane, u);
    }
    g.sync();
    for (int lane = 0; lane < rows; lane += Strip::width) {
      Lane sum[count];
      TESSERA_UNROLL
      for (int q = 0; q < count; ++q)
        sum[q] = Lane(0.0);
      const auto inside = strip.template id<double>() < Number(rows - lane);
      const Index at = c0 < columns ? c0 : 0;
      for (Index i = 0; i < rows; ++i) {
        const Lane m = strip.load(inside, inverse + Offset(i) * rows + lane);
        const TwoNumbers *x = reinterpret_cast<const TwoNumbers *>(u + Offset(i) * stride + at);
        TESSERA_UNROLL
        for (int q = 0; q < count; ++q)
          sum[q] = fma(m, Lane(x[q / 2].value[q % 2]), sum[q]);
      }
      store_columns<count>(strip, sum, rows, columns, c0, lane, weight);
    }
    g.sync();
    for (Index r = g.first_item(); r < rows; r += g.item_step()) {
      const Index row = v.block_start[b] + r;
      const double own = v.now.own[row], other = v.now.other[row];
      const double *x = weight + Offset(r) * stride, *y = weight + Offset(v.now.partner[row]) * stride;
      for (Index c = c0; c < c0 + count && c < columns; ++c)
        u[Offset(r) * stride + c] = fma(other, y[c], own * x[c]);
    }
    g.sync();
  }
}

/// Row sums of |A|, the largest of block b's to row_sum[b].
template <class G>
TESSERA_COLLECTIVE void row_sums(const G &g, const JacobiView &v, Index b)
{
  using Lane = typename G::template lane<double>;
  const Index rows = v.block_rows(b);
  const double *a = v.a + v.panel_start[b];
  Lane sum = Lane(0.0);
  for (Index c = 0; c < rows; ++c)
    sum = sum + abs(g.load(a + Offset(c) * G::width));
  for (Offset p = v.index.start[b]; p < v.index.start[b + 1]; ++p)
    for (Index c = 0; c < v.block_rows(v.index.index[p]); ++c)
      sum = sum + abs(value_column(g, v, v.index.tile[p], b, c, 0));
  const double largest = g.max_of(sum);
  if (g.leads())
    v.row_sum[b] = largest;
}

/// sum[q] += column of the lanes' rows times the entries of the probes at `row`.
template <class L>
TESSERA_COLLECTIVE void add_probes(const L &column, const double *x, Offset row, L (&sum)[jacobi_probes])
{
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q)
    sum[q] = fma(column, L(x[row * jacobi_probes + q]), sum[q]);
}

/// Block b of product = D U probe.
template <class G>
TESSERA_COLLECTIVE void multiply_rows(const G &g, const JacobiView &v, Index b)
{
  using Lane = typename G::template lane<double>;
  using Number = typename G::template index<double>;
  constexpr int W = G::width;
  const Index rows = v.block_rows(b), row = v.block_start[b];
  const double *lower = v.now.lower + v.lower_start[b];
  const auto inside = g.template id<double>() < Number(rows);
  Lane sum[jacobi_probes] = {Lane(0.0), Lane(0.0), Lane(0.0), Lane(0.0)};
  for (Index i = 0; i < rows; ++i)
    add_probes(g.load(inside, lower + i, W), v.probe, row + v.now.perm[row + i], sum);
  const BlockDiagonal<G, double> d = block_diagonal<DiagonalOf::d>(g, v.now.d + row, v.now.e + row, rows);
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q)
    sum[q] = fma(d.other, g.shuffle(sum[q], d.partner), d.own * sum[q]);
  for (Offset p = v.index.diagonal[b]; p < v.index.start[b + 1]; ++p) {
    const Index j = v.index.index[p], columns = v.block_rows(j), stride = tile_stride(columns);
    const double *weight = v.now.weight + v.tile_start[v.index.tile[p]];
    for (Index c = 0; c < columns; ++c)
      add_probes(g.load(inside, weight + c, stride), v.probe, v.block_start[j] + c, sum);
  }
  const Number place = g.template id<double>() * Number(jacobi_probes);
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q)
    g.template scatter<double>(inside, v.product + Offset(row) * jacobi_probes + q, place, sum[q]);
}

/// Block b of residual = Uᵀ product - A probe, and the sums of squares of it and of A probe.
template <class G>
TESSERA_COLLECTIVE void multiply_columns(const G &g, const JacobiView &v, Index b)
{
  using Lane = typename G::template lane<double>;
  using Number = typename G::template index<double>;
  constexpr int W = G::width;
  const Index rows = v.block_rows(b), row = v.block_start[b];
  const Number id = g.template id<double>();
  const auto inside = id < Number(rows);
  double *residual = v.residual + Offset(row) * jacobi_probes;
  Lane sum[jacobi_probes] = {Lane(0.0), Lane(0.0), Lane(0.0), Lane(0.0)};
  for (Index c = 0; c < rows; ++c)
    add_probes(g.load(inside, v.now.lower + v.lower_start[b] + Offset(c) * W), v.product, row + c, sum);
  const Number from_pivot = g.template load_index<double>(inside, v.now.perm + row) * Number(jacobi_probes);
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q)
    g.template scatter<double>(inside, residual + q, from_pivot, sum[q]);
  g.sync();
  Lane reference[jacobi_probes];
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q) {
    sum[q] = g.load(inside, residual + q, jacobi_probes);
    reference[q] = Lane(0.0);
  }
  for (Offset p = v.index.start[b]; p < v.index.diagonal[b]; ++p) {
    const Index k = v.index.index[p], stride = tile_stride(rows);
    const double *u = v.now.u + v.tile_start[v.index.tile[p]];
    for (Index r = 0; r < v.block_rows(k); ++r)
      add_probes(g.load(inside, u + Offset(r) * stride), v.product, v.block_start[k] + r, sum);
  }
  for (Index c = 0; c < rows; ++c)
    add_probes(g.load(inside, v.a + v.panel_start[b] + Offset(c) * W), v.probe, row + c, reference);
  for (Offset p = v.index.start[b]; p < v.index.start[b + 1]; ++p) {
    const Index j = v.index.index[p];
    for (Index c = 0; c < v.block_rows(j); ++c)
      add_probes(value_column(g, v, v.index.tile[p], b, c, 0), v.probe, v.block_start[j] + c, reference);
  }
  Lane error2 = Lane(0.0), reference2 = Lane(0.0);
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q) {
    const Lane difference = sum[q] - reference[q];
    error2 = fma(difference, difference, error2);
    reference2 = fma(reference[q], reference[q], reference2);
  }
  const double error = g.sum(error2), size = g.sum(reference2);
  if (g.leads()) {
    v.error[b] = error;
    v.reference[b] = size;
  }
}

} // namespace tessera
#endif
