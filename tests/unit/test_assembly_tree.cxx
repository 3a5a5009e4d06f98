// The fronts of a tree: their rows by definition, and where these are in the parent's front.
#include "analysis/symbolic/assembly_tree.hpp"
#include "analysis/symbolic/symbolic.hpp"
#include "support/any_threads.hpp"
#include "support/graphs.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// In an order that gives a tree with many leaves.
AssemblyTree tree_of(const Pattern &graph, const Relaxation &relaxation)
{
  CompressedGraph whole;
  whole.pattern = graph;
  whole.weight.assign(graph.rows, 1);
  whole.row_start.resize(graph.rows + 1);
  std::iota(whole.row_start.begin(), whole.row_start.end(), 0);
  whole.row.resize(graph.rows);
  std::iota(whole.row.begin(), whole.row.end(), 0);
  std::vector<Index> order(graph.rows);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  const auto degree = [&](Index i) { return graph.start[i + 1] - graph.start[i]; };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return degree(a) < degree(b); });
  const Symbolic symbolic = analyze(graph, whole.weight, order);
  return assembly_tree(whole, supernodes(symbolic, whole.weight, relaxation), graph);
}

/// Many stars whose centres are a path: large enough to be cut into parts for several threads.
Pattern stars(Index centres, Index rays)
{
  std::vector<std::pair<Index, Index>> list;
  for (Index c = 0; c < centres; ++c) {
    if (c > 0)
      list.push_back({c, c - 1});
    for (Index r = 0; r < rays; ++r)
      list.push_back({c, centres + c * rays + r});
  }
  return graph_of(centres * (1 + rays), list);
}

void check_rows(const Pattern &graph, const AssemblyTree &tree)
{
  std::vector<Index> place(tree.rows());
  for (Index i = 0; i < tree.rows(); ++i)
    place[tree.perm[i]] = i;
  std::vector<std::set<Index>> below(tree.fronts());
  for (Index s = 0; s < tree.fronts(); ++s) {
    for (Index j = tree.first[s]; j < tree.first[s + 1]; ++j)
      for (Offset p = graph.start[tree.perm[j]]; p < graph.start[tree.perm[j] + 1]; ++p)
        below[s].insert(place[graph.column[p]]);
    below[s].erase(below[s].begin(), below[s].lower_bound(tree.first[s + 1]));
    ASSERT_TRUE(std::equal(below[s].begin(), below[s].end(), tree.below.begin() + tree.below_start[s],
                           tree.below.begin() + tree.below_start[s + 1]))
        << "front " << s;
    const Index up = tree.parent[s];
    ASSERT_EQ(up < 0, below[s].empty());
    if (up >= 0)
      below[up].insert(below[s].lower_bound(tree.first[up]), below[s].end());
  }
  for (Index s = 0; s < tree.fronts(); ++s)
    for (Offset p = tree.below_start[s]; p < tree.below_start[s + 1]; ++p) {
      const Index up = tree.parent[s], at = tree.to_parent[p];
      const Index row =
          at < tree.columns(up) ? tree.first[up] + at : tree.below[tree.below_start[up] + at - tree.columns(up)];
      ASSERT_EQ(row, tree.below[p]);
    }
}

TEST(AssemblyTree, RowsAreThoseOfTheColumnsAndTheChildren)
{
  for (const Pattern &graph : {grid_graph(70, 70, 1), grid_graph(17, 16, 15), stars(500, 9), stars(3, 4)}) {
    const AssemblyTree tree = tree_of(graph, front_relaxation());
    check_rows(graph, tree);
    const auto lists = on_any_threads([&] {
      const AssemblyTree again = tree_of(graph, front_relaxation());
      return std::make_pair(again.below, again.to_parent);
    });
    EXPECT_TRUE(lists.first == tree.below && lists.second == tree.to_parent);
  }
}

} // namespace
