#ifndef TESSERA_ANALYSIS_ORDERING_ORDERING_KOKKOS_HPP
#define TESSERA_ANALYSIS_ORDERING_ORDERING_KOKKOS_HPP

#include "base/types.hpp"

namespace tessera {

/// Reverse Cuthill-McKee order of a symmetric graph without diagonal, perm[new] = old; empty without Kokkos.
std::vector<Index> rcm(const Pattern &graph);

/// Greedy distance-1 coloring of a symmetric graph: color of each vertex, from 0; empty without Kokkos.
std::vector<Index> greedy_coloring(const Pattern &graph);

} // namespace tessera
#endif
