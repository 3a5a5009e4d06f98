#include "analysis/ordering/ordering.hpp"
#include "analysis/symbolic/elimination_tree.hpp"
#include "analysis/symbolic/supernodes.hpp"
#include "base/permute.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>
#include <numeric>

using namespace tessera;
using namespace tessera_test;

namespace {

struct NaiveCounts {
  std::vector<Offset> count;
  Offset entries = 0;
  double flops = 0;
};

NaiveCounts naive_counts(const Pattern &graph, const std::vector<Index> &weight, const std::vector<Index> &perm)
{
  const auto level = naive_levels(graph, perm);
  NaiveCounts naive;
  for (Index j = 0; j < graph.rows; ++j) {
    Offset height = weight[perm[j]];
    for (Index i = j + 1; i < graph.rows; ++i)
      height += level[i][j] < no_tile ? weight[perm[i]] : 0;
    naive.count.push_back(height);
    for (Index k = 0; k < weight[perm[j]]; ++k) {
      naive.entries += height - k;
      naive.flops += double(height - k) * double(height - k);
    }
  }
  return naive;
}

/// The tree by its definition, from the factor: the parent of a column is its first row below the diagonal.
TEST(EliminationTree, ParentsAndCountsAreThoseOfTheFactor)
{
  for (const auto &[name, graph] : small_graphs()) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const auto perm = random_permutation(graph.rows, seed);
      const Pattern permuted = permute_graph(graph, perm);
      const auto level = naive_levels(graph, perm);
      std::vector<Index> expected(graph.rows, -1), weight(graph.rows), original = pair_weights(graph.rows, seed);
      for (Index j = 0; j < graph.rows; ++j) {
        weight[j] = original[perm[j]];
        for (Index i = graph.rows - 1; i > j; --i)
          expected[j] = level[i][j] < no_tile ? i : expected[j];
      }
      const std::vector<Index> parent = elimination_tree(permuted);
      EXPECT_EQ(parent, expected) << name;
      EXPECT_EQ(column_counts(permuted, weight, parent, postorder(parent)), naive_counts(graph, original, perm).count)
          << name;
    }
  }
}

TEST(Symbolic, CountsMatchNaiveElimination)
{
  for (const auto &[name, graph] : small_graphs()) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const auto weight = seed == 1 ? std::vector<Index>(graph.rows, 1) : pair_weights(graph.rows, seed);
      const Symbolic symbolic = analyze(graph, weight, random_permutation(graph.rows, seed));
      ASSERT_TRUE(is_permutation_of(symbolic.perm, graph.rows)) << name;
      const NaiveCounts naive = naive_counts(graph, weight, symbolic.perm);
      EXPECT_EQ(symbolic.count, naive.count) << name;
      EXPECT_EQ(symbolic.size.entries, naive.entries) << name;
      EXPECT_EQ(symbolic.size.flops, naive.flops) << name;
    }
  }
}

TEST(Symbolic, PostorderKeepsFill)
{
  for (const auto &[name, graph] : small_graphs()) {
    const auto weight = pair_weights(graph.rows);
    const auto perm = random_permutation(graph.rows, 3);
    EXPECT_EQ(analyze(graph, weight, perm).size.entries, naive_counts(graph, weight, perm).entries) << name;
  }
}

TEST(Symbolic, TreeIsPostordered)
{
  for (const auto &[name, graph] : small_graphs()) {
    const Symbolic symbolic = analyze(graph, pair_weights(graph.rows), random_permutation(graph.rows, 5));
    const auto level = naive_levels(graph, symbolic.perm);
    std::vector<Index> size(graph.rows, 1);
    for (Index j = 0; j < graph.rows; ++j) {
      Index first = j + 1;
      while (first < graph.rows && level[first][j] == no_tile)
        ++first;
      EXPECT_EQ(symbolic.parent[j], first < graph.rows ? first : -1) << name;
      if (first < graph.rows)
        size[first] += size[j];
    }
    const std::vector<Index> post = postorder(symbolic.parent);
    for (Index j = 0; j < graph.rows; ++j)
      EXPECT_EQ(post[j], j) << name;
  }
}

TEST(Symbolic, DepthOfChainsAndDenseMatrices)
{
  const Index n = 320;
  Pattern chain, dense;
  chain.rows = chain.cols = dense.rows = dense.cols = n;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      dense.column.push_back(j);
      if (std::abs(i - j) <= 1)
        chain.column.push_back(j);
    }
    chain.start.push_back(static_cast<Offset>(chain.column.size()));
    dense.start.push_back(static_cast<Offset>(dense.column.size()));
  }
  std::vector<Index> in_order(n), weight(n, 1);
  std::iota(in_order.begin(), in_order.end(), 0);
  // from one end to the other, 8 vertices a block; the columns of a dense matrix have one structure
  EXPECT_EQ(tree_depth(analyze(chain, weight, in_order), weight, 32, 8), n / 8);
  EXPECT_EQ(tree_depth(analyze(dense, weight, in_order), weight, 32, 8), n / 32);
  // even vertices first: each is a leaf, and the odd ones are a chain again, of which the last two are one block
  std::vector<Index> odd_even;
  for (Index begin : {0, 1})
    for (Index i = begin; i < n; i += 2)
      odd_even.push_back(i);
  EXPECT_EQ(tree_depth(analyze(chain, weight, odd_even), weight, 32, 1), n / 2);
}

/// Every column's structure must lie in its supernode's own columns and those of its ancestors, and the height must be
/// the number of rows of the union of the structures.
void check_supernodes(const std::string &name, const Pattern &graph, const std::vector<Index> &weight,
                      const Relaxation &relaxation)
{
  const Symbolic symbolic = analyze(graph, weight, random_permutation(graph.rows, 11));
  const Supernodes nodes = supernodes(symbolic, weight, relaxation);
  ASSERT_TRUE(is_permutation_of(nodes.perm, graph.rows)) << name;
  EXPECT_EQ(analyze(graph, weight, nodes.perm).size.entries, symbolic.size.entries) << name;
  const auto level = naive_levels(graph, nodes.perm);
  ASSERT_EQ(nodes.start.back(), graph.rows);
  std::vector<Index> node_of(graph.rows);
  for (Index s = 0; s < nodes.count(); ++s)
    std::fill(node_of.begin() + nodes.start[s], node_of.begin() + nodes.start[s + 1], s);
  for (Index s = 0; s < nodes.count(); ++s) {
    std::set<Index> ancestors;
    for (Index a = nodes.parent[s]; a >= 0; a = nodes.parent[a])
      ancestors.insert(a);
    Offset height = 0;
    for (Index i = nodes.start[s]; i < graph.rows; ++i) {
      bool row = i < nodes.start[s + 1];
      for (Index j = nodes.start[s]; j < nodes.start[s + 1] && i >= nodes.start[s + 1]; ++j) {
        if (level[i][j] < no_tile) {
          EXPECT_EQ(ancestors.count(node_of[i]), 1u) << name;
          row = true;
        }
      }
      height += row ? weight[nodes.perm[i]] : 0;
    }
    EXPECT_EQ(nodes.height[s], height) << name << " supernode " << s;
  }
}

TEST(Supernodes, HoldTheStructureOfTheirColumns)
{
  for (const auto &[name, graph] : small_graphs()) {
    for (const Relaxation &relaxation :
         {Relaxation{0, 0.0}, Relaxation{1, 0.3}, Relaxation{8, 0.1}, front_relaxation()}) {
      check_supernodes(name, graph, std::vector<Index>(graph.rows, 1), relaxation);
      check_supernodes(name, graph, pair_weights(graph.rows), relaxation);
    }
  }
}

TEST(Supernodes, WithoutRelaxationAddNoZeros)
{
  for (const auto &[name, graph] : small_graphs()) {
    const auto weight = pair_weights(graph.rows);
    const Symbolic symbolic = analyze(graph, weight, random_permutation(graph.rows, 2));
    const Supernodes nodes = supernodes(symbolic, weight, Relaxation{0, 0.0});
    Offset entries = 0;
    for (Index s = 0; s < nodes.count(); ++s) {
      Offset columns = 0;
      for (Index k = nodes.start[s]; k < nodes.start[s + 1]; ++k)
        columns += weight[nodes.perm[k]];
      entries += columns * nodes.height[s] - columns * (columns - 1) / 2;
    }
    EXPECT_EQ(entries, symbolic.size.entries) << name;
  }
}

double cost_of(const Symbolic &symbolic, const std::vector<Index> &weight, const Relaxation &relaxation)
{
  const Supernodes nodes = supernodes(symbolic, weight, relaxation);
  double cost = 0;
  for (Index s = 0; s < nodes.count(); ++s) {
    double columns = 0;
    for (Index k = nodes.start[s]; k < nodes.start[s + 1]; ++k)
      columns += weight[nodes.perm[k]];
    cost += front_cost(columns, double(nodes.height[s]));
  }
  return cost;
}

/// A thick mesh of two unknowns a node: fronts merged by their zeros alone take a tenth more operations.
TEST(Supernodes, OfFrontsMergeWhereThatCostsLess)
{
  const Pattern graph = grid_graph(20, 20, 20);
  const std::vector<Index> weight(graph.rows, 2);
  const Symbolic symbolic = order_and_count(graph, weight, Ordering::ND);
  const double cost = cost_of(symbolic, weight, front_relaxation());
  EXPECT_LT(cost, 0.95 * cost_of(symbolic, weight, {1, 0}));
  EXPECT_LT(cost, 0.98 * cost_of(symbolic, weight, {8, 0.1}));
  EXPECT_LT(cost, 0.5 * cost_of(symbolic, weight, {8, 1}));
  const auto flops = [&](const Relaxation &relaxation) {
    return count_fronts(supernodes(symbolic, weight, relaxation), weight).flops;
  };
  EXPECT_LT(flops(front_relaxation()), 0.95 * flops({8, 0.1}));
}

/// A single column that reaches two rows of a wide front, and not the others, adds next to no zeros but many
/// operations.
TEST(Supernodes, OfFrontsLeaveASmallChildAlone)
{
  const Index n = 400;
  std::vector<std::pair<Index, Index>> edges = {{0, 1}, {0, 2}};
  for (Index i = 1; i < n; ++i)
    for (Index j = i + 1; j < n; ++j)
      edges.push_back({i, j});
  const Pattern graph = graph_of(n, edges);
  const std::vector<Index> weight(n, 1);
  std::vector<Index> perm(n);
  std::iota(perm.begin(), perm.end(), 0);
  const Symbolic symbolic = analyze(graph, weight, perm);
  EXPECT_EQ(supernodes(symbolic, weight, {8, 0.1}).count(), 1);
  EXPECT_EQ(supernodes(symbolic, weight, front_relaxation()).count(), 2);
}

/// Then a supernode of more rows has columns that have them by themselves.
TEST(Supernodes, SmallOnesAreNotMergedIntoLargerOnes)
{
  const Pattern graph = grid_graph(40, 40, 1);
  const std::vector<Index> weight(graph.rows, 1);
  const Symbolic symbolic = order_and_count(graph, weight, Ordering::ND);
  const auto large_ones = [&](const Relaxation &relaxation) {
    const Supernodes nodes = supernodes(symbolic, weight, relaxation), chains = supernodes(symbolic, weight, {0, 0.0});
    std::vector<Offset> rows(graph.rows); // of the chain of each vertex
    for (Index s = 0; s < chains.count(); ++s)
      for (Index k = chains.start[s]; k < chains.start[s + 1]; ++k)
        rows[chains.perm[k]] = chains.height[s];
    Index large = 0, of_small = 0;
    for (Index s = 0; s < nodes.count(); ++s) {
      Offset most = 0;
      for (Index k = nodes.start[s]; k < nodes.start[s + 1]; ++k)
        most = std::max(most, rows[nodes.perm[k]]);
      large += nodes.height[s] > 32;
      of_small += nodes.height[s] > 32 && most <= 32;
    }
    return std::pair{large, of_small};
  };
  const auto [large, of_small] = large_ones({16, 1, true, 32});
  EXPECT_GT(large, 0);
  EXPECT_EQ(of_small, 0);
  EXPECT_GT(large_ones({16, 1, true}).second, 0);
}

TEST(Supernodes, DenseMatrixIsOne)
{
  const Pattern graph = random_graph(30, 20000, 1);
  const std::vector<Index> weight(30, 1), perm = random_permutation(30, 1);
  EXPECT_EQ(supernodes(analyze(graph, weight, perm), weight, Relaxation{0, 0.0}).count(), 1);
}

} // namespace
