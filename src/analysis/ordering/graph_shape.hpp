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

} // namespace tessera
#endif
