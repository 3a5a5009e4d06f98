#ifndef TESSERA_ANALYSIS_ORDERING_REDUCE_GRAPH_HPP
#define TESSERA_ANALYSIS_ORDERING_REDUCE_GRAPH_HPP

#include "base/types.hpp"

namespace tessera {

/// A graph with fewer vertices, from whose order one of the given graph follows.
struct ReducedGraph {
  Pattern graph;                 ///< without a diagonal
  std::vector<Index> weight;     ///< [vertices] rows that each stands for
  std::vector<Index> eliminated; ///< vertices of the given graph that come first, in this order
  std::vector<Index> first;      ///< [vertices] the first of the given vertices that each stands for
  std::vector<Index> next;       ///< [vertices of the given graph] the one after each that shares its vertex, or -1
};

/// Makes a graph smaller before nested dissection (data reduction: Ost, Schulz & Strash, Engineering Data Reduction for
/// Nested Dissection, 2021), which then takes less time and sees more of the shape of the rest.
///
/// Vertices with at most two neighbours are eliminated, with an edge between the two, but for links: a vertex between
/// two others stays if it may be part of a better separator than one of these, as it may in chains and in planes of
/// heavier vertices. Neighbours with the same other neighbours are merged. Both go on, round by round, while they find
/// more than an eighth of the vertices.
///
/// graph: both triangles, columns ascending; the diagonal is ignored. weight[i]: rows that vertex i stands for. False
/// if there is nothing to gain; `reduced` is then of no use. The result does not depend on the number of threads.
bool reduce_graph(const Pattern &graph, const std::vector<Index> &weight, ReducedGraph &reduced);

/// The order of the given graph to which an order of the reduced one leads.
std::vector<Index> expand(const ReducedGraph &reduced, const std::vector<Index> &order);

} // namespace tessera
#endif
