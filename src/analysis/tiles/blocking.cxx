#include "analysis/tiles/blocking.hpp"

#include "base/collect_rows.hpp"

#include <algorithm>

namespace tessera {
namespace {

/// Blocks next to block i, ascending.
struct BlockNeighbours {
  const Pattern &graph;
  const Blocking &blocking;
  const std::vector<Index> &block_of;
  std::vector<Index> seen_by;

  BlockNeighbours(const Pattern &graph, const Blocking &blocking, const std::vector<Index> &block_of)
      : graph(graph), blocking(blocking), block_of(block_of), seen_by(blocking.blocks(), -1)
  {
  }

  void operator()(Index i, FoundRows &found)
  {
    const std::size_t begin = found.column.size();
    seen_by[i] = i;
    for (Index k = blocking.start[i]; k < blocking.start[i + 1]; ++k) {
      const Index v = blocking.perm[k];
      for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
        const Index j = block_of[graph.column[p]];
        if (seen_by[j] != i) {
          seen_by[j] = i;
          found.column.push_back(j);
        }
      }
    }
    std::sort(found.column.begin() + begin, found.column.end());
  }
};

} // namespace

Pattern block_graph(const Pattern &graph, const Blocking &blocking)
{
  std::vector<Index> block_of(graph.rows);
  for (Index b = 0; b < blocking.blocks(); ++b) {
    for (Index k = blocking.start[b]; k < blocking.start[b + 1]; ++k)
      block_of[blocking.perm[k]] = b;
  }
  Pattern blocks;
  const auto make_search = [&] { return BlockNeighbours(graph, blocking, block_of); };
  collect_rows(blocking.blocks(), graph.entries(), make_search, blocks);
  return blocks;
}

} // namespace tessera
