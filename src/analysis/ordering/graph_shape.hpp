#ifndef TESSERA_ANALYSIS_ORDERING_GRAPH_SHAPE_HPP
#define TESSERA_ANALYSIS_ORDERING_GRAPH_SHAPE_HPP

#include "base/types.hpp"

namespace tessera {

/// How a graph looks to a breadth-first search from one of its ends.
struct Shape {
  bool is_long = false; ///< most of it lies at many different distances, as in a mesh, so that `width` means something
  Offset width = 0;     ///< rows at the distance of half of the rows: a separator, not the smallest
};

/// Two breadth-first searches, the second from where the first ends (George & Liu 1979). weight[i]: rows of vertex i.
Shape measure_shape(const Pattern &graph, const std::vector<Index> &weight);

/// Stored entries beyond which a row of a graph is dense: it joins so much that it had better be put last.
///
/// That is 10 sqrt(n), as in AMD, and at least 16. Fewer where a few rows stand out: minimum degree goes through such a
/// row each time that one of its neighbours is eliminated, so with the square of its entries. Where rows of more than
/// 10 times the entries of most make that more than 100 times the entries of the graph, they are dense, unless they are
/// so many that a front of all of them would cost more than 100 operations for each entry of the graph.
Offset dense_degree(const Pattern &graph);

} // namespace tessera
#endif
