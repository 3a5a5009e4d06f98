// Columns that a device delays, from one factorization to the next, in place of a search by the host.
#include "support/direct_solver.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"
#include "support/weak_diagonal.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

using namespace tessera;
using namespace tessera::test;

namespace {

DirectOptions with_delays(bool delays)
{
  DirectOptions options;
  options.least_delay_flops = delays ? 0 : std::numeric_limits<double>::infinity();
  return options;
}

/// [0 B; Bᵀ 0] with a sparse B.
Matrix without_diagonal(Index half)
{
  Random random(7);
  std::vector<Triplet> t;
  for (Index i = 0; i < half; ++i)
    for (Index d : {0, 1, 5, 11}) {
      const Index j = half + (i + d) % half;
      const double x = random.between(0.5, 2);
      t.push_back({i, j, x});
      t.push_back({j, i, x});
    }
  return assemble(2 * half, 2 * half, t);
}

/// An indefinite Laplacian on a cube with next to nothing on a share of its diagonal.
Matrix weak_grid(Index n, double share)
{
  using namespace tessera_test;
  return with_weak_diagonal(laplacian(grid_graph(n, n, n), -0.37), share);
}

/// A dense matrix whose first columns are coupled to the last ones alone: one front of tiles, whose first pivots fail.
Matrix weak_beginning(Index n, Index weak)
{
  Random random(11);
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      const double size = j < weak && i < n - weak ? 1e-9 : 1, x = size * random.between(-1, 1);
      t.push_back({i, j, x});
      if (j < i)
        t.push_back({j, i, x});
    }
  return assemble(n, n, t);
}

/// What delays come to, beside a search by the host.
void expect_as_good(const Matrix &a, const PlanOptions &plan, Index &delayed, Index &searched)
{
  Direct direct(a, plan, with_delays(true)), other(a, plan, with_delays(false));
  ASSERT_EQ(direct.report.status, DirectReport::Complete);
  EXPECT_EQ(direct.report.delay_rounds > 0, other.report.searches > 0);
  EXPECT_EQ(direct.report.negative, other.report.negative);
  EXPECT_EQ(direct.report.zero, other.report.zero);
  EXPECT_LE(direct.report.flops, 2.5 * std::max(direct.plan.plan.flops, other.report.flops));
  const std::vector<double> b = product(a, random_vector(a.pattern.rows, 2)), x = direct.solve(b);
  EXPECT_LE(backward_error(a, x, b), std::max(1e-13, 100 * backward_error(a, other.solve(b), b)));
  const DirectReport again = direct.factorization->factor(direct.stored.value.data(), with_delays(true));
  EXPECT_EQ(again.delay_rounds + again.searches + again.reorders, 0) << "the plan stays";
  const std::vector<double> y = direct.solve(b);
  EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(double)), 0);
  delayed += direct.report.delay_rounds > 0 && direct.report.searches == 0;
  searched += direct.report.searches > 0;
}

TEST(DelayRounds, AreAsGoodAsASearch)
{
  Index delayed = 0, searched = 0;
  for (std::size_t p = 0; p < all_plans().size(); ++p)
    for (double share : {0.01, 0.1, 0.5}) {
      SCOPED_TRACE("plan " + std::to_string(p) + ", share " + std::to_string(share));
      expect_as_good(weak_grid(8, share), all_plans()[p], delayed, searched);
    }
  expect_as_good(weak_grid(13, 0.1), all_plans()[2], delayed, searched);
  EXPECT_GE(delayed, 6);
  EXPECT_LE(searched, 1);
}

TEST(DelayRounds, TryColumnsBehindTheOthersOfAFrontOfTiles)
{
  for (Index weak : {1, 5, 40}) {
    SCOPED_TRACE(weak);
    Index delayed = 0, searched = 0;
    expect_as_good(weak_beginning(300, weak), plan_options(Preprocessing::None, Ordering::Natural, 1), delayed,
                   searched);
    EXPECT_EQ(delayed, 1);
  }
}

/// A dense matrix, whose pivots are seldom where the plan has them.
TEST(DelayRounds, TakeTheOrderThatSearchesHaveFound)
{
  const Matrix a = weak_beginning(512, 0);
  const PlanOptions plan = plan_options(Preprocessing::None, Ordering::Natural, 1);
  Direct direct(a, plan, with_delays(false)); // a plan of any size
  EXPECT_EQ(direct.report.reorders, 1);
  EXPECT_LE(direct.report.searched_panels, 1) << "of 16";
  EXPECT_GT(direct.report.two_by_two, 0);
  const double *const values = direct.stored.value.data();
  EXPECT_EQ(direct.report.negative, make_host_direct(direct.plan.plan, FactorKind::LDLT)->factor(values, {}).negative);
  const std::vector<double> b = product(a, random_vector(512, 2)), x = direct.solve(b);
  EXPECT_LE(backward_error(a, x, b), 3e-12);
  const DirectReport again = direct.factorization->factor(values, with_delays(true));
  EXPECT_EQ(again.reorders + again.delay_rounds + again.searches, 0) << "the plan stays";
  EXPECT_EQ(direct.solve(b), x);
}

/// Of later values, which the next ones are not, where that is worth a plan.
TEST(DelayRounds, LeaveTheOrderWhereItIsNotUsedOften)
{
  const Matrix a = weak_beginning(192, 0);
  Matrix definite = a;
  for (Index i = 0; i < definite.pattern.rows; ++i)
    definite.value[i * Offset(definite.pattern.rows + 1)] = 500;
  for (bool later : {false, true}) {
    SCOPED_TRACE(later);
    DirectOptions options = with_delays(false);
    Direct direct(definite, plan_options(Preprocessing::None, Ordering::Natural, 1), options);
    EXPECT_EQ(direct.report.reorders, 0);
    direct.stored.value = store_reversed(a).value;
    options.other_values = later;
    direct.report = direct.factorization->factor(direct.stored.value.data(), options);
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    EXPECT_EQ(direct.report.reorders, later ? 0 : 1);
    EXPECT_EQ(direct.report.searched_panels > 1, later);
  }
}

/// Where most columns have to be delayed, the host searches in the end.
TEST(DelayRounds, EndWithASearch)
{
  Index delayed = 0, searched = 0;
  for (Index half : {20, 60, 200})
    for (const PlanOptions &plan : all_plans()) {
      SCOPED_TRACE(half);
      expect_as_good(without_diagonal(half), plan, delayed, searched);
    }
  EXPECT_GT(searched, 0);
}

/// Delays that led nowhere once would again.
TEST(DelayRounds, AreNotTriedAfterASearch)
{
  const Matrix a = weak_grid(8, 0.1), more = weak_grid(8, 0.5);
  Direct direct(a, all_plans()[2], with_delays(false));
  ASSERT_GT(direct.report.searches, 0);
  const Stored stored = store_reversed(more);
  const DirectReport report = direct.factorization->factor(stored.value.data(), with_delays(true));
  ASSERT_EQ(report.status, DirectReport::Complete);
  EXPECT_GT(report.searches, 0);
  EXPECT_EQ(report.delay_rounds, 0);
  const std::vector<double> b = product(more, random_vector(more.pattern.rows, 2));
  EXPECT_LE(backward_error(more, direct.solve(b), b), 1e-12);
  EXPECT_EQ(report.negative, Direct(more).report.negative);
}

TEST(DelayRounds, LaterMatricesGoOnWithThePlan)
{
  const Matrix a = weak_grid(8, 0.1), strong = weak_grid(8, 0), more = weak_grid(8, 0.5);
  Direct direct(a, all_plans()[2], with_delays(true));
  ASSERT_GT(direct.report.delay_rounds, 0);
  for (const Matrix *m : {&strong, &a, &more, &a}) {
    const Stored stored = store_reversed(*m);
    const DirectReport report = direct.factorization->factor(stored.value.data(), with_delays(true));
    ASSERT_EQ(report.status, DirectReport::Complete);
    EXPECT_EQ(report.delay_rounds > 0, m == &more);
    EXPECT_EQ(report.searches, 0);
    const std::vector<double> b = product(*m, random_vector(m->pattern.rows, 2));
    EXPECT_LE(backward_error(*m, direct.solve(b), b), 1e-12);
    EXPECT_EQ(report.negative, Direct(*m).report.negative);
  }
}

} // namespace
