#ifndef TESSERA_FACTOR_JACOBI_LAYOUT_HPP
#define TESSERA_FACTOR_JACOBI_LAYOUT_HPP

#include "analysis/block_structure.hpp"
#include "factor/indexed_blocks.hpp"
#include "factor/jacobi_view.hpp"

namespace tessera {

constexpr int width_classes_of_jacobi = 4; ///< groups of 4, 8, 16 and 32 lanes

/// Items sorted by the width of the group that works on them: those of class w are begin[w] .. begin[w + 1] - 1.
template <class T>
struct ByWidth {
  std::vector<T> item;
  Offset begin[width_classes_of_jacobi + 1];
};

/// Where everything of a Jacobi-LDLᵀ factor of a structure is, and the items of work. Nothing in it depends on the
/// order of the blocks; shapes as in JacobiView.
struct JacobiLayout {
  std::vector<Index> tile_row;
  std::vector<Offset> tile_start, lower_start, inverse_start, panel_start;
  Offset panels = 0, lowers = 0; ///< sizes in doubles
  ByWidth<Index> blocks;         ///< by their rows
  ByWidth<JacobiItem> diagonals; ///< columns of diagonal tiles
  ByWidth<JacobiItem> tiles;     ///< columns of tiles, by the larger of their two blocks
  std::vector<double> probe;     ///< [rows x probes] +-1

  /// columns_per_item: of a tile; a multiple of what kernels compute together.
  JacobiLayout(const BlockStructure &structure, Index columns_per_item);
};

/// The structure in the order that push-backs have led to, for solves: all but its map of values. place: [tiles] where
/// each tile is in the new numbering.
BlockStructure reorder_structure(const BlockStructure &structure, const IndexedBlocks &blocks,
                                 std::vector<Offset> &place);

/// Where a factor without dropped columns has what solves read; shapes as in FactorView.
struct PublishedLayout {
  std::vector<Offset> place;         ///< [tiles] values of each tile, in the first numbering
  std::vector<Offset> row_place;     ///< [blocks] values of each block row
  std::vector<Offset> column_place;  ///< [blocks] its columns
  std::vector<Offset> inverse_start; ///< [blocks + 1]
  std::vector<Index> first;          ///< [tiles + blocks]
  std::vector<std::uint8_t> column;  ///< all columns of all tiles

  /// moved: [tiles] where each tile is in the numbering of the structure
  PublishedLayout(const BlockStructure &structure, const std::vector<Offset> &moved);
};

} // namespace tessera
#endif
