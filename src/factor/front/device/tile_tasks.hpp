#ifndef TESSERA_FACTOR_FRONT_DEVICE_TILE_TASKS_HPP
#define TESSERA_FACTOR_FRONT_DEVICE_TILE_TASKS_HPP

#include "factor/front/device/device_plan.hpp"

namespace tessera {

/// Fills plan.tile_order with the tiles of all fronts of kind Tiles, in an order in which each comes after those that
/// it waits for, and long chains come first: by the time from the begin of a tile to the end of all on a machine with a
/// processor for every tile. Fills plan.piece with the pieces that they gather, and places the
/// contributions of these fronts. The rest of the plan is complete. entry_tile[p]: tile that entry p of A falls into,
/// ascending in each front.
void order_tiles(DevicePlan &plan, const Buffer<Offset> &entry_tile);

} // namespace tessera
#endif
