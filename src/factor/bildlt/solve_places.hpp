#ifndef TESSERA_FACTOR_BILDLT_SOLVE_PLACES_HPP
#define TESSERA_FACTOR_BILDLT_SOLVE_PLACES_HPP

#include "analysis/tiles/block_structure.hpp"
#include "factor/bildlt/views.hpp"

// The order of work of a solve on a GPU. The host makes it, from the structure alone.

namespace tessera {

constexpr int solve_threads = 128;                ///< of a thread block of a sweep
constexpr int ticket_places = solve_threads / 32; ///< places that it takes at a time, with one ticket

/// What a place in the order of a sweep stands for.
enum class Work : std::uint8_t {
  light,  ///< a block that a warp computes, or nothing
  bundle, ///< blocks that a warp computes, a lane a row
  shared, ///< blocks that share a warp, eight lanes each
  whole,  ///< a block that a thread block computes: all, or what its parts leave
  part    ///< some of the sum of such a block
};

/// Cuts the sum of a block row that one thread block would take long to add up. Others add up parts of `size` items
/// each, from the first on; what is left, between half a part and one and a half, is the row's own, because it becomes
/// known last. The cut depends on nothing but the number of items, so that results repeat bit by bit.
struct Parts {
  Index size;

  /// Of the kept tiles of a block column, in the forward sweep. W: group_width of its rows. Each group of lanes takes 8
  /// tiles of a part; there are half as many groups where two warps share a tile.
  TESSERA_BOTH static constexpr Parts of_tiles(int W) { return {(W <= 16 ? 8 : 4) * solve_threads / W}; }
  /// Of the kept columns of a block row, in the backward sweep.
  TESSERA_BOTH static constexpr Parts of_columns(int W) { return {32 * solve_threads / W}; }

  TESSERA_BOTH constexpr Index count(Index items) const { return items > size / 2 ? (items - size / 2) / size : 0; }
};

constexpr Index small_rows = 8; ///< of blocks that may share a warp
constexpr Index blocks_in_warp = 32 / small_rows;

constexpr Index no_item = -1, no_part = -1;

/// A place in the order of a sweep.
struct SolvePlace {
  Index item; ///< a block; of bundles and shared warps: which one; no_item: there to fill up a ticket
  Index part; ///< which part of the block's sum, or no_part
  Index sums; ///< where the sums of the block's parts begin, or where that of the part does
  Work work;
};

/// Blocks of one level that share a warp, or no_item.
struct SharedWarp {
  Index block[blocks_in_warp] = {no_item, no_item, no_item, no_item};
};

/// The order in which a sweep hands out its work, by tickets for thread blocks, ticket_places places each. They are
/// one block or part of a block, all alike, or light blocks or bundles of one level. Parts of a sum come before their
/// block: as many as there can be if every tile keeps all columns.
struct SolvePlaces {
  std::vector<SolvePlace> place;
  std::vector<SharedWarp> shared;
  Index sums = 0; ///< numbers that the sums of all parts are
};

/// Small blocks of one level with few tiles, whose rows lie together in the solution.
struct Bundle {
  Index row;     ///< first row in the solution
  Index rows;    ///< 32 at most
  Index inverse; ///< entries of the diagonal tiles of bundles before it
};

/// Both sweeps of a structure.
struct SolveOrder {
  bool in_bundles;         ///< small blocks with few tiles are in bundles
  SolvePlaces forward;     ///< levels ascending
  SolvePlaces backward;    ///< levels descending
  std::vector<Index> row;  ///< [blocks] first row of each in the solution, where those of a level lie together
  std::vector<Index> perm; ///< [rows] caller's row of each row of the solution
  std::vector<Bundle> bundles;
  Index inverse_entries = 0; ///< of the diagonal tiles of all bundles
};

SolveOrder make_solve_order(const BlockStructure &structure);

} // namespace tessera
#endif
