#ifndef TESSERA_ANALYSIS_MATCHING_AUGMENT_SYMMETRIC_HPP
#define TESSERA_ANALYSIS_MATCHING_AUGMENT_SYMMETRIC_HPP

#include "analysis/matching/augment.hpp"

namespace tessera {

/// How many edges the searches of a symmetric matching may scan, in multiples of the graph's edges. All together take
/// no longer than nested dissection of a large graph.
struct MatchingEffort {
  Offset first = 4;           ///< from the first start; most matrices take fewer
  Offset second = 12;         ///< from the second one,
  Offset at_least = 10000000; ///< but so many edges in any case: some tenths of a second
  Offset more = 8;            ///< from the first again
};

/// What a symmetric matching came to.
struct MatchingOutcome {
  Index cardinality = 0;    ///< matched rows
  Offset edges_scanned = 0; ///< by the searches of both starts
  Cost excess = 0;          ///< sum of the reduced costs of matched edges: the cost is this far from the least at most
};

/// An assignment of maximum cardinality of a symmetric graph, with equal row and column duals, by shortest augmenting
/// paths (see SymmetricSearch). They start from `diagonals_first`, and where that takes long, anew from
/// `diagonals_last`; on most matrices one of the two is fast. Where both take too long, the rows that the first left
/// free are matched by searches that stop early, and the matching is no longer optimal: `excess` bounds by how much
/// (weak duality). The rows matched are the columns matched, and optimality is among them; the duals of unmatched rows
/// mean nothing, those of matched ones have no negative reduced cost.
MatchingOutcome augment_symmetric(const CostGraph &graph, Assignment &assignment, const MatchingEffort &effort = {});

} // namespace tessera
#endif
