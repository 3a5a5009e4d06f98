#ifndef TESSERA_ANALYSIS_ORDERING_ORDERING_HPP
#define TESSERA_ANALYSIS_ORDERING_ORDERING_HPP

#include "analysis/symbolic/symbolic.hpp"

namespace tessera {

enum class Ordering {
  Automatic, ///< AMD, and ND as well where AMD's factor is so large that ND may pay: the one with fewer operations.
             ///< Large meshes: ND alone, with large parts left to AMD where that is good enough
  Natural,   ///< as given
  AMD,       ///< approximate minimum degree (Amestoy, Davis & Duff 1996), by SuiteSparse
  ND,        ///< nested dissection by multilevel separators, in parallel: least fill on large grids and meshes
  METIS,     ///< METIS_NodeND (Karypis & Kumar 1998): serial
  RCM,       ///< reverse Cuthill-McKee, by Kokkos Kernels: small bandwidth
  Color      ///< greedy multicoloring, by Kokkos Kernels: few level sets at level of fill 0
};

/// What a level of the elimination tree costs by itself, when the tree is cut into blocks.
struct LevelCost {
  double flops = 0;      ///< operations that take as long as a level, which no other work hides
  Index block_rows = 32; ///< rows of a block at most
  Index least_rows = 8;  ///< blocks with fewer are merged with the next
};

/// Ordering of a symmetric graph: perm[new] = old.
///
/// graph: both triangles stored; diagonal entries are ignored. weight[i]: rows that vertex i stands for; only ND and
/// METIS look at it. With a cost of levels Automatic prefers a shallow tree. The same input gives the same perm in
/// every run and for every number of threads (METIS: while no other thread of the program calls rand()). An empty
/// result for a graph with vertices means that the library asked for could not order it (out of memory, or too many
/// entries for METIS).
std::vector<Index> order(const Pattern &graph, const std::vector<Index> &weight, Ordering ordering,
                         const LevelCost &level = {});

/// Orders the graph and counts its complete factor: elimination tree, column counts, flops. Empty for a graph with
/// vertices where order() is.
Symbolic order_and_count(const Pattern &graph, const std::vector<Index> &weight, Ordering ordering,
                         const LevelCost &level = {});

} // namespace tessera
#endif
