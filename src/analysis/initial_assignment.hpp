#ifndef TESSERA_ANALYSIS_INITIAL_ASSIGNMENT_HPP
#define TESSERA_ANALYSIS_INITIAL_ASSIGNMENT_HPP

#include "analysis/augment.hpp"

namespace tessera {

/// Feasible duals from row, column and again row minima, and tight edges matched greedily with a lookahead of one
/// exchange (Duff & Koster 2001, section 4). Linear in the edges.
Assignment initial_assignment(const CostGraph &graph);

/// The same for a symmetric matrix: row duals equal column duals, and the matching is its own inverse, so it is a
/// matching of the graph of tight edges and loops (Karp & Sipser 1981: forced vertices first). Rows with a tight
/// diagonal can always be matched to themselves; the others choose before them. Linear in the edges.
Assignment initial_symmetric_assignment(const CostGraph &graph);

} // namespace tessera
#endif
