#ifndef TESSERA_TESTS_SUPPORT_GRAPHS_HPP
#define TESSERA_TESTS_SUPPORT_GRAPHS_HPP

#include "base/types.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <utility>

namespace tessera_test {

using tessera::Index;
using tessera::Offset;
using tessera::Pattern;

/// Symmetric pattern with the given edges, without diagonal.
inline Pattern graph_of(Index n, const std::vector<std::pair<Index, Index>> &edges)
{
  std::vector<std::vector<Index>> row(n);
  for (auto [i, j] : edges) {
    if (i != j) {
      row[i].push_back(j);
      row[j].push_back(i);
    }
  }
  Pattern graph;
  graph.rows = graph.cols = n;
  for (auto &r : row) {
    std::sort(r.begin(), r.end());
    r.erase(std::unique(r.begin(), r.end()), r.end());
    graph.column.insert(graph.column.end(), r.begin(), r.end());
    graph.start.push_back(static_cast<Offset>(graph.column.size()));
  }
  return graph;
}

inline Pattern random_graph(Index n, Index edges, unsigned seed)
{
  std::mt19937 random(seed);
  std::vector<std::pair<Index, Index>> list;
  for (Index e = 0; e < edges; ++e) {
    const Index i = static_cast<Index>(random() % n), j = static_cast<Index>(random() % n);
    list.push_back({i, j});
  }
  return graph_of(n, list);
}

/// 7-point grid of x by y by z vertices.
inline Pattern grid_graph(Index x, Index y, Index z)
{
  std::vector<std::pair<Index, Index>> list;
  for (Index k = 0; k < z; ++k) {
    for (Index j = 0; j < y; ++j) {
      for (Index i = 0; i < x; ++i) {
        const Index v = i + x * (j + y * k);
        if (i + 1 < x)
          list.push_back({v, v + 1});
        if (j + 1 < y)
          list.push_back({v, v + x});
        if (k + 1 < z)
          list.push_back({v, v + x * y});
      }
    }
  }
  return graph_of(x * y * z, list);
}

/// A star whose centre is vertex 0.
inline Pattern arrow_graph(Index n)
{
  std::vector<std::pair<Index, Index>> list;
  for (Index i = 1; i < n; ++i)
    list.push_back({0, i});
  return graph_of(n, list);
}

/// `leaves` vertices, each joined to `each` of the `core` vertices that come after all of them and are joined to each
/// other.
/// reach: they meet the first so many of the core alone.
inline Pattern leaves_graph(Index leaves, Index core, Index each, unsigned seed = 3,
                            Index reach = std::numeric_limits<Index>::max())
{
  std::mt19937 random(seed);
  std::vector<std::pair<Index, Index>> list;
  for (Index i = 0; i < core; ++i)
    for (Index j = 0; j < i; ++j)
      list.push_back({leaves + i, leaves + j});
  for (Index i = 0; i < leaves; ++i)
    for (Index k = 0; k < each; ++k)
      list.push_back({i, leaves + static_cast<Index>(random() % std::min(reach, core))});
  return graph_of(leaves + core, list);
}

/// `copies` of a graph side by side, followed by one isolated vertex.
inline Pattern disconnected_graph(const Pattern &graph, Index copies)
{
  std::vector<std::pair<Index, Index>> list;
  for (Index c = 0; c < copies; ++c) {
    for (Index i = 0; i < graph.rows; ++i) {
      for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
        list.push_back({c * graph.rows + i, c * graph.rows + graph.column[p]});
    }
  }
  return graph_of(copies * graph.rows + 1, list);
}

/// A grid one vertex of which is joined to every second vertex.
inline Pattern dense_row_graph(Index x, Index y)
{
  Pattern grid = grid_graph(x, y, 1);
  std::vector<std::pair<Index, Index>> list;
  for (Index i = 0; i < grid.rows; ++i) {
    for (Offset p = grid.start[i]; p < grid.start[i + 1]; ++p)
      list.push_back({i, grid.column[p]});
    if (i % 2 == 0)
      list.push_back({grid.rows / 3, i});
  }
  return graph_of(grid.rows, list);
}

struct NamedGraph {
  std::string name;
  Pattern graph;
};

/// Small graphs of every kind, for comparison with references that take cubic time.
inline std::vector<NamedGraph> small_graphs()
{
  std::vector<NamedGraph> list = {{"empty0", graph_of(0, {})},
                                  {"empty1", graph_of(1, {})},
                                  {"empty2", graph_of(2, {})},
                                  {"edge", graph_of(2, {{0, 1}})},
                                  {"empty20", graph_of(20, {})},
                                  {"grid2d", grid_graph(9, 7, 1)},
                                  {"grid3d", grid_graph(5, 4, 5)},
                                  {"arrow", arrow_graph(40)},
                                  {"disconnected", disconnected_graph(grid_graph(4, 4, 1), 3)},
                                  {"dense_row", dense_row_graph(10, 9)}};
  for (unsigned seed = 1; seed <= 5; ++seed)
    list.push_back({"random" + std::to_string(seed), random_graph(60, 30 * static_cast<Index>(seed), seed)});
  return list;
}

/// Weights 1 and 2 as a compressed graph has them.
inline std::vector<Index> pair_weights(Index n, unsigned seed = 7)
{
  std::mt19937 random(seed);
  std::vector<Index> weight(n);
  for (Index &w : weight)
    w = 1 + static_cast<Index>(random() % 2);
  return weight;
}

inline bool is_permutation_of(const std::vector<Index> &perm, Index n)
{
  std::vector<Index> sorted(perm);
  std::sort(sorted.begin(), sorted.end());
  for (Index i = 0; i < static_cast<Index>(sorted.size()); ++i) {
    if (sorted[i] != i)
      return false;
  }
  return static_cast<Index>(perm.size()) == n;
}

inline std::vector<Index> random_permutation(Index n, unsigned seed)
{
  std::vector<Index> perm(n);
  for (Index i = 0; i < n; ++i)
    perm[i] = i;
  std::shuffle(perm.begin(), perm.end(), std::mt19937(seed));
  return perm;
}

constexpr Index no_tile = 1 << 20;

/// Level of fill of every entry by its definition, lvl(i, j) = min(lvl(i, j), lvl(i, k) + lvl(k, j) + 1) over the
/// steps k of elimination in the order `perm`; no_tile where the complete factor has no entry.
inline std::vector<std::vector<Index>> naive_levels(const Pattern &graph, const std::vector<Index> &perm)
{
  const Index n = graph.rows;
  std::vector<Index> place(n);
  for (Index i = 0; i < n; ++i)
    place[perm[i]] = i;
  std::vector<std::vector<Index>> level(n, std::vector<Index>(n, no_tile));
  for (Index i = 0; i < n; ++i) {
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      level[place[i]][place[graph.column[p]]] = 0;
  }
  for (Index k = 0; k < n; ++k) {
    for (Index i = k + 1; i < n; ++i) {
      for (Index j = k + 1; j < n; ++j) {
        if (i != j)
          level[i][j] = std::min({level[i][j], level[i][k] + level[k][j] + 1, no_tile});
      }
    }
  }
  return level;
}

} // namespace tessera_test
#endif
