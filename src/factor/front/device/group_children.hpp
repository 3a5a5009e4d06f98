#ifndef TESSERA_FACTOR_FRONT_DEVICE_GROUP_CHILDREN_HPP
#define TESSERA_FACTOR_FRONT_DEVICE_GROUP_CHILDREN_HPP

#include "factor/front/device/front_kinds.hpp"

#include <optional>

namespace tessera {

/// Children that a front of kind Warp or Block may have on a device, and a tile of other fronts: these add up what they
/// hand on one after the other, which takes about 0.2 µs a child, a tile 2, and a front more on the way about 4 µs. Of
/// more children groups are made.
constexpr Index most_children = 32;

/// Children of a group: levels of groups times what a group takes is least at 8 to 16.
constexpr Index sum_children = 16;

/// A tree with fronts that have no own columns, and only add up what others hand to them.
struct GroupedTree {
  AssemblyTree tree;
  std::vector<Index> origin; ///< [fronts] of the tree that was given; -1: a front that only adds up
};

/// Puts fronts that only add up between the fronts of a tree that have very many children and these. They are of kind
/// Warp or Block, come right before the front that they add up for, and have the rows of their children. Nothing where
/// no front has so many. block_rows: as in kind_by_rows().
///
/// Children with like rows are in one group, so that the sums are small. A front that is summed up by tiles takes more
/// children, for a tile gathers only what falls into it.
std::optional<GroupedTree> group_children(const AssemblyTree &tree, Index block_rows);

} // namespace tessera
#endif
