// Rank and inertia of complex symmetric and of Hermitian matrices on the host where rounding errors decide.
#include "support/backward_error.hpp"
#include "support/complex_solver.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

template <class S>
class ComplexRank : public testing::Test {
};
TYPED_TEST_SUITE(ComplexRank, Symmetries);

TYPED_TEST(ComplexRank, FindsTheRank)
{
  constexpr Symmetry S = TypeParam::value;
  for (const Pattern &grid : {grid_graph(6, 5, 4), grid_graph(60, 60, 1)})
    for (Index copies : {1, 3}) {
      // and an isolated vertex
      const MatrixOf<Complex> a = turned_pairs<S>(laplacian(disconnected_graph(grid, copies), 0.0));
      for (const PlanOptions &plan : all_plans()) {
        ComplexDirect<S> direct(a, plan);
        EXPECT_EQ(direct.report.zero, copies + 1);
        EXPECT_EQ(direct.report.negative, 0);
        EXPECT_EQ(direct.report.uncertain, 0);
        const std::vector<Complex> b = product(a, random_numbers<Complex>(a.pattern.rows, 2));
        EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-13);
      }
    }
  for (Index constraints : {12, 60, 200}) {
    const ComplexDirect<S> direct(turned_pairs<S>(cancelling_kkt(400, constraints)),
                                  plan_options(Preprocessing::None, Ordering::Natural, 1));
    EXPECT_EQ(direct.report.zero, constraints);
    EXPECT_EQ(direct.report.negative, S == Symmetry::Hermitian ? 400 : 0);
    EXPECT_EQ(direct.report.uncertain, 0);
  }
}

TYPED_TEST(ComplexRank, OfRedundantConstraints)
{
  constexpr Symmetry S = TypeParam::value;
  for (Index n : {4, 7})
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const ComplexDirect<S> direct(turned_pairs<S>(redundant_program(n, seed)));
      EXPECT_EQ(direct.report.zero, 3 * n - 1);
      EXPECT_EQ(direct.report.uncertain, 0);
    }
}

/// Regular by what is far below rounding of what was added to the diagonal on the way.
TYPED_TEST(ComplexRank, ZerosThatNoErrorsExplainAreUncertain)
{
  constexpr Symmetry S = TypeParam::value;
  const Matrix a = assemble(3, 3, {{0, 1, 1}, {0, 2, 1}, {1, 0, 1}, {2, 0, 1}, {2, 2, 1e-25}});
  const ComplexDirect<S> direct(turned_pairs<S>(a), plan_options(Preprocessing::None, Ordering::Natural, 8));
  EXPECT_EQ(direct.report.zero, 1);
  EXPECT_EQ(direct.report.uncertain, 1);
}

TYPED_TEST(ComplexRank, OfWhatGrowsAlongAChain)
{
  constexpr Symmetry S = TypeParam::value;
  const Index m = 200;
  const MatrixOf<Complex> a = turned_pairs<S>(cut_chain(m, m / 2));
  ComplexDirect<S> direct(a);
  EXPECT_TRUE(direct.report.tightened);
  EXPECT_EQ(direct.report.zero, 3);
  EXPECT_EQ(direct.report.negative, S == Symmetry::Hermitian ? m : 0);
  const std::vector<Complex> b = product(a, random_numbers<Complex>(a.pattern.rows, 2));
  EXPECT_LE(backward_error(a, direct.solve(b, false, 1, 10), b), 1e-14);
}

/// Dense matrices X Xᵀ or X J Xᴴ of small whole numbers, which are exact.
TYPED_TEST(ComplexRank, FindsTheRankOfDenseMatrices)
{
  constexpr Symmetry S = TypeParam::value;
  Random random(5);
  const auto small = [&] { return double(random.below(9) - 4); };
  for (Index n : {2, 5, 40, 150})
    for (Index rank : {0, 1, n / 2, n - 1}) {
      std::vector<Complex> x(std::size_t(n) * rank);
      for (Complex &value : x)
        value = {small() + 0.5, small() + 0.25};
      MatrixOf<Complex> a{assemble(0, 0, {}).pattern, {}};
      a.pattern.rows = a.pattern.cols = n;
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
          Complex sum = 0;
          for (Index k = 0; k < rank; ++k)
            sum += double(k % 3 ? 1 : -1) * (x[k * n + i] * mirrored<S>(x[k * n + j]));
          a.pattern.column.push_back(j);
          a.value.push_back(sum);
        }
        a.pattern.start.push_back(Offset(i + 1) * n);
      }
      const ComplexDirect<S> direct(a, {Preprocessing::Equilibrate});
      EXPECT_EQ(direct.report.zero, n - rank) << n << " " << rank;
      EXPECT_EQ(direct.report.negative, S == Symmetry::Hermitian ? (rank + 2) / 3 : 0) << n << " " << rank;
      EXPECT_EQ(direct.factorization->determinant().mantissa == Complex(0), rank < n);
    }
}

/// [1 b̄; b |b|²] or [1 b; b b²], a proposed pair of rank one that nothing else is beside.
TYPED_TEST(ComplexRank, PairsOfRankOneBecomeTwoPivots)
{
  constexpr Symmetry S = TypeParam::value;
  for (const Complex &b : {Complex(0, 1), Complex(3, 4), Complex(0.25, -0.5)}) {
    const MatrixOf<Complex> a{assemble(3, 3, {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}, {2, 2, 1}}).pattern,
                              {1, mirrored<S>(b), b, b * mirrored<S>(b), 5}};
    const StoredOf<Complex> stored = store_upper<S>(a);
    PlanResult plan =
        make_plan(analysed_values(a), stored.source, plan_options(Preprocessing::None, Ordering::Natural, 64));
    const auto place = std::find(plan.plan.tree.perm.begin(), plan.plan.tree.perm.end(), 0);
    plan.plan.tree.pair[place - plan.plan.tree.perm.begin()] = 1;
    const auto factor = make_host_direct<Complex>(plan.plan, FactorKind::LDLT, S);
    const DirectReport report = factor->factor(stored.value.data(), {});
    EXPECT_EQ(report.zero, 1);
    EXPECT_EQ(report.two_by_two, 0);
    const std::vector<Complex> right = product(a, random_numbers<Complex>(3, 7));
    std::vector<Complex> x(3);
    factor->solve(1, right.data(), 3, x.data(), 3, {1, 0});
    EXPECT_LE(backward_error(a, x, right), 1e-15);
  }
}

TEST(Hermitian, SignOfAPivotThatRoundingHides)
{
  const Index side = 120; // the rounding errors of as many eliminations add up to more than the change
  for (double change : {-1e-12, 1e-12}) {
    Matrix a = laplacian(grid_graph(side, side, 1), 0.0);
    a.value[std::find(a.pattern.column.begin(), a.pattern.column.end(), 0) - a.pattern.column.begin()] += change;
    const ComplexDirect<Symmetry::Hermitian> direct(turned_pairs<Symmetry::Hermitian>(a));
    EXPECT_EQ(direct.report.zero, 0);
    EXPECT_EQ(direct.report.negative, change < 0 ? 1 : 0);
  }
}

} // namespace
