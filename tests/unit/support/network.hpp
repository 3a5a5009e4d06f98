#ifndef TESSERA_TESTS_SUPPORT_NETWORK_HPP
#define TESSERA_TESTS_SUPPORT_NETWORK_HPP

#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

namespace tessera::test {

/// Both triangles of the entries on and above the diagonal.
inline Matrix symmetric(Index n, std::vector<Triplet> upper)
{
  for (std::size_t k = upper.size(); k-- > 0;)
    if (upper[k].row != upper[k].col)
      upper.push_back({upper[k].col, upper[k].row, upper[k].value});
  return assemble(n, n, upper);
}

/// The saddle-point matrix [I Aᵀ; A 0] of a network: a variable for each edge of the graph, then a constraint for each
/// node but the first, A with 1 and -1 in the rows of the two nodes of an edge.
inline Matrix network(const Pattern &graph)
{
  std::vector<Triplet> upper;
  const Index m = static_cast<Index>(graph.entries() / 2);
  Index e = 0;
  for (Index i = 0; i < graph.rows; ++i)
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p) {
      if (graph.column[p] < i)
        continue;
      upper.push_back({e, e, 1});
      if (i > 0)
        upper.push_back({e, m + i - 1, 1});
      upper.push_back({e, m + graph.column[p] - 1, -1});
      ++e;
    }
  return symmetric(m + graph.rows - 1, upper);
}

/// Of a grid of n x n nodes.
inline Matrix network(Index n)
{
  return network(tessera_test::grid_graph(n, n, 1));
}

} // namespace tessera::test
#endif
