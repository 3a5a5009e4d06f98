#ifndef TESSERA_FACTOR_FRONT_DEVICE_TILE_MEMORY_HPP
#define TESSERA_FACTOR_FRONT_DEVICE_TILE_MEMORY_HPP

#include "factor/front/device/device_plan.hpp"

namespace tessera {

/// Places of the factors and of the contributions of fronts of kind Tiles, in memory that they share, for tiles that
/// are begun in the order of plan.tile_order. A contribution takes the place of others that have been gathered by then,
/// and that of factors which are begun after it has been gathered. Factors follow those of the other fronts, in the
/// order in which they are begun. Fills factor_begin, contribution.begin, before_factor and before_handing_on of these
/// fronts, and plan.gathered_first, factor_numbers and memory_numbers; factor_place has to be known.
void place_tile_memory(DevicePlan &plan);

} // namespace tessera
#endif
