#ifndef TESSERA_ANALYSIS_ORDERING_MINIMUM_DEGREE_HPP
#define TESSERA_ANALYSIS_ORDERING_MINIMUM_DEGREE_HPP

#include "base/types.hpp"

namespace tessera {

/// Approximate minimum degree order (Amestoy, Davis & Duff 1996, SuiteSparse) with aggressive absorption and dense
/// rows (dense_degree()) put last: perm[new] = old. graph: both triangles, columns ascending; diagonal entries
/// are ignored. Empty when the library runs out of memory.
std::vector<Index> minimum_degree(const Pattern &graph);

/// As minimum_degree(), but the vertices from `interior` on are not ordered: they are the surroundings of the others
/// and count in their degrees as they would in the whole graph (halo AMD, Pellegrini, Roman & Amestoy 2000). Edges
/// between interior and surroundings may be stored from one side only. Empty also beyond 2^31 - 1 entries.
std::vector<Index> minimum_degree_with_halo(const Pattern &graph, Index interior);

} // namespace tessera
#endif
