// Static pivoting of the direct solver, LDLᵀ and LU: nothing is delayed, what is too small is replaced and counted, and
// refinement makes up for it.
#include "factor/lu/make_lu_plan.hpp"
#include "support/complex_solver.hpp"
#include "support/graphs.hpp"
#include "support/lu_cases.hpp"
#include "support/random_matrix.hpp"
#include "support/static_cases.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// As Direct, for LU.
struct DirectLu {
  Stored stored;
  LuPlanResult plan;
  std::unique_ptr<DirectFactorization> factorization;
  DirectReport report;

  explicit DirectLu(const Matrix &a, const PlanOptions &options = {}, const DirectOptions &direct = static_pivots)
      : stored(store_reversed(a)), plan(make_lu_plan(a, stored.source, options))
  {
    EXPECT_EQ(plan.status, AnalysisStatus::Ok);
    factorization = make_direct_lu(plan.plan);
    report = factorization->factor(stored.value.data(), direct);
  }

  std::vector<double> solve(const std::vector<double> &b, Index steps) const
  {
    const Index n = static_cast<Index>(b.size());
    std::vector<double> x(b.size(), NAN);
    factorization->solve(1, b.data(), n, x.data(), n, {1e-14, steps});
    return x;
  }
};

Matrix diagonal(const std::vector<double> &d)
{
  std::vector<Triplet> t;
  for (Index i = 0; i < Index(d.size()); ++i)
    t.push_back({i, i, d[i]});
  return assemble(Index(d.size()), Index(d.size()), t);
}

/// Of the solution of A x = b for a random x.
template <class Solver>
double error_of(const Matrix &a, Solver &solver, Index steps)
{
  const std::vector<double> b = product(a, random_vector(a.pattern.rows, 5));
  return backward_error(a, solver.solve(b, steps), b);
}
double error_of(const Matrix &a, Direct &solver, Index steps)
{
  const std::vector<double> b = product(a, random_vector(a.pattern.rows, 5));
  return backward_error(a, solver.solve(b, 1, steps), b);
}

template <class Solver>
void expect_all_taken(const Matrix &a, Solver &solver)
{
  ASSERT_EQ(solver.report.status, DirectReport::Complete);
  EXPECT_EQ(solver.report.delayed, 0);
  EXPECT_EQ(solver.report.searches, 0);
  EXPECT_EQ(solver.report.zero, 0);
  EXPECT_LE(error_of(a, solver, 10), 1e-14);
}

TEST(StaticPivots, NothingIsDelayed)
{
  Random random(4);
  for (const Matrix &a : {small_pivots(), random_kkt(random, 300, 120, 3)}) {
    Direct symmetric(a, {}, static_pivots);
    expect_all_taken(a, symmetric);
    DirectLu unsymmetric(a);
    expect_all_taken(a, unsymmetric);
  }
}

/// Three paths whose rows add up to 1e-10, so that the last pivot of each is replaced: refinement alone, whose steps
/// take little of the error away then, ends far from its target.
TEST(StaticPivots, SolutionsThatRefinementLeavesFarAreCorrected)
{
  constexpr Index n = 120;
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i + 1 < n; ++i)
    if ((i + 1) % (n / 3) > 0)
      edges.push_back({i, i + 1});
  const Matrix a = laplacian(graph_of(n, edges), 1e-10);
  const std::vector<double> b = random_vector(n, 5);
  const auto check = [&](const auto &solve) {
    std::vector<double> x = solve(b, 0);
    for (int step = 0; step < 10; ++step) {
      std::vector<double> r = product(a, x);
      std::transform(b.begin(), b.end(), r.begin(), r.begin(), std::minus<>());
      const std::vector<double> c = solve(r, 0);
      std::transform(x.begin(), x.end(), c.begin(), x.begin(), std::plus<>());
    }
    EXPECT_GE(backward_error(a, x, b), 1e-12) << "refinement alone";
    EXPECT_LE(backward_error(a, solve(b, 10), b), 1e-14);
  };
  Direct symmetric(a, {}, static_pivots);
  EXPECT_EQ(symmetric.report.perturbed, 3);
  check([&](const std::vector<double> &right, Index steps) { return symmetric.solve(right, 1, steps); });
  DirectLu unsymmetric(a);
  check([&](const std::vector<double> &right, Index steps) { return unsymmetric.solve(right, steps); });

  std::vector<double> three(3 * n), x(3 * n); // the one in the middle needs nothing
  std::copy(b.begin(), b.end(), three.begin());
  std::copy(b.rbegin(), b.rend(), three.begin() + 2 * n);
  const SolveReport report = symmetric.factorization->solve(3, three.data(), n, x.data(), n, {1e-14, 10});
  EXPECT_LE(report.backward_error, 1e-14);
  EXPECT_GT(report.steps, 0);
  EXPECT_LE(report.steps, 10);
  EXPECT_EQ(std::vector<double>(x.begin(), x.begin() + n), symmetric.solve(b, 1, 10)) << "as it would be alone";
}

TEST(StaticPivots, ReplacesWhatIsTooSmallAndCountsIt)
{
  const std::vector<double> d = {2, 1e-20, -1e-20, 0, -1, 1e-7};
  const double least = 2 * static_least_pivot;
  const std::vector<double> taken = {2, least, -least, least, -1, 1e-7};
  const Matrix a = diagonal(d);
  Direct symmetric(a, one_by_one(), static_pivots);
  ASSERT_EQ(symmetric.report.status, DirectReport::Complete);
  EXPECT_EQ(symmetric.report.perturbed, 3);
  EXPECT_EQ(symmetric.report.negative, 2);
  EXPECT_EQ(symmetric.report.positive, 4);
  EXPECT_EQ(symmetric.report.zero, 0);
  DirectLu unsymmetric(a, one_by_one());
  ASSERT_EQ(unsymmetric.report.status, DirectReport::Complete);
  EXPECT_EQ(unsymmetric.report.perturbed, 3);
  const std::vector<double> b(d.size(), 1.0), x = symmetric.solve(b), y = unsymmetric.solve(b, 0);
  for (std::size_t i = 0; i < d.size(); ++i) {
    EXPECT_NEAR(x[i] * taken[i], 1, 1e-14) << i;
    EXPECT_NEAR(y[i] * taken[i], 1, 1e-14) << i;
  }
}

/// Fronts whose last panel has columns of padding, with a pair that has to be searched there.
TEST(StaticPivots, PaddingIsNotReplaced)
{
  for (const Index own : {5, 12, 28, 32, 44, 60}) {
    const Index n = 256 + own;
    std::vector<Triplet> lower;
    for (Index i = 0; i < n; ++i)
      if (i != 258 && i != 259)
        lower.push_back({i, i, i % 3 - 1.5});
    lower.push_back({259, 258, 1.0});
    const Matrix a = with_dense_columns(n, n, lower);
    Direct solver(a, one_by_one(), static_pivots);
    ASSERT_EQ(solver.report.status, DirectReport::Complete) << n;
    EXPECT_EQ(solver.report.perturbed, 0) << n;
    EXPECT_EQ(solver.report.positive + solver.report.negative, n);
    EXPECT_LE(error_of(a, solver, 0), 1e-15) << n;
  }
}

/// Pairs that the matching proposes. Once one of the first two is eliminated, the other has a singular value of 1e-12:
/// where L below is not tested, nothing else speaks against it.
TEST(StaticPivots, ProposedPairsThatComeToBeSingularAreNone)
{
  constexpr double half = 0.5 * (1 + 1e-12);
  for (Index pairs : {2, 4, 12}) {
    std::vector<Triplet> t = {{1, 0, 1}, {3, 2, 1}, {2, 0, half}, {2, 1, half}, {3, 0, half}, {3, 1, half}};
    for (Index i = 4; i < 2 * pairs; i += 2)
      t.insert(t.end(), {{i, i, 1}, {i + 1, i, 2}, {i + 1, i + 1, 1}});
    const Direct direct(with_dense_columns(2 * pairs, 2 * pairs, t), {}, static_pivots);
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    EXPECT_EQ(direct.plan.plan.tree.fronts(), 1);
    EXPECT_LT(direct.report.two_by_two, pairs);
    EXPECT_EQ(direct.report.perturbed, 1);
  }
}

/// Of two columns without pivots a pair that is small beside the largest entry is none either.
TEST(StaticPivots, SmallPairsAreNone)
{
  const Matrix small = assemble(3, 3, {{0, 0, 1}, {1, 2, 1e-9}, {2, 1, 1e-9}});
  const Direct direct(small, one_by_one(), static_pivots);
  EXPECT_EQ(direct.report.two_by_two, 0);
  EXPECT_EQ(direct.report.perturbed, 2);
}

/// Columns 0 and 1 of a front have good pivots, but L below them, in a row of its parent, overflows.
TEST(StaticPivots, OverflowIsAFailure)
{
  PlanOptions options = one_by_one();
  options.relaxation.zeros = 0;
  for (Index dense : {2, 24, 60, 300}) {
    const Index below = dense, last = dense + 1;
    std::vector<Triplet> t = {{0, 0, 1e304}, {1, 0, 5e305}, {1, 1, 1.7e307}, {below, 0, 1e307}, {last, below, 1e304}};
    for (Index i = 2; i < last + 1; ++i)
      t.push_back({i, i, 1e304});
    const Matrix a = with_dense_columns(last + 1, dense, t);
    const Direct symmetric(a, options, static_pivots);
    EXPECT_EQ(symmetric.plan.plan.tree.fronts(), 2);
    EXPECT_EQ(symmetric.report.status, DirectReport::NonFinite);
    const DirectLu unsymmetric(a, options);
    EXPECT_EQ(unsymmetric.report.status, DirectReport::NonFinite);
  }
}

TEST(StaticPivots, RefinementMakesUpForWhatIsReplaced)
{
  for (Index half : {20, 60, 200}) {
    const Matrix a = without_diagonal(half, 7); // pivots are zero, or in other fronts
    EXPECT_GT(Direct(a, one_by_one()).report.delayed, half);
    Direct symmetric(a, one_by_one(), static_pivots);
    expect_all_taken(a, symmetric);
    EXPECT_GT(symmetric.report.perturbed, half / 2);
    EXPECT_GT(error_of(a, symmetric, 0), 1e-13);
    DirectLu unsymmetric(a, one_by_one());
    expect_all_taken(a, unsymmetric);
    EXPECT_GT(unsymmetric.report.perturbed, half / 2);
    EXPECT_GT(error_of(a, unsymmetric, 0), 1e-13);
  }
}

TEST(StaticPivots, OthersReplaceNothing)
{
  const Matrix a = diagonal({1, 1e-20, -1e-20});
  EXPECT_EQ(Direct(a, one_by_one()).report.perturbed, 0);
  EXPECT_EQ(DirectLu(a, one_by_one(), {}).report.perturbed, 0);
}

TEST(StaticPivots, ZeroMatrixAndEntriesThatAreNotFinite)
{
  const Direct zero(diagonal({0, 0, 0}), one_by_one(), static_pivots);
  EXPECT_EQ(zero.report.status, DirectReport::Complete);
  EXPECT_EQ(zero.report.perturbed, 3);
  Random random(3);
  Matrix a = random_matrix(random, 40, 200, Values::uniform, true);
  for (Index i = 0; i < 40; ++i)
    a.value[a.pattern.start[i]] = i == 20 ? NAN : 1;
  Matrix good = a;
  for (double &x : good.value)
    x = std::isnan(x) ? 1 : x;
  const Stored stored = store_reversed(a);
  const PlanResult plan = make_plan(good, stored.source, {});
  EXPECT_EQ(make_direct(plan.plan, FactorKind::LDLT)->factor(stored.value.data(), static_pivots).status,
            DirectReport::NonFinite);
}

/// Kept pivots are replaced, and counted, in each factorization.
TEST(StaticPivots, KeptOnesAreReplacedAgain)
{
  const Matrix a = without_diagonal(60, 7);
  const Stored stored = store_reversed(a);
  const PlanResult plan = make_plan(a, stored.source, one_by_one());
  const LuPlanResult lu = make_lu_plan(a, stored.source, one_by_one());
  DirectOptions keeping = static_pivots;
  keeping.keep_pivots = true;
  for (const auto &direct : {make_keeping_direct<double>(plan.plan, FactorKind::LDLT, Symmetry::Symmetric),
                             make_keeping_lu<double>(lu.plan)})
    for (int time = 0; time < 3; ++time) {
      const DirectReport report = direct->factor(stored.value.data(), keeping);
      ASSERT_EQ(report.status, DirectReport::Complete);
      EXPECT_EQ(report.delayed, 0);
      EXPECT_GT(report.perturbed, 30);
      const Index n = a.pattern.rows;
      const std::vector<double> b = product(a, random_vector(n, 5));
      std::vector<double> x(b.size(), NAN);
      direct->solve(1, b.data(), n, x.data(), n, {1e-14, 10});
      EXPECT_LE(backward_error(a, x, b), 1e-14);
    }
}

template <class S>
class StaticComplexPivots : public testing::Test {
};
TYPED_TEST_SUITE(StaticComplexPivots, Symmetries);

/// A replaced pivot keeps its argument; of a Hermitian matrix it is real.
TYPED_TEST(StaticComplexPivots, AreReplacedAndCounted)
{
  constexpr Symmetry S = TypeParam::value;
  const Complex i = S == Symmetry::Hermitian ? Complex(1) : Complex(0, 1);
  MatrixOf<Complex> a;
  a.pattern = diagonal({1, 1, 1, 1}).pattern;
  a.value = {Complex(2), -1e-20 * i, Complex(0), -i};
  const double least = 2 * static_least_pivot;
  const std::vector<Complex> taken = {Complex(2), -least * i, Complex(least), -i};
  ComplexDirect<S> direct(a, one_by_one(), static_pivots);
  ASSERT_EQ(direct.report.status, DirectReport::Complete);
  EXPECT_EQ(direct.report.perturbed, 2);
  const std::vector<Complex> x = direct.solve(std::vector<Complex>(4, Complex(1)));
  for (std::size_t k = 0; k < taken.size(); ++k)
    EXPECT_LE(std::abs(x[k] * taken[k] - 1.0), 1e-14) << k;
}

TYPED_TEST(StaticComplexPivots, AreMadeUpForByRefinement)
{
  constexpr Symmetry S = TypeParam::value;
  for (Index half : {20, 60, 200}) {
    const MatrixOf<Complex> a = with_arguments_of_pairs<S>(without_diagonal(half, 7));
    ComplexDirect<S> direct(a, one_by_one(), static_pivots);
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    EXPECT_EQ(direct.report.delayed, 0);
    EXPECT_GT(direct.report.perturbed, half / 2);
    const std::vector<Complex> b = product(a, random_numbers<Complex>(2 * half, 5));
    EXPECT_LE(backward_error(a, direct.solve(b, false, 1, 10), b), 1e-14);
  }
}

TEST(StaticPivots, BitsDoNotDependOnThreads)
{
  Random random(6);
  const Matrix a = random_kkt(random, 2000, 800, 4);
  const std::vector<double> b = random_vector(a.pattern.rows, 2);
  std::vector<double> first, first_lu;
  for (int n : {1, 2, 3}) {
    const Threads scope(n);
    const std::vector<double> x = Direct(a, {}, static_pivots).solve(b), y = DirectLu(a).solve(b, 0);
    if (n == 1) {
      first = x;
      first_lu = y;
    }
    EXPECT_EQ(std::memcmp(x.data(), first.data(), x.size() * sizeof x[0]), 0) << n;
    EXPECT_EQ(std::memcmp(y.data(), first_lu.data(), y.size() * sizeof y[0]), 0) << n;
  }
}

} // namespace
