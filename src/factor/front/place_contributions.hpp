#ifndef TESSERA_FACTOR_FRONT_PLACE_CONTRIBUTIONS_HPP
#define TESSERA_FACTOR_FRONT_PLACE_CONTRIBUTIONS_HPP

#include "factor/front/device/device_plan.hpp"

namespace tessera {

/// Places of the contributions of fronts of kind Tiles, after those of the others, for tiles that are begun in the
/// order of plan.tile_order: a contribution takes the place of others that have been gathered by then. Fills
/// contribution.begin and gathered_begin, gathered_end of these fronts, plan.gathered_first and
/// plan.contribution_numbers.
void place_contributions(DevicePlan &plan);

} // namespace tessera
#endif
