#ifndef TESSERA_ANALYSIS_SYMBOLIC_MERGE_LEAVES_HPP
#define TESSERA_ANALYSIS_SYMBOLIC_MERGE_LEAVES_HPP

#include "analysis/symbolic/supernodes.hpp"
#include "base/types.hpp"

namespace tessera {

/// Bounds for merge_leaves() on a CUDA device, which takes as long for a front or a tile of one column as for a few
/// more, and for each child of a front.
constexpr Index device_leaf_columns = 16, device_leaf_rows = 32;

/// Merges supernodes without children that have the same parent, those of like structure first, while they come to at
/// most `columns` rows of their own, and to `rows` with those below: one front in place of many that hand on next to
/// nothing, as the variables of a linear program with few constraints are. The order stays one that gives no more fill
/// but for the zeros in these fronts. graph: that of the supernodes, with weight[i] rows of vertex i. roots: also
/// supernodes that are trees by themselves.
Supernodes merge_leaves(const Supernodes &supernodes, const Pattern &graph, const std::vector<Index> &weight,
                        Index columns, Index rows, bool roots);

} // namespace tessera
#endif
