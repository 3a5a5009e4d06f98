#ifndef TESSERA_FACTOR_BILDLT_SCHEDULE_HPP
#define TESSERA_FACTOR_BILDLT_SCHEDULE_HPP

#include "analysis/symbolic/forest_cut.hpp"
#include "analysis/tiles/block_structure.hpp"
#include "base/bytes.hpp"
#include "factor/bildlt/views.hpp"

namespace tessera {

/// Block rows in batches whose panels are in memory at the same time.
struct RowBatches {
  std::vector<Index> row;     ///< [rows]
  std::vector<Index> start;   ///< [batches + 1] where each begins in `row`
  std::vector<Offset> offset; ///< [rows] where the memory of each row begins in its batch's, in doubles
  Offset most_doubles = 0;    ///< that a batch takes

  Index batches() const { return static_cast<Index>(start.size()) - 1; }
  Offset bytes() const { return bytes_of_all(row, start, offset); }
};

/// The work of a factorization, cut to be shared. It depends on the structure only, not on the number of threads.
struct Schedule {
  std::vector<Offset> piece_start; ///< [blocks + 1] pieces of each block row
  std::vector<Offset> piece_tile;  ///< [pieces] first tile; it ends where the next piece or the row does
  std::vector<Index> piece_column; ///< [pieces] first panel column
  ForestCut forest;                ///< block rows of more than one piece above the subtrees are segments of their own
  RowBatches split;                ///< those rows, in the order of their segments; batches of one level of segments
  RowBatches levels;               ///< all block rows by level sets; batches of one level
  double work;                     ///< rough count of the floating-point operations of all rows
  Offset most_doubles = 0;         ///< that a block row takes

  Index pieces(Index b) const { return static_cast<Index>(piece_start[b + 1] - piece_start[b]); }
  Offset bytes() const
  {
    return bytes_of_all(piece_start, piece_tile, piece_column) + forest.bytes() + split.bytes() + levels.bytes();
  }
};

/// Memory of a block row while it is computed, in doubles: its panel, the squares of the rows of each tile, the count
/// of kept columns of each piece, the scores of its columns. A multiple of a cache line.
constexpr Offset row_doubles(Index rows, Index panel_width, Index pieces, Offset tiles)
{
  const Offset doubles = (panel_width + tiles) * group_width(rows) + pieces + (panel_width + 1) / 2;
  return (doubles + 7) / 8 * 8;
}

/// Cuts the panels into pieces of about piece_columns columns, the forest into subtrees, and rows that are shared into
/// batches of about batch_doubles.
Schedule make_schedule(const BlockStructure &structure, Index piece_columns, Offset batch_doubles);

} // namespace tessera
#endif
