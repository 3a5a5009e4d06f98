// Leaves of an assembly tree that are merged with others of the same parent.
#include "analysis/symbolic/merge_leaves.hpp"

#include "analysis/symbolic/assembly_tree.hpp"
#include "factor/front/make_plan.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "support/in_place.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace tessera;
using namespace tessera::test;

namespace {

/// Variables with so many entries each in the rows of constraints, which are coupled with each other by them.
Matrix program(Index variables, Index constraints, Index entries)
{
  Random random(3);
  std::vector<Triplet> t;
  for (Index i = 0; i < variables; ++i) {
    t.push_back({i, i, 1 + random.between(0, 1)});
    std::set<Index> rows;
    while (Index(rows.size()) < entries)
      rows.insert(variables + Index(random.between(0, 1) * constraints));
    for (Index r : rows) {
      const double x = random.between(-1, 1);
      t.push_back({i, r, x});
      t.push_back({r, i, x});
    }
  }
  for (Index r = 0; r < constraints; ++r)
    t.push_back({variables + r, variables + r, -1e-3});
  return assemble(variables + constraints, variables + constraints, t);
}

PlanResult plan_of(const Matrix &a, Index leaf_columns, Index leaf_rows = 32)
{
  const std::vector<Offset> source = test::in_place(a);
  PlanOptions options;
  prefer_device(options);
  options.leaves = {leaf_columns, leaf_rows};
  return make_plan(a, source, options);
}

bool is_leaf(const AssemblyTree &tree, Index s)
{
  return tree.child_start[s] == tree.child_start[s + 1];
}

TEST(MergeLeaves, ManyVariablesAreFewFronts)
{
  const Matrix a = program(3000, 20, 3);
  const PlanResult alone = plan_of(a, 0), merged = plan_of(a, 16);
  ASSERT_EQ(merged.status, AnalysisStatus::Ok);
  EXPECT_LT(3 * merged.plan.tree.fronts(), alone.plan.tree.fronts());
  std::vector<Index> rows = merged.plan.tree.perm;
  std::sort(rows.begin(), rows.end());
  for (Index i = 0; i < Index(rows.size()); ++i)
    ASSERT_EQ(rows[i], i);
}

TEST(MergeLeaves, KeepsTheBounds)
{
  for (const auto &[columns, rows] : {std::pair<Index, Index>{16, 32}, {8, 12}, {30, 32}}) {
    const PlanResult result = plan_of(program(2000, 25, 2), columns, rows);
    const PlanResult alone = plan_of(program(2000, 25, 2), 0);
    Index largest = 0; // of a leaf that has not been merged
    for (Index s = 0; s < alone.plan.tree.fronts(); ++s)
      if (is_leaf(alone.plan.tree, s))
        largest = std::max(largest, alone.plan.tree.columns(s));
    bool merged = false;
    for (Index s = 0; s < result.plan.tree.fronts(); ++s)
      if (const AssemblyTree &tree = result.plan.tree; is_leaf(tree, s) && tree.columns(s) > largest) {
        merged = true;
        EXPECT_LE(tree.columns(s), columns);
        EXPECT_LE(tree.columns(s) + tree.below_rows(s), rows);
      }
    EXPECT_TRUE(merged);
  }
}

/// Variables with rows in common with all constraints, of which there are too many for a thread block to add up, are
/// panels of a front of tiles each.
TEST(MergeLeaves, LeavesOfALargeFrontAreWide)
{
  const PlanResult result = plan_of(program(3000, 250, 12), 16);
  const AssemblyTree &tree = result.plan.tree;
  Index leaves = 0;
  for (Index s = 0; s < tree.fronts(); ++s)
    if (is_leaf(tree, s)) {
      ++leaves;
      EXPECT_LE(tree.columns(s), DeviceFront::tile_width);
    }
  EXPECT_LE(leaves, 3000 / 64 + 2);
}

/// Where the parent is small, or takes their sums, they stay fronts of a warp.
TEST(MergeLeaves, LeavesOfSmallFrontsAreNot)
{
  for (const PlanResult &result : {plan_of(program(3000, 100, 12), 16), plan_of(program(6000, 20, 3), 16)}) {
    const AssemblyTree &tree = result.plan.tree;
    for (Index s = 0; s < tree.fronts(); ++s)
      EXPECT_LE(is_leaf(tree, s) ? tree.columns(s) + tree.below_rows(s) : 0, 32);
  }
}

/// Supernodes of their own: leaves with so many rows below each, other ones, and their parent.
struct Star {
  Star(Index leaves, Index below) : weight(leaves * (below + 1), 1)
  {
    const Index n = Index(weight.size());
    graph.rows = graph.cols = n;
    std::vector<std::set<Index>> rows(n);
    for (Index i = 0; i < leaves; ++i)
      for (Index k = 0; k < below; ++k) {
        rows[i].insert(leaves + below * i + k);
        rows[leaves + below * i + k].insert(i);
      }
    for (const std::set<Index> &row : rows) {
      graph.column.insert(graph.column.end(), row.begin(), row.end());
      graph.start.push_back(Offset(graph.column.size()));
    }
    for (Index i = 0; i <= leaves; ++i) {
      supernodes.start.push_back(i);
      supernodes.parent.push_back(i < leaves ? leaves : -1);
      supernodes.height.push_back(i < leaves ? 1 + below : n - leaves);
    }
    supernodes.start.push_back(n);
    for (Index i = 0; i < n; ++i)
      supernodes.perm.push_back(i);
  }

  Supernodes supernodes;
  Pattern graph;
  std::vector<Index> weight;
};

/// What their parent would add up: sums of four leaves, of four of these, as long as they have few rows.
TEST(MergeLeaves, TellsTheCostWhatThereIsToAddUp)
{
  const Star star(64, 3);
  for (const auto &[sum_rows, expected] :
       {std::pair<Index, Index>{1000, 4}, {40, 6}, {20, 16}, {12, 16}, {9, 22}, {3, 64}}) {
    std::vector<std::pair<std::size_t, Index>> asked;
    WideLeaves wide;
    wide.least_rows = wide.least_leaves = 1;
    wide.bounds = {{2, 100}};
    wide.most_added = 8;
    wide.sum_rows = sum_rows;
    wide.sum_children = 4;
    wide.cost = [&](const std::vector<FrontShape> &fronts, Index sums) {
      asked.push_back({fronts.size(), sums});
      return double(fronts.size());
    };
    const Supernodes merged = merge_leaves(star.supernodes, star.graph, star.weight, {1, 4}, false, wide);
    ASSERT_EQ(asked.size(), 2u);
    EXPECT_EQ(asked[0], std::pair(std::size_t(64), expected)) << sum_rows;
    EXPECT_EQ(asked[1].first, 32u);
    EXPECT_EQ(merged.count(), 33); // the cheaper ones
    EXPECT_EQ(merged.height[0], 8);
  }
}

/// A tree is one that parents come after their children in, next to each other, and that has places for all rows.
TEST(MergeLeaves, LeavesAPostorder)
{
  const PlanResult result = plan_of(program(1000, 40, 4), 16);
  const AssemblyTree &tree = result.plan.tree;
  std::vector<Index> size(tree.fronts(), 1);
  for (Index s = 0; s < tree.fronts(); ++s) {
    Index next = s - 1; // the last child ends before its parent
    for (Index c = tree.child_start[s + 1]; c-- > tree.child_start[s];) {
      EXPECT_EQ(tree.child[c], next);
      next -= size[tree.child[c]];
      size[s] += size[tree.child[c]];
    }
    for (Offset p = tree.below_start[s]; p < tree.below_start[s + 1]; ++p)
      EXPECT_GE(tree.to_parent[p], 0);
  }
}

/// Rows that nothing couples are fronts together; those of LU may be in different diagonal blocks, and stay alone.
TEST(MergeLeaves, MergesRootsOfSymmetricMatricesOnly)
{
  std::vector<Triplet> t;
  for (Index i = 0; i < 100; ++i)
    t.push_back({i, i, 1.0 + i});
  const Matrix a = assemble(100, 100, t);
  EXPECT_EQ(plan_of(a, 16).plan.tree.fronts(), 7);
  const std::vector<Offset> source = test::in_place(a);
  PlanOptions options;
  prefer_device(options);
  EXPECT_EQ(make_lu_plan(a, source, options).plan.fronts.tree.fronts(), 100);
}

/// Pairs stay together, at even places of their front.
TEST(MergeLeaves, TearsNoPairApart)
{
  std::vector<Triplet> t;
  const auto couple = [&](Index i, Index j, double x) {
    t.push_back({i, j, x});
    t.push_back({j, i, x});
  };
  const Index pairs = 60, n = 3 * pairs + 2;
  for (Index k = 0; k < pairs; ++k) { // a pair, and a variable of its own
    couple(3 * k, 3 * k + 1, 2 + 0.01 * k);
    couple(3 * k + 1, n - 1 - k % 2, 0.1);
    t.push_back({3 * k + 2, 3 * k + 2, 1.0});
    couple(3 * k + 2, n - 1 - k % 2, 0.1);
  }
  couple(n - 2, n - 1, 0.5);
  t.push_back({n - 1, n - 1, 3.0});
  t.push_back({n - 2, n - 2, 3.0});
  const PlanResult result = plan_of(assemble(n, n, t), 16);
  const AssemblyTree &tree = result.plan.tree;
  EXPECT_LT(tree.fronts(), pairs);
  Index found = 0;
  for (Index s = 0; s < tree.fronts(); ++s)
    for (Index j = tree.first[s]; j < tree.first[s + 1]; ++j)
      if (tree.pair[j]) {
        ++found;
        EXPECT_EQ((j - tree.first[s]) % 2, 0);
        EXPECT_LT(j + 1, tree.first[s + 1]);
        EXPECT_EQ(std::abs(tree.perm[j] - tree.perm[j + 1]), 1);
      }
  EXPECT_GE(found, pairs);
}

} // namespace
