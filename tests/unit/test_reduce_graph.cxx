#include "analysis/ordering/dissection.hpp"
#include "analysis/ordering/ordering.hpp"
#include "analysis/ordering/reduce_graph.hpp"
#include "support/any_threads.hpp"
#include "support/graphs.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <tuple>

using namespace tessera;
using namespace tessera_test;

namespace {

/// Neighbours of every vertex, for eliminations by their definition.
std::vector<std::set<Index>> neighbours_of(const Pattern &graph)
{
  std::vector<std::set<Index>> result(graph.rows);
  for (Index v = 0; v < graph.rows; ++v) {
    for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
      if (graph.column[p] != v)
        result[v].insert(graph.column[p]);
    }
  }
  return result;
}

/// Eliminates v: its neighbours become neighbours of each other.
void eliminate(std::vector<std::set<Index>> &neighbours, Index v)
{
  for (Index a : neighbours[v]) {
    for (Index b : neighbours[v]) {
      if (a != b)
        neighbours[a].insert(b);
    }
    neighbours[a].erase(v);
  }
  neighbours[v].clear();
}

std::vector<Index> members(const ReducedGraph &reduced, Index v)
{
  std::vector<Index> result;
  for (Index i = reduced.first[v]; i >= 0; i = reduced.next[i])
    result.push_back(i);
  return result;
}

/// The graph is what is left after the elimination, and vertices that are one have the same neighbours.
void check_reduced(const Pattern &graph, const std::vector<Index> &weight, const ReducedGraph &reduced)
{
  std::vector<std::set<Index>> neighbours = neighbours_of(graph);
  for (Index v : reduced.eliminated)
    eliminate(neighbours, v);
  std::vector<Index> stands_for(graph.rows, -1);
  for (Index v = 0; v < reduced.graph.rows; ++v) {
    Index sum = 0;
    for (Index i : members(reduced, v)) {
      stands_for[i] = v;
      sum += weight[i];
    }
    EXPECT_EQ(reduced.weight[v], sum);
  }
  const std::vector<std::set<Index>> left = neighbours_of(reduced.graph);
  for (Index v = 0; v < reduced.graph.rows; ++v) {
    for (Index i : members(reduced, v)) {
      std::set<Index> others;
      for (Index j : neighbours[i])
        others.insert(stands_for[j]);
      others.erase(v);
      EXPECT_EQ(others, left[v]);
    }
  }
}

/// Trees hung on a graph, and chains between its vertices.
Pattern with_chains(const Pattern &core, unsigned seed)
{
  std::mt19937 random(seed);
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < core.rows; ++i) {
    for (Offset p = core.start[i]; p < core.start[i + 1]; ++p)
      edges.push_back({i, core.column[p]});
  }
  Index n = core.rows;
  for (; n < 3 * core.rows; ++n) {
    edges.push_back({n, static_cast<Index>(random() % n)});
    if (n % 2)
      edges.push_back({n, static_cast<Index>(random() % n)});
  }
  return graph_of(n, edges);
}

/// Every third vertex of a graph three times, neighbours of each other.
Pattern with_twins(const Pattern &core)
{
  std::vector<std::vector<Index>> copies(core.rows);
  Index n = 0;
  for (Index v = 0; v < core.rows; ++v) {
    for (Index k = 0; k < (v % 3 ? 1 : 3); ++k)
      copies[v].push_back(n++);
  }
  std::vector<std::pair<Index, Index>> edges;
  const auto join = [&](Index u, Index v) {
    for (Index i : copies[u]) {
      for (Index j : copies[v])
        edges.push_back({i, j});
    }
  };
  for (Index v = 0; v < core.rows; ++v) {
    join(v, v);
    for (Offset p = core.start[v]; p < core.start[v + 1]; ++p)
      join(v, core.column[p]);
  }
  return graph_of(n, edges);
}

TEST(ReduceGraph, IsTheGraphAfterElimination)
{
  std::vector<NamedGraph> list = small_graphs();
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Pattern core = random_graph(40, 120, seed);
    list.push_back({"chains" + std::to_string(seed), with_chains(core, seed)});
    list.push_back({"chains of twins" + std::to_string(seed), with_chains(with_twins(core), seed)});
    list.push_back({"twins of chains" + std::to_string(seed), with_twins(with_chains(core, seed))});
  }
  int reductions = 0, mergers = 0;
  for (const auto &[name, graph] : list) {
    const std::vector<Index> weight = pair_weights(graph.rows);
    ReducedGraph reduced;
    if (!reduce_graph(graph, weight, reduced))
      continue;
    SCOPED_TRACE(name);
    ++reductions;
    mergers += std::any_of(reduced.next.begin(), reduced.next.end(), [](Index i) { return i >= 0; });
    check_reduced(graph, weight, reduced);
    std::vector<Index> order(reduced.graph.rows);
    std::iota(order.rbegin(), order.rend(), 0);
    EXPECT_TRUE(is_permutation_of(expand(reduced, order), graph.rows));
  }
  EXPECT_GE(reductions, 60);
  EXPECT_GE(mergers, 20);
}

TEST(ReduceGraph, LeavesNothingOfTrees)
{
  const Index n = 5000;
  std::vector<std::pair<Index, Index>> tree;
  for (Index i = 1; i < n; ++i)
    tree.push_back({(i - 1) / 3, i});
  const Pattern graph = graph_of(n, tree);
  ReducedGraph reduced;
  ASSERT_TRUE(reduce_graph(graph, std::vector<Index>(n, 1), reduced));
  EXPECT_LT(reduced.graph.rows, 50);
}

/// Eliminated one after the other they would be a path in the tree, where dissection makes it a low one.
TEST(ReduceGraph, LeavesChainsAndCyclesAlone)
{
  std::vector<std::pair<Index, Index>> edges;
  const Index n = 5000;
  for (Index i = 1; i < n; ++i)
    edges.push_back({i - 1, i});
  ReducedGraph reduced;
  EXPECT_FALSE(reduce_graph(graph_of(n, edges), std::vector<Index>(n, 1), reduced));
  edges.push_back({0, n - 1});
  EXPECT_FALSE(reduce_graph(graph_of(n, edges), std::vector<Index>(n, 1), reduced));
  std::vector<Index> weight(n, 1); // of pairs and single rows in turn the pairs go, and a chain of single rows is left
  for (Index i = 0; i < n; i += 2)
    weight[i] = 2;
  ASSERT_TRUE(reduce_graph(graph_of(n, edges), weight, reduced));
  EXPECT_EQ(reduced.graph.rows, n / 2);
}

/// A grid with a vertex on each edge: these are light separators where the grid is a plane of heavy vertices.
Pattern grid_with_links(Index x, Index y, Index z)
{
  const Pattern grid = grid_graph(x, y, z);
  std::vector<std::pair<Index, Index>> edges;
  Index n = grid.rows;
  for (Index v = 0; v < grid.rows; ++v) {
    for (Offset p = grid.start[v]; p < grid.start[v + 1]; ++p) {
      if (grid.column[p] > v) {
        edges.push_back({v, n});
        edges.push_back({n++, grid.column[p]});
      }
    }
  }
  return graph_of(n, edges);
}

TEST(ReduceGraph, KeepsLightLinksOfPlanesOnly)
{
  ReducedGraph reduced;
  for (Index heavy : {1, 2}) {
    const Pattern plane = grid_with_links(30, 30, 1), solid = grid_with_links(10, 10, 10);
    std::vector<Index> weight(solid.rows, 1);
    std::fill_n(weight.begin(), 1000, heavy);
    EXPECT_TRUE(reduce_graph(solid, weight, reduced));
    std::vector<Index> in_plane(plane.rows, 1);
    std::fill_n(in_plane.begin(), 900, heavy);
    EXPECT_EQ(reduce_graph(plane, in_plane, reduced), heavy == 1);
  }
}

/// Within an order: pairs of rows in a solid with single rows between them.
TEST(ReduceGraph, OrdersOfSolidsTakeAboutAsManyOperations)
{
  const Pattern graph = grid_with_links(16, 16, 16);
  std::vector<Index> weight(graph.rows, 1);
  std::fill_n(weight.begin(), 16 * 16 * 16, 2);
  const std::vector<Index> perm = test::on_any_threads([&] { return order(graph, weight, Ordering::ND); });
  ASSERT_TRUE(is_permutation_of(perm, graph.rows));
  const std::vector<Index> of_all = nested_dissection(graph, weight);
  EXPECT_NE(perm, of_all);
  EXPECT_LT(analyze(graph, weight, perm).size.flops, 1.2 * analyze(graph, weight, of_all).size.flops);
}

TEST(ReduceGraph, CliquesAreOneVertex)
{
  const Index cliques = 100, each = 5;
  std::vector<std::pair<Index, Index>> edges;
  for (Index c = 0; c < cliques; ++c) {
    for (Index k = 0; k < each; ++k) {
      for (Index l = 0; l < k; ++l)
        edges.push_back({c + cliques * k, c + cliques * l});
    }
  }
  const Pattern graph = graph_of(cliques * each, edges);
  ReducedGraph reduced;
  ASSERT_TRUE(reduce_graph(graph, std::vector<Index>(graph.rows, 1), reduced));
  EXPECT_EQ(reduced.eliminated.size(), static_cast<std::size_t>(graph.rows)); // once merged they have no neighbours
  for (Index c = 0; c < cliques; ++c) {
    for (Index k = 1; k < each; ++k)
      EXPECT_EQ(reduced.eliminated[c * each + k] % cliques, reduced.eliminated[c * each] % cliques);
  }
}

TEST(ReduceGraph, FindsNothingInGrids)
{
  ReducedGraph reduced;
  for (const Pattern &graph : {grid_graph(30, 30, 1), grid_graph(12, 12, 12), graph_of(0, {})})
    EXPECT_FALSE(reduce_graph(graph, std::vector<Index>(graph.rows, 1), reduced));
}

TEST(ReduceGraph, IgnoresTheDiagonal)
{
  const Pattern graph = with_twins(with_chains(random_graph(60, 150, 3), 3));
  Pattern full;
  full.rows = full.cols = graph.rows;
  for (Index v = 0; v < graph.rows; ++v) {
    std::vector<Index> row(graph.column.begin() + graph.start[v], graph.column.begin() + graph.start[v + 1]);
    row.insert(std::lower_bound(row.begin(), row.end(), v), v);
    full.column.insert(full.column.end(), row.begin(), row.end());
    full.start.push_back(static_cast<Offset>(full.column.size()));
  }
  const std::vector<Index> weight = pair_weights(graph.rows);
  ReducedGraph expected, reduced;
  ASSERT_TRUE(reduce_graph(graph, weight, expected));
  ASSERT_TRUE(reduce_graph(full, weight, reduced));
  EXPECT_EQ(reduced.eliminated, expected.eliminated);
  EXPECT_EQ(reduced.first, expected.first);
  EXPECT_EQ(reduced.graph.column, expected.graph.column);
}

TEST(ReduceGraph, SameForAnyNumberOfThreads)
{
  const Pattern graph = with_twins(with_chains(random_graph(8000, 20000, 5), 5));
  const std::vector<Index> weight = pair_weights(graph.rows);
  test::on_any_threads(
      [&] {
        ReducedGraph reduced;
        EXPECT_TRUE(reduce_graph(graph, weight, reduced));
        return std::tuple{reduced.eliminated, reduced.graph.start, reduced.graph.column, reduced.first, reduced.next};
      },
      {2, 5});
}

} // namespace
