#ifndef TESSERA_ANALYSIS_SYMBOLIC_MERGE_LEAVES_HPP
#define TESSERA_ANALYSIS_SYMBOLIC_MERGE_LEAVES_HPP

#include "analysis/symbolic/supernodes.hpp"
#include "base/types.hpp"

#include <functional>
#include <vector>

namespace tessera {

/// Rows of a front: its own columns, and all.
struct FrontShape {
  Index columns = 0, rows = 0;
};

/// Bounds for merge_leaves() on a CUDA device, which takes as long for a front or a tile of one column as for a few
/// more, and for each child of a front.
constexpr FrontShape device_leaf = {16, 32};

/// Wider fronts that leaves may be merged into, where their parent is a large front with many of them. Then adding them
/// up, one after the other, may take longer than all else.
struct WideLeaves {
  Index least_rows = 0, least_leaves = 0; ///< of the parent
  std::vector<FrontShape> bounds;         ///< to be tried, too
  /// What is added up without such fronts, see group_children(), which only add up; rows and children of these.
  Index most_added = 0, sum_rows = 0, sum_children = 0;
  /// What fronts cost that have the same parent, which adds up so many sums of them.
  std::function<double(const std::vector<FrontShape> &fronts, Index sums)> cost;
};

/// Merges supernodes without children that have the same parent, those of like structure first, while they come to at
/// most `most.columns` rows of their own, and to `most.rows` with those below: one front in place of many that hand on
/// next to nothing, as the variables of a linear program with few constraints are. The order stays one that gives no
/// more fill but for the zeros in these fronts. graph: that of the supernodes, with weight[i] rows of vertex i. roots:
/// also supernodes that are trees by themselves. wide: where other bounds cost less, these are taken.
Supernodes merge_leaves(const Supernodes &supernodes, const Pattern &graph, const std::vector<Index> &weight,
                        FrontShape most, bool roots, const WideLeaves &wide = {});

} // namespace tessera
#endif
