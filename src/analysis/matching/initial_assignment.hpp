#ifndef TESSERA_ANALYSIS_MATCHING_INITIAL_ASSIGNMENT_HPP
#define TESSERA_ANALYSIS_MATCHING_INITIAL_ASSIGNMENT_HPP

#include "analysis/matching/augment.hpp"

namespace tessera {

/// Feasible duals from row, column and again row minima, and tight edges matched greedily with a lookahead of one
/// exchange (Duff & Koster 2001, section 4). Linear in the edges.
Assignment initial_assignment(const CostGraph &graph);

/// An assignment of a symmetric graph to start from, and the order in which its free rows are matched best.
struct SymmetricStart {
  Assignment assignment;    ///< equal row and column duals; the matching is its own inverse
  std::vector<Index> order; ///< the free rows
};

/// Rows keep their diagonals where they can, and those with a weak diagonal or none find others: a matching of the
/// graph of tight edges and loops (Karp & Sipser 1981: forced vertices first). Rows with a tight diagonal can always be
/// matched to themselves; the others choose before them. Leaves few rows free. Linear in the edges.
SymmetricStart diagonals_first(const CostGraph &graph);

/// Rows with a weak diagonal or none are worth most, and the rows that could serve them are free and become their
/// partners or return to their diagonals, those that would lose most by their diagonal first. Leaves many rows free,
/// but where the entries off the diagonal have few different magnitudes, as in combinatorial constraints, their
/// searches stay short while those from the other start cover most of the graph: a greedy algorithm, and exact for
/// equal magnitudes (Edmonds 1971). Linear in the edges but for sorting.
SymmetricStart diagonals_last(const CostGraph &graph);

} // namespace tessera
#endif
