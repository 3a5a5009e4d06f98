#ifndef TESSERA_ANALYSIS_ORDERING_METIS_ORDERING_HPP
#define TESSERA_ANALYSIS_ORDERING_METIS_ORDERING_HPP

#include "base/types.hpp"

namespace tessera {

/// METIS_NodeND with its default options: perm[new] = old. graph: both triangles, no diagonal, less than 2^31 entries;
/// empty beyond that or when the library fails. Serial; METIS draws from the C library's rand(), so that the result
/// is reproducible only while no other thread does.
std::vector<Index> metis_ordering(const Pattern &graph, const std::vector<Index> &weight);

} // namespace tessera
#endif
