#include "analysis/ordering/separator.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

using namespace tessera;
using namespace tessera_test;

namespace {

WeightedGraph weighted(const Pattern &pattern, const std::vector<Index> &weight)
{
  WeightedGraph graph;
  graph.n = pattern.rows;
  graph.start.assign(pattern.start.begin(), pattern.start.end());
  graph.column.assign(pattern.column.begin(), pattern.column.end());
  graph.edge.assign(pattern.column.size(), 1);
  graph.weight.assign(weight.begin(), weight.end());
  graph.total = std::accumulate(weight.begin(), weight.end(), Offset(0));
  return graph;
}

void expect_separates(const std::string &name, const WeightedGraph &graph, const Separation &separation)
{
  ASSERT_EQ(static_cast<Index>(separation.side.size()), graph.n) << name;
  Offset weight[3] = {0, 0, 0};
  for (Index v = 0; v < graph.n; ++v) {
    weight[separation.side[v]] += graph.weight[v];
    for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p)
      EXPECT_NE(separation.side[v] + separation.side[graph.column[p]], 1) << name;
  }
  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(weight[k], separation.weight[k]) << name;
}

TEST(Separator, LeavesNoEdgeBetweenTheParts)
{
  for (const auto &[name, graph] : small_graphs()) {
    if (graph.rows == 0)
      continue;
    const WeightedGraph g = weighted(graph, pair_weights(graph.rows));
    expect_separates(name, g, separate(g, 1));
  }
}

TEST(Separator, OfAGridIsAPlane)
{
  const WeightedGraph graph = weighted(grid_graph(30, 20, 20), std::vector<Index>(12000, 1));
  const Separation separation = separate(graph, 1);
  expect_separates("grid", graph, separation);
  EXPECT_LE(separation.weight[2], 440);
  EXPECT_LE(std::max(separation.weight[0], separation.weight[1]), 7200);
}

TEST(Separator, IsBetterWhereItIsLighterOrItsSidesAreAlike)
{
  const auto of_weights = [](Offset one, Offset other, Offset between) {
    Separation separation;
    separation.weight[0] = one;
    separation.weight[1] = other;
    separation.weight[2] = between;
    return separation;
  };
  const Offset total = 10000;
  const Separation even = of_weights(4900, 4900, 200);
  EXPECT_FALSE(is_better(even, even, total));
  const std::vector<Separation> worse = {of_weights(3900, 5897, 203), of_weights(5801, 3999, 200), // near the bounds
                                         of_weights(5803, 3999, 198), // a hundredth lighter
                                         of_weights(6010, 3980, 10)}; // beyond them
  for (const Separation &other : worse) {
    EXPECT_TRUE(is_better(even, other, total));
    EXPECT_FALSE(is_better(other, even, total));
  }
  const Separation lighter = of_weights(5810, 4000, 190); // by a twentieth
  EXPECT_TRUE(is_better(lighter, even, total));
  EXPECT_FALSE(is_better(even, lighter, total));
}

TEST(Separator, OfTwoComponentsIsEmpty)
{
  const Pattern grid = grid_graph(15, 15, 1);
  const WeightedGraph graph = weighted(disconnected_graph(grid, 2), std::vector<Index>(451, 1));
  EXPECT_EQ(separate(graph, 1).weight[2], 0);
}

TEST(Separator, RefinementNeverGrowsTheSeparator)
{
  const WeightedGraph graph = weighted(grid_graph(20, 20, 1), pair_weights(400));
  Separation separation;
  separation.side.assign(400, 2);
  separation.weight[2] = graph.total;
  for (Offset before = graph.total + 1; separation.weight[2] < before;) {
    before = separation.weight[2];
    refine(graph, separation);
    expect_separates("grid", graph, separation);
    EXPECT_LE(separation.weight[2], before);
  }
  EXPECT_LT(separation.weight[2], 60);
}

/// Runs work() as the only task of as many threads, which is how nested dissection calls these functions.
template <class Work>
void on_threads(int threads, const Work &work)
{
#pragma omp parallel num_threads(threads)
#pragma omp single
  work();
}

TEST(Separator, SameForAnyNumberOfThreads)
{
  const WeightedGraph graph = weighted(grid_graph(36, 40, 30), pair_weights(43200)); // several chunks
  Separation reference;
  on_threads(1, [&] { reference = separate(graph, 5); });
  expect_separates("grid", graph, reference);
  for (int threads : {2, 5, 16}) {
    Separation found;
    on_threads(threads, [&] { found = separate(graph, 5); });
    EXPECT_EQ(found.side, reference.side) << threads;
  }
}

/// The coarse graph must have the sums of weights and edges, and clusters of no more than max_weight.
void expect_contracted(const std::string &name, const WeightedGraph &graph, const CoarseGraph &coarse,
                       Offset max_weight)
{
  std::vector<Offset> weight(coarse.graph.n, 0);
  std::map<std::pair<Index, Index>, Index> edges, found;
  for (Index v = 0; v < graph.n; ++v) {
    weight[coarse.map[v]] += graph.weight[v];
    for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
      const Index a = coarse.map[v], b = coarse.map[graph.column[p]];
      if (a != b)
        edges[{a, b}] += graph.edge_weight(p);
    }
  }
  for (Index c = 0; c < coarse.graph.n; ++c) {
    EXPECT_EQ(coarse.graph.weight[c], weight[c]) << name;
    EXPECT_LE(weight[c], max_weight) << name;
    for (Offset p = coarse.graph.start[c]; p < coarse.graph.start[c + 1]; ++p)
      found[{c, coarse.graph.column[p]}] += coarse.graph.edge[p];
  }
  EXPECT_EQ(found, edges) << name;
  EXPECT_EQ(coarse.graph.column.size(), edges.size()) << name;
}

TEST(Coarsening, KeepsWeightsAndEdges)
{
  for (const auto &[name, pattern] : small_graphs()) {
    const WeightedGraph graph = weighted(pattern, pair_weights(pattern.rows));
    SplitMix64 random(3);
    expect_contracted(name, graph, coarsen(graph, 4, random), 4);
  }
}

TEST(Coarsening, OfManyChunksIsTheSameForAnyNumberOfThreads)
{
  for (const Pattern &pattern : {grid_graph(30, 30, 40), random_graph(30000, 50000, 3)}) {
    const WeightedGraph graph = weighted(pattern, pair_weights(pattern.rows));
    CoarseGraph reference;
    for (int threads : {1, 2, 5, 16}) {
      CoarseGraph coarse;
      on_threads(threads, [&] {
        SplitMix64 random(3);
        coarse = coarsen(graph, 4, random);
      });
      if (threads == 1) {
        expect_contracted("several chunks", graph, coarse, 4);
        EXPECT_LE(coarse.graph.n, 7 * graph.n / 10);
        reference = std::move(coarse);
        continue;
      }
      EXPECT_EQ(coarse.map, reference.map);
      EXPECT_EQ(coarse.graph.start, reference.graph.start);
      EXPECT_EQ(coarse.graph.column, reference.graph.column);
      EXPECT_EQ(coarse.graph.edge, reference.graph.edge);
    }
  }
}

TEST(Coarsening, EdgesOfWeightOneNeedNotBeStored)
{
  WeightedGraph graph = weighted(grid_graph(20, 20, 1), pair_weights(400));
  SplitMix64 one(3), other(3);
  const CoarseGraph reference = coarsen(graph, 100, one);
  graph.edge.clear();
  const CoarseGraph coarse = coarsen(graph, 100, other);
  EXPECT_EQ(coarse.map, reference.map);
  EXPECT_EQ(coarse.graph.edge, reference.graph.edge);
}

TEST(Coarsening, ShrinksAStar)
{
  const Index n = 1000;
  SplitMix64 random(3);
  const CoarseGraph coarse = coarsen(weighted(arrow_graph(n), std::vector<Index>(n, 1)), 100, random);
  EXPECT_LE(coarse.graph.n, n / 2 + 1);
}

} // namespace
