// The direct solver: fronts that add up what children hand on, and zero pivots where these cancel. Linked twice, for
// the host and for a device.
#include "support/direct_solver.hpp"
#include "support/graphs.hpp"
#include "support/inertia.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

using namespace tessera;
using namespace tessera::test;

namespace {

/// Two leaves of `own` rows and `border` rows below both, dense, each row once or twice, and some empty rows among
/// them: singular, with the inertia of the matrix of different rows. Diagonal entries of `weak` rows are 0, so that a
/// pivot of 0 need not have an empty column.
Matrix with_copies(Index own, Index border, bool weak, std::uint64_t seed)
{
  Random random(seed);
  const Index different = 2 * own + border;
  std::vector<Index> row_of; // of the different ones, or -1
  for (Index i = 0; i < different; ++i) {
    row_of.insert(row_of.end(), random.uniform() < 0.3 ? 2 : 1, i);
    if (random.uniform() < 0.1)
      row_of.push_back(-1);
  }
  const auto leaf = [&](Index i) { return i < own ? 1 : i < 2 * own ? 2 : 3; };
  std::vector<double> value(different * different, 0);
  for (Index i = 0; i < different; ++i)
    for (Index j = 0; j <= i; ++j)
      if (leaf(i) == leaf(j) || leaf(i) == 3)
        value[i * different + j] = value[j * different + i] = i != j ? random.between(-1, 1)
                                                              : weak && i % 5 == 0
                                                                  ? 0
                                                                  : std::copysign(4.0, random.between(-1, 1));
  std::vector<Triplet> t;
  const Index n = Index(row_of.size());
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, i, 0});
    for (Index j = 0; j < n; ++j)
      if (row_of[i] >= 0 && row_of[j] >= 0)
        t.push_back({i, j, value[row_of[i] * different + row_of[j]]});
  }
  return assemble(n, n, t);
}

TEST(Direct, TakesZeroPivotsInTheirOrder)
{
  for (Index own : {4, 9, 20, 40})
    for (Index border : {6, 20})
      for (bool weak : {false, true})
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
          SCOPED_TRACE(std::to_string(own) + " own, " + std::to_string(border) + " below, seed " +
                       std::to_string(seed) + (weak ? ", weak" : ""));
          const Matrix a = with_copies(own, border, weak, seed);
          const Inertia expected = inertia_of(a);
          EXPECT_GT(expected.zero, 0);
          for (Preprocessing preprocessing : {Preprocessing::None, Preprocessing::Matching}) {
            Direct direct(a, plan_options(preprocessing, Ordering::Natural, 1));
            EXPECT_EQ(direct.report.zero, expected.zero);
            EXPECT_EQ(direct.report.negative, expected.negative);
            EXPECT_EQ(direct.report.positive, expected.positive);
            const std::vector<double> b = product(a, random_vector(a.pattern.rows, 5));
            EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-13);
          }
        }
}

TEST(Direct, AddsUpThousandsOfChildren)
{
  // The constraints' front has about as many children as there are variables, and is larger the more there are of them.
  Random random(4);
  const Index variables = 3000;
  for (Index constraints : {8, 60, 200}) {
    const Matrix a = random_kkt(random, variables, constraints, 4 * variables / constraints);
    for (const PlanOptions &plan : all_plans()) {
      SCOPED_TRACE(std::to_string(constraints) + " constraints");
      Direct direct(a, plan);
      ASSERT_EQ(direct.report.status, DirectReport::Complete);
      EXPECT_EQ(direct.report.negative, constraints);
      EXPECT_EQ(direct.report.positive, variables);
      const std::vector<double> b = product(a, random_vector(a.pattern.rows, 3)), x = direct.solve(b);
      EXPECT_LE(backward_error(a, x, b), 1e-13);
      direct.factorization->factor(direct.stored.value.data(), {});
      const std::vector<double> again = direct.solve(b);
      EXPECT_EQ(std::memcmp(x.data(), again.data(), x.size() * sizeof(double)), 0);
    }
  }
}

TEST(Direct, FindsTheRankWhereChildrenCancel)
{
  for (Index constraints : {12, 60, 200}) {
    const Matrix a = cancelling_kkt(400, constraints);
    const Direct direct(a, plan_options(Preprocessing::None, Ordering::Natural, 1));
    EXPECT_EQ(direct.report.zero, constraints);
    EXPECT_EQ(direct.report.negative, 400);
    EXPECT_EQ(direct.report.positive, 400);
  }
}

TEST(Direct, AddsUpGroupsOfMoreThanAWarpHasLanes)
{
  const Matrix a = laplacian(tessera_test::leaves_graph(80000, 12, 2), 0.1);
  Direct direct(a, plan_options(Preprocessing::None, Ordering::Natural, 1));
  EXPECT_EQ(direct.report.positive, a.pattern.rows);
  const std::vector<double> b = product(a, random_vector(a.pattern.rows, 2));
  EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-13);
}

} // namespace
