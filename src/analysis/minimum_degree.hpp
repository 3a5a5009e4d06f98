#ifndef TESSERA_ANALYSIS_MINIMUM_DEGREE_HPP
#define TESSERA_ANALYSIS_MINIMUM_DEGREE_HPP

#include "analysis/types.hpp"

namespace tessera {

/// Approximate minimum degree order (Amestoy, Davis & Duff 1996, SuiteSparse) with aggressive absorption and rows of
/// more than 10 sqrt(n) entries put last: perm[new] = old. graph: both triangles, columns ascending; diagonal entries
/// are ignored. Empty when the library runs out of memory.
std::vector<Index> minimum_degree(const Pattern &graph);

} // namespace tessera
#endif
