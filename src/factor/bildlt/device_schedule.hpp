#ifndef TESSERA_FACTOR_BILDLT_DEVICE_SCHEDULE_HPP
#define TESSERA_FACTOR_BILDLT_DEVICE_SCHEDULE_HPP

#include "analysis/tiles/block_structure.hpp"
#include "factor/width.hpp"

// The order of work of a factorization on a GPU. The host makes it, from the structure alone.

namespace tessera {

constexpr Index piece_columns_on_device = 32; ///< a piece and its updates fit a warp's share of shared memory

/// A piece of a panel: consecutive tiles of a block row, its diagonal tile by itself.
struct PieceItem {
  Index block;
  Index column_begin, column_end;
  Offset tile_begin, tile_end;
};

/// A part of the updates of a piece, by itself; or, without a position for it, all updates of the piece.
struct PullItem {
  Offset piece;
  Offset part;
  Offset position; ///< of the part among those of the batch, in doubles; -1 if there is none
};

/// A piece whose updates are pulled in parts at the same time.
struct SplitPiece {
  Offset piece;
  Offset parts;
  Offset position; ///< of the first part; the others follow
};

/// Block rows of one level whose panels are in memory at the same time, sorted by the width of their group: those of
/// width class w are row_begin[w] .. row_begin[w + 1] - 1, and their pieces and what pulls their updates likewise. The
/// pulls of diagonal tiles come first, up to diagonal_pull_end[w], and so do their splits.
struct DeviceBatch {
  Offset row_begin[width_classes + 1];
  Offset piece_begin[width_classes + 1];
  Offset pull_begin[width_classes + 1];
  Offset split_begin[width_classes + 1];
  Offset diagonal_pull_end[width_classes];
  Offset diagonal_split_end[width_classes];
};

/// Consecutive levels of narrow rows, which are computed row by row in one launch.
struct RowRun {
  std::size_t first_batch, last_batch;
  Offset row_begin, row_end;
  Index columns = 0; ///< of the widest panel
  Offset tiles = 0;  ///< of the row with most of them
};

/// The order of work of a factorization on the device.
struct DeviceSchedule {
  std::vector<DeviceBatch> batches;
  std::vector<Index> rows;        ///< [blocks]
  std::vector<Offset> row_pieces; ///< [blocks + 1] pieces of each of them
  std::vector<PieceItem> pieces;
  std::vector<PullItem> pulls;
  std::vector<SplitPiece> splits;
  std::vector<RowRun> runs;
  Index largest_block = 0;                                ///< rows
  std::vector<Offset> panel_offset;                       ///< [blocks] where a panel begins in the batch's
  std::vector<Offset> squares_offset;                     ///< [blocks] likewise the sums of squares of its tiles
  std::vector<Offset> norm_offset;                        ///< [blocks] likewise the norms of its rows
  Offset panel_size = 0, squares_size = 0, norm_size = 0; ///< of the largest batch, in doubles
  Offset parts_size = 0;                                  ///< likewise all parts of updates
};

/// Cuts levels into batches of panels of at most about batch_doubles. pieces_at_once: that the device computes, about;
/// it decides which sums are shared by thread blocks, and not what they come to.
DeviceSchedule make_device_schedule(const BlockStructure &structure, Offset batch_doubles, Offset pieces_at_once);

} // namespace tessera
#endif
