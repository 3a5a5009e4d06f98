#ifndef TESSERA_ANALYSIS_AUGMENT_SYMMETRIC_HPP
#define TESSERA_ANALYSIS_AUGMENT_SYMMETRIC_HPP

#include "analysis/augment.hpp"

namespace tessera {

/// An assignment of maximum cardinality of a symmetric graph, with equal row and column duals, by shortest augmenting
/// paths (see SymmetricSearch) from two starts that race: `diagonals_first`, and if that takes long, `diagonals_last`,
/// in turns that each double the edges scanned. So the time is within a small factor of the faster one's, whichever
/// that is. Returns the number of matched rows; as for `augment`, only a perfect matching is optimal. The rows matched
/// are the columns matched.
Index augment_symmetric(const CostGraph &graph, Assignment &assignment);

} // namespace tessera
#endif
