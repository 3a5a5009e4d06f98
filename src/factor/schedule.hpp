#ifndef TESSERA_FACTOR_SCHEDULE_HPP
#define TESSERA_FACTOR_SCHEDULE_HPP

#include "analysis/block_structure.hpp"

namespace tessera {

/// Consecutive block rows of one level whose panels are in memory at the same time.
struct Batch {
  Index row_begin, row_end; ///< positions in the order of the level sets
  Offset piece_begin, piece_end;
  Offset panel_size; ///< doubles that its panels take
  bool split;        ///< some block row has more than one piece
  bool small;        ///< too little work to share
};

/// The order of work of a factorization. It depends on the structure only, never on the number of threads, because the
/// sums of squares in a row follow the pieces.
struct Schedule {
  std::vector<Batch> batches;
  std::vector<Offset> piece_start;  ///< [blocks + 1] pieces of each row, in the order of the level sets
  std::vector<Index> piece_block;   ///< [pieces]
  std::vector<Offset> piece_tile;   ///< [pieces] first tile; it ends where the next piece or the row does
  std::vector<Index> piece_column;  ///< [pieces] first panel column
  std::vector<Offset> panel_offset; ///< [blocks] where the panel of a block row begins in its batch
};

/// Lanes of the group that works on a block of so many rows: the smallest of 4, 8, 16, 32 that holds them.
constexpr int group_width(Index rows)
{
  return rows <= 4 ? 4 : rows <= 8 ? 8 : rows <= 16 ? 16 : 32;
}

/// Cuts the panels into pieces of about piece_columns columns and the levels into batches of panels of about
/// batch_doubles. small_work: floating-point operations below which a batch is `small`.
Schedule make_schedule(const BlockStructure &structure, Index piece_columns, Offset batch_doubles, double small_work);

} // namespace tessera
#endif
