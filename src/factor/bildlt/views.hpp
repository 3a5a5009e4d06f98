#ifndef TESSERA_FACTOR_BILDLT_VIEWS_HPP
#define TESSERA_FACTOR_BILDLT_VIEWS_HPP

#include "base/portable.hpp"
#include "base/types.hpp"
#include "factor/width.hpp"

namespace tessera {

/// Where more block rows k than this update a block row, each so many consecutive ones are a part: their updates are
/// summed by themselves, from zero, and the sums of the parts then added one after the other to the entries of A.
constexpr Offset update_part = 32;

TESSERA_BOTH constexpr Offset count_parts(Offset updates)
{
  return updates <= update_part ? 1 : (updates + update_part - 1) / update_part;
}

/// The block structure as plain pointers, which a kernel takes by value. Shapes as in BlockStructure.
struct StructureView {
  const Index *block_start;
  const Offset *tile_start;   ///< [blocks + 1] tiles of each block row
  const Index *tile_column;   ///< [tiles] block column
  const Offset *column_start; ///< [blocks + 1] tiles of each block column
  const Index *column_block;  ///< [tiles] block row, ascending in each block column
  const Offset *column_tile;  ///< [tiles] which tile
  const Index *panel_column;  ///< [tiles]
  const Index *panel_width;   ///< [blocks]

  TESSERA_BOTH Index block_rows(Index b) const { return block_start[b + 1] - block_start[b]; }
};

/// The values of A and where they go, as plain pointers. Shapes as in ValueMap.
struct ValuesView {
  const double *a; ///< the caller's values
  const Offset *start;
  const Offset *source;
  const Index *column;
  const std::uint8_t *row;
  const double *scale;
};

/// A block factor UᵀDU as plain pointers; T is the precision the tiles are stored in.
///
/// The diagonal tile of block b is factored as P C Pᵀ = L D Lᵀ and U_bb = (Pᵀ L)ᵀ. What is kept of it is the inverse
/// L⁻¹ P, whose rows are pivots and whose columns are the block's rows in their own order, so that pivoting in a block
/// moves nothing outside of it. A tile above the diagonal keeps its nonzero columns only.
template <class T>
struct FactorView {
  double *inverse;             ///< L⁻¹ P of each block, column-major
  const Offset *inverse_start; ///< [blocks + 1] where each block's begins
  double *d;                   ///< [rows] diagonal of D, in pivot order inside each block
  double *e;                   ///< [rows] subdiagonal of D: e[i] != 0 makes rows i, i + 1 a 2x2 pivot
  Index *first;                ///< [tiles + blocks] first[t + b]: kept columns of block row b before its tile t;
                               ///< first[tile_start[b + 1] + b]: kept columns of the whole block row
  T **value;                   ///< [blocks] the kept columns of each block row, one after the other
  std::uint8_t **column;       ///< [blocks] which column of its tile each kept column is

  /// Kept columns of block row b.
  TESSERA_BOTH Index kept(const StructureView &s, Index b) const { return first[s.tile_start[b + 1] + b]; }
};

/// Consecutive tiles of one block row: the part of its panel that one group works on at a time. The first piece of a
/// block row holds its diagonal tile too.
struct PanelPiece {
  Index block;
  Offset tile_begin, tile_end;
  Index column_begin, column_end; ///< panel columns
  double *panel;                  ///< column 0 of the whole panel; leading dimension W of the group
};

} // namespace tessera
#endif
