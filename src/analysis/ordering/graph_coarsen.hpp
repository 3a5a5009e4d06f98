#ifndef TESSERA_ANALYSIS_ORDERING_GRAPH_COARSEN_HPP
#define TESSERA_ANALYSIS_ORDERING_GRAPH_COARSEN_HPP

#include "base/random.hpp"
#include "base/task_loop.hpp"

namespace tessera {

/// Symmetric graph with weights on vertices and edges, no loops. The columns of a row are in no particular order.
struct WeightedGraph {
  Index n = 0;
  Buffer<Offset> start;
  Buffer<Index> column;
  Buffer<Index> edge;   ///< [entries] weight of each edge: edges of the finest graph it stands for; empty if all are 1
  Buffer<Index> weight; ///< [n] rows that each vertex stands for
  Offset total = 0;     ///< sum of `weight`

  Index edge_weight(Offset p) const { return edge.empty() ? 1 : edge[p]; }
};

/// Whether to go through the graph is worth an OpenMP task. To separate it takes some 50 ns an entry of one core of an
/// AMD EPYC (docs/notes/ordering.md).
inline bool is_worth_a_task(const WeightedGraph &graph)
{
  return graph.column.size() >= 2000;
}

struct CoarseGraph {
  WeightedGraph graph;
  Buffer<Index> map; ///< [fine n] coarse vertex of each fine one
};

/// Contracts a heavy-edge matching (Karypis & Kumar 1998): vertices in ascending degree take the unmatched neighbour
/// along the heaviest edge; leftovers take another leftover neighbour of one of their neighbours, so that
/// stars shrink too. No coarse vertex heavier than max_weight is made. Large graphs are worked on in chunks, as tasks
/// of the enclosing parallel region; the result does not depend on its number of threads.
CoarseGraph coarsen(const WeightedGraph &graph, Offset max_weight, SplitMix64 &random);

} // namespace tessera
#endif
