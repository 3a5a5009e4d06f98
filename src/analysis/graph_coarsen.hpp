#ifndef TESSERA_ANALYSIS_GRAPH_COARSEN_HPP
#define TESSERA_ANALYSIS_GRAPH_COARSEN_HPP

#include "analysis/task_loop.hpp"

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

/// Splitmix64: every use has a generator of its own, so that no result depends on who ran before.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits()
  {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform in 0 .. n - 1
  Index below(Index n) { return static_cast<Index>((bits() >> 32) * static_cast<std::uint64_t>(n) >> 32); }

private:
  std::uint64_t state_;
};

struct CoarseGraph {
  WeightedGraph graph;
  Buffer<Index> map; ///< [fine n] coarse vertex of each fine one
};

/// Contracts a heavy-edge matching (Karypis & Kumar 1998): vertices in ascending degree take the unmatched neighbour
/// along the heaviest edge; leftovers pair up with another leftover neighbour of one of their neighbours, so that
/// stars shrink too. No coarse vertex heavier than max_weight is made. Large graphs are worked on in chunks, as tasks
/// of the enclosing parallel region; the result does not depend on its number of threads.
CoarseGraph coarsen(const WeightedGraph &graph, Offset max_weight, Random &random);

} // namespace tessera
#endif
