#include "analysis/tiles/make_blocking.hpp"
#include "analysis/tiles/similarity.hpp"
#include "base/permute.hpp"
#include "support/graphs.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace tessera;
using namespace tessera_test;

namespace {

const std::vector<BlockStrategy> strategies = {BlockStrategy::BR, BlockStrategy::RB, BlockStrategy::RBR,
                                               BlockStrategy::SN};

void expect_valid(const std::string &name, const Blocking &blocking, const std::vector<Index> &weight, Index max_rows)
{
  const Index n = static_cast<Index>(weight.size());
  ASSERT_TRUE(is_permutation_of(blocking.perm, n)) << name;
  ASSERT_EQ(blocking.start.front(), 0) << name;
  ASSERT_EQ(blocking.start.back(), n) << name;
  for (Index b = 0; b < blocking.blocks(); ++b) {
    Index rows = 0;
    for (Index k = blocking.start[b]; k < blocking.start[b + 1]; ++k)
      rows += weight[blocking.perm[k]];
    EXPECT_GT(rows, 0) << name;
    EXPECT_LE(rows, max_rows) << name;
  }
}

TEST(Blocking, BlocksAreAPartitionWithinTheSizeLimit)
{
  for (const auto &[name, graph] : small_graphs()) {
    const auto weight = pair_weights(graph.rows);
    for (BlockStrategy strategy : strategies) {
      for (Ordering ordering : {Ordering::Natural, Ordering::AMD, Ordering::ND, Ordering::METIS, Ordering::RCM}) {
        for (Index max_rows : {2, 3, 8, 32}) {
          BlockingOptions options;
          options.strategy = strategy;
          options.ordering = ordering;
          options.max_rows = max_rows;
          expect_valid(name, make_blocking(graph, weight, options), weight, max_rows);
        }
      }
    }
  }
}

/// Where levels cost something, no part of a chain is left to minimum degree that takes it from its ends, block by
/// block.
TEST(Blocking, ChainsHaveFewLevelsWhereTheyCost)
{
  const Pattern graph = grid_graph(10000, 1, 1);
  const std::vector<Index> weight(graph.rows, 1);
  BlockingOptions options;
  options.level_flops = 3e7;
  for (const Index max_rows : {8, 32}) {
    options.max_rows = max_rows;
    const Symbolic symbolic = order_and_count(graph, weight, Ordering::Automatic, ordering_choice(options));
    EXPECT_LE(tree_depth(symbolic, weight, max_rows, options.relaxation.nemin), max_rows == 8 ? 14 : 12);
  }
}

/// A chain too short for a hundred levels is looked at for those that it has.
TEST(Blocking, ShortChainsHaveFewLevelsWhereTheyCost)
{
  const Pattern graph = grid_graph(600, 1, 1);
  const std::vector<Index> weight(graph.rows, 1);
  BlockingOptions options;
  options.level_flops = 3e7;
  const auto depth = [&](Ordering ordering) {
    return tree_depth(order_and_count(graph, weight, ordering, ordering_choice(options)), weight, options.max_rows,
                      options.relaxation.nemin);
  };
  EXPECT_GT(depth(Ordering::AMD), 30);
  EXPECT_LT(depth(Ordering::AMD), 100);
  EXPECT_LE(depth(Ordering::Automatic), 8);
}

TEST(Blocking, SameForAnyNumberOfThreads)
{
  const Pattern graph = grid_graph(25, 20, 8);
  const auto weight = pair_weights(graph.rows);
  for (BlockStrategy strategy : strategies) {
    BlockingOptions options;
    options.strategy = strategy;
    Blocking reference;
    for (int t : {1, 2, 5}) {
      const test::Threads scope(t);
      const Blocking blocking = make_blocking(graph, weight, options);
      if (t == 1)
        reference = blocking;
      EXPECT_EQ(blocking.perm, reference.perm);
      EXPECT_EQ(blocking.start, reference.start);
    }
  }
}

double naive_cosine(const Pattern &graph, Index i, Index j, const std::vector<bool> &counts)
{
  std::set<Index> row[2];
  for (int k = 0; k < 2; ++k) {
    const Index v = k ? j : i;
    row[k].insert(v);
    for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
      if (counts[graph.column[p]])
        row[k].insert(graph.column[p]);
    }
  }
  double common = 0;
  for (Index c : row[0])
    common += double(row[1].count(c));
  return common / std::sqrt(double(row[0].size()) * double(row[1].size()));
}

TEST(Similarity, ClustersHoldSimilarRowsAndMissNone)
{
  for (const auto &[name, graph] : small_graphs()) {
    std::vector<bool> counts(graph.rows);
    for (Index i = 0; i < graph.rows; ++i)
      counts[i] = graph.start[i + 1] - graph.start[i] <= 32;
    const auto weight = pair_weights(graph.rows);
    for (double threshold : {0.3, 0.5}) {
      const Clusters clusters = cluster_similar(graph, weight, 1000, threshold);
      expect_valid(name, clusters.blocks, weight, 1000);
      double below = 0;
      for (Index b = 0; b < clusters.blocks.blocks(); ++b) {
        const Index seed = clusters.blocks.perm[clusters.blocks.start[b]];
        for (Index k = clusters.blocks.start[b] + 1; k < graph.rows; ++k) {
          const Index other = clusters.blocks.perm[k];
          const double cosine = naive_cosine(graph, seed, other, counts);
          const bool inside = k < clusters.blocks.start[b + 1];
          if (inside || (counts[seed] && counts[other])) {
            EXPECT_EQ(inside, cosine >= threshold) << name << " " << seed << " " << other;
          }
          below = !inside && counts[seed] && counts[other] ? std::max(below, cosine) : below;
        }
      }
      EXPECT_DOUBLE_EQ(clusters.below, below) << name;
    }
  }
}

TEST(Similarity, ConsecutiveClustersHoldSimilarRows)
{
  for (const auto &[name, graph] : small_graphs()) {
    const std::vector<bool> all(graph.rows, true);
    const auto weight = pair_weights(graph.rows);
    const Clusters clusters = cluster_consecutive(graph, weight, 1000, 0.4);
    expect_valid(name, clusters.blocks, weight, 1000);
    std::set<Index> starts(clusters.blocks.start.begin(), clusters.blocks.start.end());
    for (Index k = 1; k < graph.rows; ++k) {
      EXPECT_EQ(clusters.blocks.perm[k], k);
      EXPECT_EQ(starts.count(k) == 0, naive_cosine(graph, k - 1, k, all) >= 0.4) << name << " " << k;
    }
  }
}

TEST(Blocking, EqualRowsShareABlock)
{
  // Groups of four vertices with one closed neighbourhood each: a clique of four, joined in a chain of cliques.
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < 400; ++i) {
    for (Index j = i + 1; j < std::min(400, (i / 4 + 2) * 4); ++j)
      edges.push_back({i, j});
  }
  const std::vector<Index> shuffle = random_permutation(400, 1), group = [&] {
    std::vector<Index> g(400);
    for (Index i = 0; i < 400; ++i)
      g[i] = shuffle[i] / 4;
    return g;
  }();
  const Pattern graph = permute_graph(graph_of(400, edges), shuffle);
  BlockingOptions options;
  options.strategy = BlockStrategy::BR;
  options.max_rows = 4;
  const Blocking blocking = make_blocking(graph, std::vector<Index>(400, 1), options);
  ASSERT_EQ(blocking.blocks(), 100);
  for (Index b = 0; b < 100; ++b) {
    for (Index k = blocking.start[b]; k < blocking.start[b + 1]; ++k)
      EXPECT_EQ(group[blocking.perm[k]], group[blocking.perm[blocking.start[b]]]);
  }
}

TEST(Blocking, SupernodesAreCutEvenly)
{
  const Index n = 33;
  BlockingOptions options;
  options.ordering = Ordering::Natural;
  const Blocking blocking = make_blocking(random_graph(n, 20000, 1), std::vector<Index>(n, 1), options);
  EXPECT_EQ(blocking.start, (std::vector<Index>{0, 17, 33}));
}

/// Vertices that are coupled with two others each, and with nothing else.
Pattern stars(Index leaves, Index hubs)
{
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < leaves; ++i)
    for (Index k : {i % hubs, (i + 1) % hubs})
      edges.push_back({i, leaves + k});
  return graph_of(leaves + hubs, edges);
}

TEST(Blocking, LeavesOfTheSameParentAreBlocks)
{
  const Index leaves = 1000, hubs = 10;
  const Pattern graph = stars(leaves, hubs);
  const auto weight = pair_weights(graph.rows);
  BlockingOptions options;
  const Index alone = make_blocking(graph, weight, options).blocks();
  EXPECT_GT(alone, leaves / 2);
  options.leaves = {16, 40};
  for (Index max_rows : {4, 16, 32}) {
    options.max_rows = max_rows;
    const Blocking blocking = make_blocking(graph, weight, options);
    expect_valid("stars", blocking, weight, std::min<Index>(max_rows, 32));
    EXPECT_LE(blocking.blocks(), 2 * alone / std::min<Index>(max_rows, 16));
    EXPECT_GE(blocking.blocks(), alone / std::min<Index>(max_rows, 16));
  }
  options.very_costly_flops = options.costly_flops = 0;
  const Index without_fill = make_blocking(graph, weight, options).blocks();
  options.leaves = {};
  EXPECT_EQ(make_blocking(graph, weight, options).blocks(), without_fill);
}

/// Zeros in blocks of leaves take memory, which has to be worth while.
TEST(Blocking, FewLeavesStayBlocksOfTheirOwn)
{
  const Pattern graph = grid_graph(40, 40, 1);
  const std::vector<Index> weight(graph.rows, 1);
  BlockingOptions options;
  const Blocking alone = make_blocking(graph, weight, options);
  options.leaves = {16, 40};
  const Blocking blocking = make_blocking(graph, weight, options);
  EXPECT_EQ(blocking.start, alone.start);
  EXPECT_EQ(blocking.perm, alone.perm);
}

} // namespace
