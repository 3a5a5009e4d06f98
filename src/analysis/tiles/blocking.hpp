#ifndef TESSERA_ANALYSIS_TILES_BLOCKING_HPP
#define TESSERA_ANALYSIS_TILES_BLOCKING_HPP

#include "base/types.hpp"

namespace tessera {

/// Vertices in their final order, cut into blocks: block b holds perm[start[b]] .. perm[start[b + 1] - 1].
struct Blocking {
  std::vector<Index> perm;
  std::vector<Index> start = {0};

  Index blocks() const { return static_cast<Index>(start.size()) - 1; }
};

/// Graph of the blocks: block i is a neighbour of block j when any of their vertices are. Symmetric, no diagonal.
Pattern block_graph(const Pattern &graph, const Blocking &blocking);

} // namespace tessera
#endif
