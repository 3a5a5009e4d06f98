// Where columns go that a factorization without delays could not eliminate.
#include "factor/front/delay_rounds.hpp"
#include "factor/front/make_plan.hpp"
#include "factor/front/predicted_time.hpp"
#include "factor/front/searched_order.hpp"
#include "support/factor_cases.hpp"
#include "support/sound_plan.hpp"

#include <algorithm>
#include <cmath>

using namespace tessera;
using namespace tessera::test;

namespace {

/// A dense matrix whose fronts are a chain with these numbers of columns.
FrontPlan chain(const std::vector<Index> &columns)
{
  Index n = 0;
  for (Index k : columns)
    n += k;
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      t.push_back({i, j, i == j ? 10.0 : 1.0 / (1 + std::abs(i - j))});
  const Matrix a = assemble(n, n, t);
  PlanOptions options;
  options.preprocessing = Preprocessing::None;
  options.ordering = Ordering::Natural;
  FrontPlan plan = make_plan(a, store_reversed(a).source, options).plan;
  AssemblyTree &tree = plan.tree;
  tree.first = {0};
  tree.parent.clear();
  for (Index k : columns) {
    tree.first.push_back(tree.first.back() + k);
    tree.parent.push_back(Index(tree.first.size()) - 1);
  }
  tree.parent.back() = -1;
  complete_tree(tree, plan.matrix);
  return plan;
}

/// Columns of the matrix that have failed, as places in the order of a plan.
std::vector<std::uint8_t> failed(const FrontPlan &plan, const std::vector<Index> &columns)
{
  std::vector<std::uint8_t> bits(plan.tree.rows());
  for (Index i = 0; i < plan.tree.rows(); ++i)
    bits[i] = std::count(columns.begin(), columns.end(), plan.tree.perm[i]) > 0;
  return bits;
}

/// Fails these columns, and makes the plan without them where they were; returns whether there is one.
bool step(DelayRounds &rounds, FrontPlan &plan, const std::vector<Index> &columns)
{
  const std::optional<PivotSequence> pivots = rounds.next(plan, failed(plan, columns));
  if (pivots) {
    plan = replan(plan, *pivots);
    expect_sound(plan);
  }
  return pivots.has_value();
}

Index front_of(const FrontPlan &plan, Index column)
{
  const AssemblyTree &tree = plan.tree;
  const Index place = Index(std::find(tree.perm.begin(), tree.perm.end(), column) - tree.perm.begin());
  return Index(std::upper_bound(tree.first.begin(), tree.first.end(), place) - tree.first.begin()) - 1;
}

TEST(DelayedPlan, AColumnGoesToTheEndOfItsParentAndThenFurther)
{
  FrontPlan plan = chain({2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2});
  DelayRounds rounds(0);
  for (Index front : {1, 3, 7, 11}) {
    ASSERT_TRUE(step(rounds, plan, {1}));
    EXPECT_EQ(front_of(plan, 1), front);
    EXPECT_EQ(plan.tree.perm[plan.tree.first[front + 1] - 1], 1);
  }
  EXPECT_EQ(rounds.delayed(), 11);
  EXPECT_FALSE(step(rounds, plan, {1})) << "it is at the end of the root";
  DelayRounds others(0);
  EXPECT_TRUE(step(others, plan, {4})) << "columns are counted for one matrix";
  EXPECT_EQ(front_of(plan, 4), 3);
}

TEST(DelayedPlan, AColumnIsTriedBehindTheOthersOfALargeFront)
{
  FrontPlan plan = chain({40, 10, 5});
  DelayRounds rounds(0);
  ASSERT_TRUE(step(rounds, plan, {3, 20}));
  EXPECT_EQ(front_of(plan, 3), 0);
  EXPECT_EQ(plan.tree.perm[38], 3) << "the last one but those that go up";
  EXPECT_EQ(front_of(plan, 20), 1) << "all others of its front were tried with it";
  EXPECT_EQ(rounds.delayed(), 1);
  ASSERT_TRUE(step(rounds, plan, {3}));
  EXPECT_EQ(front_of(plan, 3), 1);
}

/// Where others of a front fail after some were tried behind them, as many have no pivot there.
TEST(DelayedPlan, ColumnsOfAFrontAreTriedBehindTheOthersOnce)
{
  FrontPlan plan = chain({2, 40, 10, 5});
  DelayRounds rounds(0);
  ASSERT_TRUE(step(rounds, plan, {0, 1})); // the first front ends, so the others have other numbers
  ASSERT_TRUE(step(rounds, plan, {5}));
  EXPECT_EQ(front_of(plan, 5), 0);
  ASSERT_TRUE(step(rounds, plan, {6}));
  EXPECT_EQ(front_of(plan, 6), 1);
  EXPECT_EQ(rounds.delayed(), 3);
}

TEST(DelayedPlan, ColumnsOfARootAreTriedBehindTheOthersWhileTheyBecomeFewer)
{
  FrontPlan plan = chain({5, 60});
  DelayRounds rounds(1);
  for (const std::vector<Index> &columns : {std::vector<Index>{10, 12, 64}, {20, 21}, {30, 31}, {40}}) {
    ASSERT_TRUE(step(rounds, plan, columns)) << columns[0];
    for (std::size_t k = 0; k < columns.size(); ++k)
      EXPECT_EQ(plan.tree.perm[65 - columns.size() + k], columns[k]);
  }
  EXPECT_FALSE(step(rounds, plan, {50})) << "as many as before for the second time";
  EXPECT_EQ(rounds.delayed(), 0);
  DelayRounds others(1);
  EXPECT_FALSE(step(others, plan, {40})) << "it is the last one";
}

/// Of very many those of the first panel are tried, and all are counted.
TEST(DelayedPlan, ColumnsOfARootBecomeFewerThoughAsManyAreTried)
{
  FrontPlan plan = chain({5, 200});
  DelayRounds rounds(0);
  for (Index many : {150, 140, 130}) {
    std::vector<Index> columns(plan.tree.perm.begin() + 5, plan.tree.perm.begin() + 5 + many);
    ASSERT_TRUE(step(rounds, plan, columns)) << many;
    EXPECT_EQ(std::vector<Index>(plan.tree.perm.end() - 32, plan.tree.perm.end()),
              std::vector<Index>(columns.begin(), columns.begin() + 32));
  }
  EXPECT_FALSE(step(rounds, plan, {plan.tree.perm.begin() + 5, plan.tree.perm.begin() + 135}));
}

TEST(DelayedPlan, AncestorsOfWhatFailedAreNotJudged)
{
  FrontPlan plan = chain({3, 3, 3});
  DelayRounds rounds(0);
  ASSERT_TRUE(step(rounds, plan, {2, 4, 8}));
  EXPECT_EQ(front_of(plan, 2), 1);
  EXPECT_EQ(front_of(plan, 4), 1);
  EXPECT_EQ(front_of(plan, 8), 2);
}

TEST(DelayedPlan, OfManyColumnsThoseOfTheFirstPanelMove)
{
  FrontPlan plan = chain({200, 10});
  std::vector<Index> columns;
  for (Index i = 70; i < 200; ++i)
    columns.push_back(i);
  DelayRounds rounds(0);
  ASSERT_TRUE(step(rounds, plan, columns));
  for (Index i = 0; i < 200; ++i)
    EXPECT_EQ(plan.tree.perm[i], i < 70 ? i : i < 174 ? i + 26 : i - 104) << "70 to 95 are in the third panel";
}

TEST(DelayedPlan, PartnersGoTogetherAndFrontsWithoutColumnsEnd)
{
  FrontPlan plan = chain({2, 4, 2});
  plan.tree.pair = {1, 0, 0, 0, 1, 0, 0, 0};
  DelayRounds rounds(0);
  ASSERT_TRUE(step(rounds, plan, {1}));
  EXPECT_EQ(plan.tree.fronts(), 2);
  EXPECT_EQ(plan.tree.first, (std::vector<Index>{0, 6, 8}));
  EXPECT_EQ(plan.tree.perm, (std::vector<Index>{2, 3, 4, 5, 0, 1, 6, 7}));
  EXPECT_EQ(plan.tree.pair, (std::vector<std::uint8_t>{0, 0, 1, 0, 0, 0, 0, 0}));
}

/// Two fronts of 40 columns, of which the second panel of the first front and the first one of the second were
/// searched.
TEST(DelayedPlan, TakesTheOrderThatSearchesHaveFound)
{
  const FrontPlan plan = chain({40, 40});
  std::vector<SearchedPlace> place(80);
  EXPECT_TRUE(are_proposed(plan, searched_order(plan, place))) << "no search";
  EXPECT_EQ(predicted_search_time(plan, searched_columns(plan, place)), 0);
  for (Index c = 0; c < 8; ++c) // the last one first, in pairs
    place[32 + c] = SearchedPlace::at(7 - c, true);
  for (Index c = 0; c < 32; ++c) // one further on
    place[40 + c] = SearchedPlace::at((c + 31) % 32, false);
  const std::vector<Index> searched = searched_columns(plan, place);
  EXPECT_EQ(searched, (std::vector<Index>{8, 32}));
  EXPECT_GT(predicted_search_time(plan, searched), predicted_search_time(plan, {8, 0}));
  FrontPlan of_lu = chain({33, 20, 12}); // fronts of 65, 32 and 12 rows
  of_lu.symmetric = false;
  EXPECT_EQ(searched_columns(of_lu, std::vector<SearchedPlace>(65, SearchedPlace::at(0, false))),
            (std::vector<Index>{33, 0, 0}))
      << "warps search as fast";
  const PivotSequence pivots = searched_order(plan, place);
  EXPECT_EQ(pivots.start, plan.tree.first);
  for (Index c = 0; c < 80; ++c) {
    const bool second = c >= 32 && c < 40, third = c >= 40 && c < 72;
    EXPECT_EQ(pivots.row[c], second ? 71 - c : third ? 40 + (c + 1 - 40) % 32 : c);
    EXPECT_EQ(pivots.pair[c], second && c % 2 == 0);
  }
  const FrontPlan next = replan(plan, pivots);
  expect_sound(next);
  EXPECT_EQ(next.tree.first, plan.tree.first);
  EXPECT_EQ(next.tree.perm[32], plan.tree.perm[39]);
  EXPECT_EQ(next.flops, plan.flops);
}

} // namespace
