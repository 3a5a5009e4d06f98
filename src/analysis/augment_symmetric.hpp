#ifndef TESSERA_ANALYSIS_AUGMENT_SYMMETRIC_HPP
#define TESSERA_ANALYSIS_AUGMENT_SYMMETRIC_HPP

#include "analysis/augment.hpp"

namespace tessera {

/// An assignment of maximum cardinality of a symmetric graph, with equal row and column duals, by shortest augmenting
/// paths (see SymmetricSearch) from two starts that race: `diagonals_first`, and if that takes long, `diagonals_last`,
/// in turns that each double the edges scanned. So the time is within a small factor of the faster one's. Returns the
/// number of matched rows. These are the columns matched, and the matching is optimal among them; the duals of unmatched
/// rows mean nothing. `edges_scanned`, if given, gets the number of edges looked at by the searches of both.
Index augment_symmetric(const CostGraph &graph, Assignment &assignment, Offset *edges_scanned = nullptr);

} // namespace tessera
#endif
