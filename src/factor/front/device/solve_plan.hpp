#ifndef TESSERA_FACTOR_FRONT_DEVICE_SOLVE_PLAN_HPP
#define TESSERA_FACTOR_FRONT_DEVICE_SOLVE_PLAN_HPP

#include "factor/front/device/device_plan.hpp"

#include <cstdint>
#include <vector>

namespace tessera {

/// Who does an item of a sweep, and what it is.
enum class SolveWork : std::uint8_t {
  None,  ///< fills up a ticket
  Warp,  ///< a front of kind Warp, by a warp
  Block, ///< a front of kind Block, by a thread block
  Tile,  ///< forward a row of tiles of a front of kind Tiles, backward a panel of it; by a thread block
  Part   ///< backward: a share of the rows below such a panel, by a thread block
};

/// What a warp or a thread block does at a time. 64 bytes, which are read at once.
struct alignas(16) SolveItem {
  Offset factor = 0;      ///< where the front's begins
  Offset below_begin = 0; ///< of the front, in DevicePlan::below_row; what it hands on lies in the same places
  Offset place_begin = 0; ///< forward: of the front's first row in SolvePlan::source_begin
  Index first = 0, columns = 0, below = 0, sign_begin = 0; ///< as in DeviceFront
  Index tile = 0;                                          ///< forward the row of tiles, backward the panel
  Index tile_begin = 0; ///< backward: first row of tiles below the own ones that this item adds up
  Index tile_end = 0;   ///< backward: one after the last
  Index sums = 0;       ///< backward: first sum of a Part; of a Tile, that of its first part
  Index parts = 0;      ///< backward: of a Tile
  SolveWork work = SolveWork::None;
};
static_assert(sizeof(SolveItem) == 64);

/// Threads of a thread block of the substitutions, and items that a ticket has: one for each of its warps.
constexpr int front_solve_threads = 256, front_solve_places = front_solve_threads / 32;

/// The substitutions with the fronts of a DevicePlan, level by level. Of a level thread blocks take tickets in
/// ascending order; what an item waits for has a smaller ticket or the same one. Front by front: a front adds up what
/// its children hand to it, each sum in the order of the children, and hands on what it has for the rows below its own.
/// A front without own columns has no part in the backward sweep.
struct SolvePlan {
  std::vector<SolveItem> forward,
      backward; ///< [tickets * front_solve_places]; the same in all places of a thread block
  std::vector<Offset> forward_begin, backward_begin; ///< [levels + 1] its items

  /// To place i of a front, children hand what lies at source[source_begin[i]] .. source[source_begin[i + 1] - 1].
  /// Places as in DevicePlan::to_parent.
  std::vector<std::uint32_t> source_begin, source;

  std::vector<std::uint32_t> sign; ///< [rows] bit of each row's pivot in the words of signs: 32 of them a word

  Index sums = 0;            ///< of parts
  Index most_block_rows = 0; ///< of a front of kind Block
};

/// level: [fronts] from 0 on, the same in a tree; empty: one for all. Throws std::bad_alloc for a factor of which 32
/// bits do not count the rows below fronts.
SolvePlan make_solve_plan(const DevicePlan &plan, const std::vector<Index> &level = {});

} // namespace tessera
#endif
