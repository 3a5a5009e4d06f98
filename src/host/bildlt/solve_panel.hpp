#ifndef TESSERA_HOST_BILDLT_SOLVE_PANEL_HPP
#define TESSERA_HOST_BILDLT_SOLVE_PANEL_HPP

#include "factor/bildlt/views.hpp"
#include "host/lanes/team_host.hpp"

namespace tessera {

// How a core solves a panel. cuda/bildlt/solve_piece.cuh is the other half, with the same order of operations.

/// Overwrites Count columns [Count x W] of C by those of D⁻¹ L⁻¹ P C, and adds their squares to total.
template <int Count, int W>
inline void solve_panel_columns(const double *scaled_inverse, Index rows, double *column,
                                typename HostGroup<W>::template lane<double> &total)
{
  using Lane = typename HostGroup<W>::template lane<double>;
  const HostGroup<W> g;
  Lane sum[Count];
  for (int i = 0; i < Count; ++i)
    sum[i] = g.load(scaled_inverse) * Lane(column[i * W]);
  for (Index r = 1; r < rows; ++r) {
    const Lane inverse = g.load(scaled_inverse + r * W);
    for (int i = 0; i < Count; ++i)
      sum[i] = fma(inverse, Lane(column[i * W + r]), sum[i]);
  }
  for (int i = 0; i < Count; ++i) {
    g.store(column + i * W, sum[i]);
    total = fma(sum[i], sum[i], total);
  }
}

/// Overwrites the piece's tiles after the diagonal tile by U = D⁻¹ L⁻¹ P C. scaled_inverse: D⁻¹ L⁻¹ P, [W x block's
/// rows], zero below the block's rows. squares: [W] for each tile of the block row, the sums of squares of its rows.
template <int W>
void solve_panel(const StructureView &s, const PanelPiece &piece, const double *scaled_inverse, double *squares)
{
  constexpr int at_once = HostTeam<W>::columns_at_once;
  const Index rows = s.block_rows(piece.block);
  for (Offset t = piece.tile_begin; t < piece.tile_end; ++t) {
    Index c = s.panel_column[t];
    const Index end = c + s.block_rows(s.tile_column[t]);
    typename HostGroup<W>::template lane<double> total = 0.0;
    for (; c + at_once <= end; c += at_once)
      solve_panel_columns<at_once, W>(scaled_inverse, rows, piece.panel + Offset(c) * W, total);
    for (; c < end; ++c)
      solve_panel_columns<1, W>(scaled_inverse, rows, piece.panel + Offset(c) * W, total);
    HostGroup<W>::store(squares + (t - s.tile_start[piece.block]) * W, total);
  }
}

} // namespace tessera
#endif
