#ifndef TESSERA_FACTOR_FRONT_DEVICE_DEVICE_MEMORY_HPP
#define TESSERA_FACTOR_FRONT_DEVICE_DEVICE_MEMORY_HPP

#include "factor/front/device/device_plan.hpp"

namespace tessera {

/// Places of all contributions, and of the factors of fronts of kind Tiles, in memory that they share, for tiles that
/// are begun in the order of plan.tile_order. A strip that is handed on takes the place of others that have been
/// gathered by then, and that of strips of factors which are begun after it has been gathered, also of the front that
/// gathers it. Factors of tiles follow those of the other fronts, which have their places, in the order in which they
/// are begun. Fills factor_begin and contribution.begin of fronts, plan.strip, gathered_first, factor_numbers,
/// factor_place and memory_numbers.
void place_in_memory(DevicePlan &plan);

} // namespace tessera
#endif
