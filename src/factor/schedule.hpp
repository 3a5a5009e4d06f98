#ifndef TESSERA_FACTOR_SCHEDULE_HPP
#define TESSERA_FACTOR_SCHEDULE_HPP

#include "factor/forest_cut.hpp"
#include "factor/views.hpp"

namespace tessera {

/// Block rows in groups whose panels are in memory at the same time.
struct RowGroups {
  std::vector<Index> row;     ///< [rows]
  std::vector<Index> start;   ///< [groups + 1] where each begins in `row`
  std::vector<Offset> offset; ///< [rows] where the memory of each row begins in its group's, in doubles
  Offset most_doubles = 0;    ///< that a group takes

  Index groups() const { return static_cast<Index>(start.size()) - 1; }
};

/// The work of a factorization, cut to be shared. It depends on the structure only, not on the number of threads.
struct Schedule {
  std::vector<Offset> piece_start; ///< [blocks + 1] pieces of each block row
  std::vector<Offset> piece_tile;  ///< [pieces] first tile; it ends where the next piece or the row does
  std::vector<Index> piece_column; ///< [pieces] first panel column
  ForestCut forest;                ///< block rows of more than one piece above the subtrees are segments of their own
  RowGroups split;                 ///< those rows, in the order of their segments; groups of one level of segments
  RowGroups levels;                ///< all block rows by level sets; groups of one level
  double work;                     ///< rough count of the floating-point operations of all rows
  Offset most_doubles = 0;         ///< that a block row takes

  Index pieces(Index b) const { return static_cast<Index>(piece_start[b + 1] - piece_start[b]); }
};

/// Memory of a block row while it is computed, in doubles: its panel, the squares of the rows of each tile, the count
/// of kept columns of each piece, the scores of its columns. A multiple of a cache line.
constexpr Offset row_doubles(Index rows, Index panel_width, Index pieces, Offset tiles)
{
  const Offset doubles = (panel_width + tiles) * group_width(rows) + pieces + (panel_width + 1) / 2;
  return (doubles + 7) / 8 * 8;
}

/// Cuts the panels into pieces of about piece_columns columns, the forest into subtrees, and rows that are shared into
/// groups of about group_doubles.
Schedule make_schedule(const BlockStructure &structure, Index piece_columns, Offset group_doubles);

} // namespace tessera
#endif
