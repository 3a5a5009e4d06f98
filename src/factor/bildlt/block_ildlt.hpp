#ifndef TESSERA_FACTOR_BILDLT_BLOCK_ILDLT_HPP
#define TESSERA_FACTOR_BILDLT_BLOCK_ILDLT_HPP

#include "factor/bildlt/options.hpp"
#include "factor/bildlt/views.hpp"
#include "tile/group.hpp"

namespace tessera {

// Block incomplete UᵀDU of a symmetric matrix (thesis Alg. 9), as steps that a team (tile/group.hpp) does to a piece of
// a panel. Lane i of a group holds row i of the block; panels have leading dimension W with zero rows below the
// block's. All teams of a step are independent; the steps of a level follow each other. How updates are pulled differs
// between backends, see factor/bildlt/updates.hpp, and so does how panels are solved: host/bildlt/solve_panel.hpp and
// cuda/bildlt/solve_piece.cuh, with one order of operations.
//
// The sums in every entry run over block rows k in ascending order, and those of squares over the tiles of a row,
// whatever the pieces are and whoever computes them, so that the factor has the same bits for every number of threads
// and on both backends. Long sums are cut into parts, which can be computed at the same time: see update_part.

/// Overwrites the piece with the entries of A that belong there, scaled. No zero is negative, so that adding a part in
/// which nothing updates an entry does not change it.
template <class G>
TESSERA_COLLECTIVE void gather_values(const G &g, const ValuesView &values, const PanelPiece &piece)
{
  constexpr int W = G::width;
  const Offset begin = Offset(piece.column_begin) * W, end = Offset(piece.column_end) * W;
  for (Offset i = begin + g.first_item(); i < end; i += g.item_step())
    piece.panel[i] = 0;
  g.sync();
  for (Offset i = values.start[piece.block] + g.first_item(); i < values.start[piece.block + 1]; i += g.item_step()) {
    const Index column = values.column[i];
    if (column >= piece.column_begin && column < piece.column_end)
      piece.panel[Offset(column) * W + values.row[i]] = values.scale[i] * values.a[values.source[i]] + 0.0;
  }
  g.sync();
}

/// column[i] += weight u[i] for i < Count: column[i] [W], weight [W x rows], u[i] [rows]. Lanes do not depend on each
/// other, so that a wide group may take them strip by strip.
template <int Count, class G, class T>
TESSERA_COLLECTIVE void update_columns(const G &, const double *weight, Index rows, double *const *column,
                                       const T *const *u)
{
  using Strip = typename G::template strip<double>;
  const Strip g{};
  for (int lane = 0; lane < G::width; lane += Strip::width) {
    typename Strip::template lane<double> sum[Count];
    TESSERA_UNROLL
    for (int i = 0; i < Count; ++i)
      sum[i] = g.load(column[i] + lane);
    for (Index r = 0; r < rows; ++r) {
      const auto w = g.load(weight + r * G::width + lane);
      TESSERA_UNROLL
      for (int i = 0; i < Count; ++i)
        sum[i] = fma(w, typename Strip::template lane<double>(double(u[i][r])), sum[i]);
    }
    TESSERA_UNROLL
    for (int i = 0; i < Count; ++i)
      g.store(column[i] + lane, sum[i]);
  }
}

/// Whether the rows of D⁻¹ L⁻¹ P of a diagonal tile have norms that are finite, as those of U must have: relative to a
/// matrix whose largest entry is `largest`, where a pivot is too small from about 1e-154 on. column(c) for c < n:
/// column c of the tile, zero in rows that it does not have.
template <class G, class Column>
TESSERA_COLLECTIVE bool inverse_is_finite(const G &g, Index n, double largest, const Column &column)
{
  using Lane = typename G::template lane<double>;
  Lane sum = Lane(0.0);
  TESSERA_UNROLL
  for (Index c = 0; c < n; ++c) {
    const Lane x = column(c) * Lane(largest);
    sum = fma(x, x, sum);
  }
  return g.all(finite(sum));
}

/// inverse_norm: [W] reciprocals of the norms of the block's rows of U, to which the unit diagonal belongs. squares:
/// the sums of squares of the rows of each tile, as the solve of a panel leaves them. Returns whether they are finite.
template <class G>
TESSERA_COLLECTIVE bool row_norms(const G &g, const StructureView &s, Index b, const double *squares,
                                  double *inverse_norm)
{
  using Lane = typename G::template lane<double>;
  constexpr int at_once = 8; // whose loads do not wait for each other
  const Offset tiles = s.tile_start[b + 1] - s.tile_start[b];
  Lane sum = Lane(1.0);
  Offset t = 0;
  for (; t + at_once <= tiles; t += at_once) {
    Lane x[at_once];
    TESSERA_UNROLL
    for (int i = 0; i < at_once; ++i)
      x[i] = g.load(squares + (t + i) * G::width);
    TESSERA_UNROLL
    for (int i = 0; i < at_once; ++i)
      sum = sum + x[i];
  }
  for (; t < tiles; ++t)
    sum = sum + g.load(squares + t * G::width);
  g.store(inverse_norm, Lane(1.0) / sqrt(sum));
  return g.all(finite(sum));
}

/// score[c] for the piece's columns after the diagonal tile: the largest entry of panel column c relative to the norm
/// of its row. inverse_norm: [W], the reciprocals of the rows' norms.
template <class G>
TESSERA_COLLECTIVE void score_columns(const G &g, const StructureView &s, const PanelPiece &piece,
                                      const double *inverse_norm, float *score)
{
  constexpr int W = G::width;
  const auto factor = g.load(inverse_norm);
  const Index begin = piece.column_begin == 0 ? s.block_rows(piece.block) : piece.column_begin;
  for (Index first = begin; first < piece.column_end; first += g.groups() * G::columns_at_once) {
    float largest[G::columns_at_once];
    TESSERA_UNROLL
    for (int i = 0; i < G::columns_at_once; ++i) {
      const Index c = first + i * g.groups() + g.group();
      const double *column = piece.panel + Offset(c < piece.column_end ? c : first) * W;
      largest[i] = g.largest(abs(g.load(column) * factor));
    }
    TESSERA_UNROLL
    for (int i = 0; i < G::columns_at_once; ++i) {
      const Index c = first + i * g.groups() + g.group();
      if (g.leads() && c < piece.column_end)
        score[c] = largest[i];
    }
  }
  g.sync();
}

} // namespace tessera
#endif
