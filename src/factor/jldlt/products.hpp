#ifndef TESSERA_FACTOR_JLDLT_PRODUCTS_HPP
#define TESSERA_FACTOR_JLDLT_PRODUCTS_HPP

#include "factor/jldlt/tile_rows.hpp"
#include "factor/jldlt/view.hpp"
#include "tile/block_diagonal.hpp"
#include "tile/group.hpp"

namespace tessera {

// Products of the factor with vectors: those that the reconstruction error is estimated with, and those of an
// application by sweeps (factor/jldlt/apply.hpp). U is read by block rows. Products with Uᵀ are spread first, one
// number for each kept column and vector, and then summed by those blocks that the columns belong to. Sums of long rows
// and columns are cut into parts.
// factor/jldlt/contract.hpp says what their groups have besides what tile/group.hpp asks of them.

/// A row of vectors [rows x N], read together.
template <int N>
struct alignas(N < 2 ? 8 : 16) VectorRow {
  double x[N];
};

/// sum[q] += column of the lanes' rows times entry q of the row of x [rows x N].
template <int N, class L>
TESSERA_COLLECTIVE void add_column(const L &column, const double *x, Offset row, L (&sum)[N])
{
  const VectorRow<N> *rows = reinterpret_cast<const VectorRow<N> *>(x);
  TESSERA_UNROLL
  for (int q = 0; q < N; ++q)
    sum[q] = fma(column, L(rows[row].x[q]), sum[q]);
}

/// Sums to begin with.
template <int N, class L>
TESSERA_COLLECTIVE void clear(L (&sum)[N])
{
  TESSERA_UNROLL
  for (int q = 0; q < N; ++q)
    sum[q] = L(0.0);
}

/// How many columns of a product are read together: a GPU waits for memory most of the time.
template <class G>
constexpr Index columns_at_once = G::width < 16 ? 4 : 8;

/// sum[q] += columns 0 .. n - 1 times entries q of rows of x [rows x N], in this order. column(c): the lanes' rows
/// of column c, zeros for c = n and more; row(c): of x.
template <class G, int N, class Column, class Row>
TESSERA_COLLECTIVE void add_columns(Index n, const Column &column, const double *x, const Row &row,
                                    typename G::template lane<double> (&sum)[N])
{
  constexpr Index at_once = columns_at_once<G>;
  for (Index begin = 0; begin < n; begin += at_once) {
    typename G::template lane<double> read[at_once];
    Offset place[at_once];
    TESSERA_UNROLL
    for (Index c = 0; c < at_once; ++c) {
      read[c] = column(begin + c);
      place[c] = row(begin + c < n ? begin + c : n - 1);
    }
    TESSERA_UNROLL
    for (Index c = 0; c < at_once; ++c)
      add_column(read[c], x, place[c], sum);
  }
}

/// sum += terms of U x, x [rows x N]: kept columns terms.begin .. terms.end - 1 of the block row.
template <int N, class G>
TESSERA_COLLECTIVE void add_row_terms(const G &g, const JacobiView &v, const JacobiTerms &terms, const double *x,
                                      typename G::template lane<double> (&sum)[N])
{
  using Number = typename G::template index<double>;
  const Index b = terms.block, rows = v.block_rows(b);
  const Number id = g.template id<double>();
  const double *u = v.now(b).u + v.u_start[b] + (terms.begin - v.column_start[b]) * padded(rows);
  const Index n = static_cast<Index>(terms.end - terms.begin);
  add_columns<G>(
      n, [&](Index c) { return g.load(id < Number(c < n ? rows : 0), u + Offset(c) * padded(rows)); }, x,
      [&](Index c) { return Offset(v.column_row[terms.begin + c]); }, sum);
}

/// Products of columns terms.begin .. terms.end - 1 of U_b: with block b of x [rows x N], to v.spread. Groups of a warp
/// go through it together.
template <int N, class G>
TESSERA_COLLECTIVE void spread_columns(const G &g, const JacobiView &v, const JacobiTerms &terms, const double *x)
{
  using Lane = typename G::template lane<double>;
  using Number = typename G::template index<double>;
  constexpr Index W = G::width;
  const Index b = terms.block, rows = v.block_rows(b);
  const Offset row = v.block_start[b];
  const Number id = g.template id<double>();
  const double *u = v.now(b).u + v.u_start[b] + (terms.begin - v.column_start[b]) * padded(rows);
  for (Offset begin = terms.begin; G::any_group(begin < terms.end); begin += W, u += W * padded(rows)) {
    const Index columns = begin < terms.end ? static_cast<Index>(terms.end - begin < W ? terms.end - begin : W) : 0;
    const auto inside = id < Number(columns);
    const TileRows tile = g.by_rows(u, padded(rows), rows, columns);
    Lane sum[N];
    clear(sum);
    for (Index r = 0; r < rows; ++r)
      add_column(g.load(inside, tile.p + r, tile.stride), x, row + r, sum);
    TESSERA_UNROLL
    for (int q = 0; q < N; ++q)
      g.store(inside, v.spread + q * v.columns + begin, sum[q]);
    g.sync();
  }
}

/// sum += terms of Uᵀ x that have been spread: tiles before the diagonal one, terms.begin .. terms.end - 1 of the
/// updates.
template <int N, class G>
TESSERA_COLLECTIVE void add_column_terms(const G &g, const JacobiView &v, const JacobiTerms &terms,
                                         typename G::template lane<double> (&sum)[N])
{
  constexpr int at_once = 4;
  for (Offset begin = terms.begin; begin < terms.end; begin += at_once) {
    typename G::template lane<double> read[at_once][N];
    TESSERA_UNROLL
    for (int i = 0; i < at_once; ++i) {
      const JacobiUpdate x = v.updates[begin + i < terms.end ? begin + i : begin];
      const std::uint32_t kept = begin + i < terms.end ? x.own : 0;
      const double *first =
          v.spread + v.column_start[x.block] + static_cast<Index>(x.own_u - v.u_start[x.block]) / padded(x.rows);
      TESSERA_UNROLL
      for (int q = 0; q < N; ++q)
        read[i][q] = g.load_kept(kept, first + q * v.columns);
    }
    TESSERA_UNROLL
    for (int i = 0; i < at_once; ++i) {
      TESSERA_UNROLL
      for (int q = 0; q < N; ++q)
        sum[q] = sum[q] + read[i][q];
    }
  }
}

/// Stores sums of a part of a product.
template <int N, class G>
TESSERA_COLLECTIVE void store_terms(const G &g, const JacobiView &v, const JacobiTerms &terms,
                                    const typename G::template lane<double> (&sum)[N])
{
  TESSERA_UNROLL
  for (int q = 0; q < N; ++q)
    g.store(v.terms + terms.part + q * G::width, sum[q]);
}

/// sum += those of its parts, in their order.
template <int N, class G>
TESSERA_COLLECTIVE void add_term_parts(const G &g, const JacobiView &v, const JacobiTerms &terms,
                                       typename G::template lane<double> (&sum)[N])
{
  const double *part = v.terms + terms.part;
  for (Offset i = 0; i < terms.parts; ++i, part += G::width * jacobi_probes) {
    TESSERA_UNROLL
    for (int q = 0; q < N; ++q)
      sum[q] = sum[q] + g.load(part + q * G::width);
  }
}

/// Block terms.block of product = J U probe and of residual = Fᵀ U probe, and what its own terms spread.
template <class G>
TESSERA_COLLECTIVE void multiply_rows(const G &g, const JacobiView &v, const JacobiTerms &terms)
{
  using Lane = typename G::template lane<double>;
  using Number = typename G::template index<double>;
  const Index b = terms.block, rows = v.block_rows(b), row = v.block_start[b];
  const JacobiIterate now = v.now(b);
  const TileRows lower = g.by_rows(now.lower + v.lower_start[b], G::width, rows, rows);
  const Number id = g.template id<double>();
  const auto inside = id < Number(rows);
  Lane sum[jacobi_probes];
  clear(sum);
  add_columns<G>(
      rows, [&](Index i) { return g.load(id < Number(i < rows ? rows : 0), lower.p + i, lower.stride); }, v.probe,
      [&](Index i) { return Offset(row) + now.perm[row + i]; }, sum);
  const BlockDiagonal<G, double> f = block_diagonal<DiagonalOf::root>(g, now.d + row, now.e + row, rows);
  const auto negative = g.template from_bits<double>(now.negative[b]);
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q) {
    const Lane x = fma(f.other, g.shuffle(sum[q], f.partner), f.own * sum[q]);
    sum[q] = select(negative, -x, x);
  }
  add_row_terms(g, v, terms, v.probe, sum);
  add_term_parts(g, v, terms, sum);
  const Lane other = g.shuffle(f.other, f.partner); // of Fᵀ
  const Number place = g.template id<double>() * Number(jacobi_probes);
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q) {
    const Lane x = select(negative, -sum[q], sum[q]), y = fma(other, g.shuffle(sum[q], f.partner), f.own * sum[q]);
    g.template scatter<double>(inside, v.product + Offset(row) * jacobi_probes + q, place, x);
    g.template scatter<double>(inside, v.residual + Offset(row) * jacobi_probes + q, place, y);
  }
  g.sync();
  spread_columns<jacobi_probes>(g, v, terms, v.product);
}

/// Sum of squares of block terms.block of Uᵀ J U probe - A probe.
template <class G>
TESSERA_COLLECTIVE void multiply_columns(const G &g, const JacobiView &v, const JacobiTerms &terms)
{
  using Lane = typename G::template lane<double>;
  using Number = typename G::template index<double>;
  const Index b = terms.block, rows = v.block_rows(b), row = v.block_start[b];
  const Number id = g.template id<double>();
  const auto inside = id < Number(rows);
  const JacobiIterate now = v.now(b);
  double *residual = v.residual + Offset(row) * jacobi_probes;
  Lane sum[jacobi_probes];
  clear(sum);
  const double *lower = now.lower + v.lower_start[b];
  add_columns<G>(
      rows, [&](Index c) { return g.load(id < Number(c < rows ? rows : 0), lower + Offset(c) * G::width); }, v.residual,
      [&](Index c) { return Offset(row) + c; }, sum);
  g.sync(); // what it reads is overwritten
  const Number from_pivot = g.template load_index<double>(inside, now.perm + row) * Number(jacobi_probes);
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q)
    g.template scatter<double>(inside, residual + q, from_pivot, sum[q]);
  g.sync();
  TESSERA_UNROLL
  for (int q = 0; q < jacobi_probes; ++q)
    sum[q] = g.load(inside, residual + q, jacobi_probes);
  add_column_terms(g, v, terms, sum);
  add_term_parts(g, v, terms, sum);
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
