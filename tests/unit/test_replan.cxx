// Plans with the pivots that a factorization has found.
#include "factor/front/direct_factorization.hpp"
#include "factor/front/make_plan.hpp"
#include "support/factor_cases.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tessera;
using namespace tessera::test;

namespace {

/// [0 B; Bᵀ 0] with a sparse B: in the natural order no column of the first half has a pivot in its front.
Matrix without_diagonal(Index half)
{
  Random random(7);
  std::vector<Triplet> t;
  for (Index i = 0; i < half; ++i)
    for (Index d : {0, 1, 5}) {
      const Index j = half + (i + d) % half;
      const double x = random.between(0.5, 2);
      t.push_back({i, j, x});
      t.push_back({j, i, x});
    }
  return assemble(2 * half, 2 * half, t);
}

PlanOptions natural(Index nemin)
{
  PlanOptions options;
  options.preprocessing = Preprocessing::None;
  options.ordering = Ordering::Natural;
  options.relaxation.nemin = nemin;
  return options;
}

/// Every column is in one front, entries of the matrix and rows of children have a place, and pairs are at even places.
void expect_sound(const FrontPlan &plan)
{
  const AssemblyTree &tree = plan.tree;
  std::vector<Index> rows = tree.perm;
  std::sort(rows.begin(), rows.end());
  for (Index i = 0; i < tree.rows(); ++i)
    ASSERT_EQ(rows[i], i);
  for (Index s = 0; s < tree.fronts(); ++s) {
    EXPECT_GT(tree.columns(s), 0);
    EXPECT_TRUE(tree.parent[s] > s || (tree.parent[s] == -1 && tree.below_rows(s) == 0));
    for (Index j = tree.first[s]; j < tree.first[s + 1]; ++j)
      EXPECT_TRUE(!tree.pair[j] || ((j - tree.first[s]) % 2 == 0 && j + 1 < tree.first[s + 1]));
    for (Offset p = tree.below_start[s]; p < tree.below_start[s + 1]; ++p) {
      EXPECT_TRUE(p == tree.below_start[s] || tree.below[p - 1] < tree.below[p]);
      const Index up = tree.parent[s], place = tree.to_parent[p];
      ASSERT_GE(up, 0);
      EXPECT_EQ(tree.below[p], place < tree.columns(up) ? tree.first[up] + place
                                                        : tree.below[tree.below_start[up] + place - tree.columns(up)]);
    }
  }
}

TEST(Replan, NothingIsDelayedAgain)
{
  for (Index half : {3, 20, 200})
    for (Index nemin : {1, 8, 32}) {
      SCOPED_TRACE(std::to_string(half) + " and " + std::to_string(nemin));
      const Stored stored = store_reversed(without_diagonal(half));
      const PlanResult first = make_plan(without_diagonal(half), stored.source, natural(nemin));
      const auto factor = make_host_direct(first.plan, FactorKind::LDLT);
      const DirectReport before = factor->factor(stored.value.data(), {});
      const FrontPlan plan = replan(first.plan, factor->pivots());
      expect_sound(plan);
      const auto again = make_host_direct(plan, FactorKind::LDLT);
      const DirectReport after = again->factor(stored.value.data(), {});
      EXPECT_TRUE(before.delayed > 0 || nemin > 1);
      EXPECT_EQ(after.delayed, 0);
      EXPECT_EQ(after.negative, before.negative);
      EXPECT_EQ(after.positive, before.positive);
      EXPECT_LE(plan.factor_entries, before.entries); // L of the same pivots, or less where fronts had rows too many
      std::vector<double> b(2 * half, 1.0), x(b.size());
      const SolveReport solved = again->solve(1, b.data(), 2 * half, x.data(), 2 * half, {});
      EXPECT_LE(solved.backward_error, 1e-14);
      EXPECT_LE(solved.steps, 1);
    }
}

TEST(Replan, PlansOfTheirOwnPivotsStay)
{
  for (const NamedMatrix &c : factor_cases()) {
    SCOPED_TRACE(c.name);
    const Stored stored = store_reversed(c.matrix);
    const PlanResult first = make_plan(c.matrix, stored.source, {});
    const auto factor = make_host_direct(first.plan, FactorKind::LDLT);
    const DirectReport before = factor->factor(stored.value.data(), {});
    const FrontPlan plan = replan(first.plan, factor->pivots());
    expect_sound(plan);
    const DirectReport after = make_host_direct(plan, FactorKind::LDLT)->factor(stored.value.data(), {});
    EXPECT_EQ(after.negative, before.negative);
    EXPECT_EQ(after.zero, before.zero);
    if (before.delayed == 0) {
      EXPECT_EQ(plan.tree.first, first.plan.tree.first);
      EXPECT_EQ(plan.factor_entries, first.plan.factor_entries);
    }
  }
}

/// Three fronts in a chain, of 3, 2 and 4 columns.
TEST(Replan, PairsComeAtEvenPlaces)
{
  const Index n = 9;
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      t.push_back({i, j, i == j ? 10.0 : 1.0 / (1 + std::abs(i - j))});
  const Matrix a = assemble(n, n, t);
  const Stored stored = store_reversed(a);
  FrontPlan plan = make_plan(a, stored.source, natural(1)).plan;
  plan.tree.first = {0, 3, 5, 9};
  plan.tree.parent = {1, 2, -1};
  complete_tree(plan.tree, plan.matrix);
  const auto order_of = [&](std::vector<Index> start, std::vector<Index> row, std::vector<std::uint8_t> pair) {
    const FrontPlan next = replan(plan, {start, row, pair});
    expect_sound(next);
    EXPECT_TRUE(std::equal(next.tree.first.begin(), next.tree.first.end() - 1, start.begin()) ||
                next.tree.fronts() < 3);
    std::vector<Index> order;
    const std::vector<Index> &perm = plan.tree.perm;
    for (Index r : next.tree.perm)
      order.push_back(Index(std::find(perm.begin(), perm.end(), r) - perm.begin()));
    return order;
  };
  using Order = std::vector<Index>;
  // a 1x1 pivot from behind fills up; without one the pair moves before the last
  EXPECT_EQ(order_of({0, 4, 5, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 0, 0, 0, 0, 0, 1, 0}),
            (Order{0, 3, 1, 2, 4, 5, 6, 7, 8}));
  EXPECT_EQ(order_of({0, 3, 5, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 0, 0, 0, 0, 1, 0, 0}),
            (Order{1, 2, 0, 3, 4, 5, 8, 6, 7}));
  // a front without pivots is gone
  EXPECT_EQ(order_of({0, 3, 3, 9}, {2, 1, 0, 8, 7, 6, 5, 4, 3}, {0, 0, 0, 0, 1, 0, 1, 0, 0}),
            (Order{2, 1, 0, 8, 3, 7, 6, 5, 4}));
}

} // namespace
