#ifndef TESSERA_FACTOR_JACOBI_VIEW_HPP
#define TESSERA_FACTOR_JACOBI_VIEW_HPP

#include "factor/indexed_blocks.hpp"
#include "factor/views.hpp"
#include "tile/pivoting.hpp"

namespace tessera {

/// Right-hand sides that the reconstruction error is estimated with.
constexpr int jacobi_probes = 4;

/// Columns between the rows of a stored tile: a multiple of the columns that a kernel computes at a time.
TESSERA_BOTH constexpr Index tile_stride(Index columns)
{
  return (columns + 3) / 4 * 4;
}

/// One iterate of the fixed point: a block factor A ≈ UᵀDU in the current order of the blocks.
///
/// A tile U_bj is kept by rows as U and as the weights D_b U_bj that updates need, both with tile_stride() entries
/// between rows. Of the diagonal tile P B Pᵀ = L D Lᵀ there are L, P and the inverse L⁻¹ P, whose rows are pivots and
/// whose columns are the block's rows in their own order: pivoting in a block moves nothing outside of it, so the
/// permutations of an iterate are those of its own inverse and need not be carried along.
struct JacobiIterate {
  double *u, *weight;  ///< tiles at JacobiView::tile_start
  double *lower;       ///< L, column-major, group_width(rows) entries between columns; before it B
  double *inverse;     ///< L⁻¹ P, column-major, rows entries between columns
  double *d, *e;       ///< [rows] diagonal and subdiagonal of D in pivot order
  double *own, *other; ///< [rows] row i of D⁻¹ x is own[i] x[i] + other[i] x[partner[i]]
  Index *partner;      ///< [rows] place in the block
  std::int32_t *perm;  ///< [rows] row of the block at each place of the pivot order
  PivotCounts *counts; ///< [blocks]
  double *largest;     ///< [blocks] largest magnitude of B
};

/// What the kernels of a Jacobi-LDLᵀ factorization share (thesis Alg. 11).
struct JacobiView {
  IndexView index;
  Index blocks;
  Offset tiles;
  const Index *block_start;    ///< [blocks + 1] first row of each block
  const Index *tile_row;       ///< [tiles] block whose rows are those of the tile as A has it
  const Index *tile_column;    ///< [tiles] block whose rows are its columns
  const Offset *tile_start;    ///< [tiles + 1] where each tile of an iterate begins
  const Offset *lower_start;   ///< [blocks] likewise each L
  const Offset *inverse_start; ///< [blocks + 1] likewise each inverse
  const Offset *panel_start;   ///< [blocks] where the panel of A of each block row begins
  const Index *panel_column;   ///< [tiles] first column of each tile in it
  const std::uint32_t *pairs;  ///< [blocks] matched pairs of rows
  const Offset *common_start;  ///< [tiles + 1] updates of each tile
  const Index *common_first;   ///< tile (k, b) of each update of tile (b, j), by position of k
  const Index *common_second;  ///< tile (k, j)
  double *a;                   ///< panels of A, scaled; leading dimension group_width(rows)
  JacobiIterate old, now;
  bool fresh;                ///< the old iterate is U = 0
  double delta;              ///< pivots below it are replaced
  const double *probe;       ///< [rows x probes] entries +-1
  double *product;           ///< [rows x probes] D U probe
  double *residual;          ///< [rows x probes] work
  double *error, *reference; ///< [blocks] sums of squares of (UᵀDU - A) probe and of A probe
  double *row_sum;           ///< [blocks] largest row sum of |A|

  TESSERA_BOTH Index block_rows(Index b) const { return block_start[b + 1] - block_start[b]; }
  /// The two blocks of a tile in their current order.
  TESSERA_BOTH bool flipped(Offset t) const { return index.before(tile_column[t], tile_row[t]); }
  TESSERA_BOTH Index first(Offset t) const { return flipped(t) ? tile_column[t] : tile_row[t]; }
  TESSERA_BOTH Index second(Offset t) const { return flipped(t) ? tile_row[t] : tile_column[t]; }
};

/// Some columns of a tile, or of the diagonal tile of a block.
struct JacobiItem {
  Offset tile;
  Index begin, end;
};

} // namespace tessera
#endif
