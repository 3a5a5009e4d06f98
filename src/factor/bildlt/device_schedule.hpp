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
  Index row; ///< which of the rows in the order of work that is
  Index column_begin, column_end;
  Offset tile_begin, tile_end;
};

/// A part of the updates of a piece, by itself; or, without a position for it and a split, all updates of the piece.
struct PullItem {
  Offset piece;
  Offset part;
  Offset position; ///< of the part among those of the batch, in doubles; -1 if there is none
  Offset split;    ///< whose part it is; -1 of none
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

/// Consecutive levels that are computed in one launch, row by row or pull by pull.
struct LevelRun {
  bool by_rows;
  std::size_t first_batch, last_batch;
  Offset row_begin, row_end;
  Offset pull_begin, pull_end;
  Index columns; ///< of the widest panel
  Offset tiles;  ///< of the row with most of them
};

/// The order of work of a factorization on the device.
struct DeviceSchedule {
  std::vector<DeviceBatch> batches;
  std::vector<Index> rows;        ///< [blocks]
  std::vector<Offset> row_pieces; ///< [blocks + 1] pieces of each of them
  std::vector<PieceItem> pieces;
  std::vector<PullItem> pulls;
  std::vector<SplitPiece> splits;
  std::vector<LevelRun> runs;         ///< in the order of the levels; some are in none
  Index largest_block = 0;            ///< rows
  std::vector<Offset> panel_offset;   ///< [blocks] where a panel begins in the batch's, or in those of a run by pulls
  std::vector<Offset> squares_offset; ///< [blocks] likewise the sums of squares of its tiles
  std::vector<Offset> norm_offset;    ///< [blocks] likewise the norms of its rows
  Offset panel_size = 0, squares_size = 0, norm_size = 0; ///< of the largest batch or run by pulls, in doubles
  Offset parts_size = 0;                                  ///< likewise all parts of updates
};

/// What the order of work depends on beside the structure; not what comes out.
struct ScheduleLimits {
  Offset batch_doubles;  ///< of the panels of a batch, about
  Offset pieces_at_once; ///< that the device computes, about: longer sums than a fair share are cut
  Offset short_level;    ///< pulls of a level at most that shares a launch with others, pull by pull
};

/// Cuts levels into batches, and finds those that share a launch: short ones, and long ones of narrow rows.
DeviceSchedule make_device_schedule(const BlockStructure &structure, const ScheduleLimits &limits);

} // namespace tessera
#endif
