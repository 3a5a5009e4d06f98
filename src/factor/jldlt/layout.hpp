#ifndef TESSERA_FACTOR_JLDLT_LAYOUT_HPP
#define TESSERA_FACTOR_JLDLT_LAYOUT_HPP

#include "analysis/tiles/block_structure.hpp"
#include "base/bytes.hpp"
#include "factor/jldlt/indexed_blocks.hpp"
#include "factor/jldlt/view.hpp"
#include "factor/width.hpp"

namespace tessera {

/// Some of a list of items: those that groups of class w work on are begin[w] .. end[w] - 1.
struct WidthRanges {
  Offset begin[width_classes], end[width_classes];
};

/// Where the items of a list are that is sorted by the width of the group that works on an item, then by its stage.
struct StageRanges {
  Index stages = 1;
  std::vector<Offset> begin; ///< [classes * stages + 1]

  WidthRanges of(Index first, Index last) const
  {
    WidthRanges r;
    for (int w = 0; w < width_classes; ++w) {
      r.begin[w] = begin[w * stages + first];
      r.end[w] = begin[w * stages + last + 1];
    }
    return r;
  }
  WidthRanges stage(Index s) const { return of(s, s); }
  WidthRanges all() const { return of(0, stages - 1); }
};

template <class T>
struct ByWidth {
  std::vector<T> item;
  StageRanges ranges;
};

/// What of a Jacobi-LDLᵀ factor of a structure does not depend on the order of the blocks; shapes as in JacobiView.
struct JacobiLayout {
  std::vector<Index> tile_row;
  std::vector<Offset> lower_start, inverse_start;
  Offset lowers = 0;     ///< size in doubles
  ByWidth<Index> blocks; ///< in one stage
  Index largest_block = 0;
  std::vector<double> probe; ///< [rows x probes] +-1
  // the rows of A, both triangles
  std::vector<JacobiRow> rows;    ///< in pieces
  std::vector<Offset> row_pieces; ///< [rows + 1] those of each row
  std::vector<Index> row_entry;   ///< which entry of the map of values
  std::vector<Index> row_column;  ///< its column

  explicit JacobiLayout(const BlockStructure &structure);

  /// Frees what only those read who have copied it by now: the probes and the rows of A.
  void forget_rows();
  Offset bytes() const
  {
    return bytes_of_all(tile_row, lower_start, inverse_start, blocks.item, probe, rows, row_pieces, row_entry,
                        row_column);
  }

private:
  void list_rows(const BlockStructure &structure);
};

/// Where the kept columns of a Jacobi-LDLᵀ factor are, and the items of its work, for one order of the blocks; shapes
/// as in JacobiView. The columns kept are those that can become nonzero: U_bj has those of A_bj, and those of U_kj for
/// every k whose tile (k, b) is not empty.
struct JacobiPlan {
  std::vector<std::uint32_t> mask;
  std::vector<Offset> tile_u;
  std::vector<Offset> u_start, column_start;
  std::vector<Index> column_row;
  std::vector<JacobiUpdate> updates;
  std::vector<Index> entry;
  std::vector<std::uint8_t> entry_column, entry_row;
  Index levels = 0;         ///< level sets: blocks that no tile kept couples, all after those they depend on
  std::vector<Index> stage; ///< [blocks] of a sweep that computes the block: its level set modulo the stages
  ByWidth<Index> blocks;
  ByWidth<JacobiPiece> diagonals, pieces;
  ByWidth<JacobiPart> parts;
  ByWidth<JacobiTerms> row_sums, row_parts, column_sums, column_parts; ///< in one stage
  Offset u = 0, part = 0, term = 0;                                    ///< sizes in doubles
  Offset kept = 0;                                                     ///< entries of U above the diagonal tiles

  /// stages: of a sweep, at least 1. max_bytes: throws OverBudget where the plan or the factor would take more; 0: no
  /// limit
  JacobiPlan(const BlockStructure &structure, const JacobiLayout &layout, IndexedBlocks order, Index stages,
             Offset max_bytes = 0);

  /// Memory of the plan where it is in use: of its lists, and of the sums that the items leave.
  Offset bytes() const;
};

/// The structure in the order that push-backs have led to, for solves: all but its map of values. place: [tiles] where
/// each tile is in the new numbering.
BlockStructure reorder_structure(const BlockStructure &structure, const IndexedBlocks &blocks,
                                 std::vector<Offset> &place);

/// Where a factor has what solves read; shapes as in FactorView.
struct PublishedLayout {
  std::vector<Offset> position;        ///< [tiles] values of each tile, in the first numbering
  std::vector<Offset> row_position;    ///< [blocks] values of each block row
  std::vector<Offset> column_position; ///< [blocks] its columns
  std::vector<Offset> inverse_start;   ///< [blocks + 1]
  std::vector<Index> first;            ///< [tiles + blocks]
  std::vector<std::uint8_t> column;    ///< kept columns of all tiles
  Offset values = 0;

  /// moved: [tiles] where each tile is in the numbering of the structure; mask: [tiles] its kept columns
  PublishedLayout(const BlockStructure &structure, const std::vector<Offset> &moved,
                  const std::vector<std::uint32_t> &mask);
};

} // namespace tessera
#endif
