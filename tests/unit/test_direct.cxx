// The direct solver: solutions, inertia, rank and bits, for every kind of matrix, threshold and order. Linked twice,
// for the host and for a device.
#include "support/dense.hpp"
#include "support/direct_solver.hpp"
#include "support/graphs.hpp"
#include "support/inertia.hpp"
#include "support/random_matrix.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// No entry is zero: random numbers, with `diagonal` added to the first half of the diagonal, and `rest` in place of
/// the block in the other half's rows and columns, but for its diagonal where it is not 0.
Matrix full_matrix(Index n, double diagonal, bool has_block, double rest)
{
  Random random(7);
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      const double x = random.between(-1, 1);
      if (i == j)
        t.push_back({i, i, 2 * i < n ? x + diagonal : (has_block ? x : 0) + rest});
      else if (has_block || 2 * j < n) {
        t.push_back({i, j, x});
        t.push_back({j, i, x});
      }
    }
  return assemble(n, n, t);
}

/// The system of a control problem with small weights: controls u_k, states x_k and y_k, rows for
/// x_k+1 = x_k - h y_k and y_k+1 = y_k - h x_k + h u_k with h = 2e-4, multipliers in between.
Matrix control(Index steps)
{
  std::vector<Triplet> t;
  const auto add = [&](Index i, Index j, double value) {
    t.push_back({i, j, value});
    if (i != j)
      t.push_back({j, i, value});
  };
  const double h = 2e-4;
  const auto u = [](Index k) { return k; };
  const auto x = [&](Index k) { return steps + 2 * k; };
  const auto y = [&](Index k) { return steps + 2 * k + 1; };
  const auto row = [&](Index k) { return 3 * steps + 2 * (k + 1); };
  for (Index k = 0; k <= steps; ++k) {
    add(x(k), x(k), k > 0 ? h : 1 + h);
    add(y(k), y(k), k > 0 ? 2 * h : 1 + 2 * h);
    if (k == steps)
      break;
    add(u(k), u(k), 6 * h);
    add(row(k), x(k), 1);
    add(row(k), y(k), -h);
    add(row(k), x(k + 1), -1);
    add(row(k) + 1, y(k), 1);
    add(row(k) + 1, x(k), -h);
    add(row(k) + 1, u(k), h);
    add(row(k) + 1, y(k + 1), -1);
  }
  return assemble(row(steps), row(steps), t);
}

TEST(Direct, SolvesEveryKindOfMatrix)
{
  for (const NamedMatrix &c : factor_cases())
    for (std::size_t p = 0; p < all_plans().size(); ++p)
      for (double threshold : {0.01, 0.5}) {
        SCOPED_TRACE(c.name + ", plan " + std::to_string(p));
        Direct direct(c.matrix, all_plans()[p], {threshold});
        ASSERT_EQ(direct.report.status, DirectReport::Complete);
        const Index n = c.matrix.pattern.rows;
        EXPECT_EQ(direct.report.one_by_one + 2 * direct.report.two_by_two, n);
        EXPECT_EQ(direct.report.negative + direct.report.zero + direct.report.positive, n);
        const std::vector<double> b = product(c.matrix, random_vector(n, 3));
        EXPECT_LE(backward_error(c.matrix, direct.solve(b), b), 1e-13);
        EXPECT_LE(backward_error(c.matrix, direct.solve(b, 1, 10), b), 1e-14);
      }
}

TEST(Direct, InertiaIsThatOfTheEigenvalues)
{
  for (const NamedMatrix &c : factor_cases())
    for (const PlanOptions &plan : all_plans()) {
      if (c.matrix.pattern.rows > 120)
        continue;
      SCOPED_TRACE(c.name);
      const Direct direct(c.matrix, plan);
      const Inertia found{direct.report.negative, direct.report.zero, direct.report.positive},
          expected = inertia_of(c.matrix);
      EXPECT_TRUE(found == expected) << found.negative << " " << found.zero << " " << found.positive << " for "
                                     << expected.negative << " " << expected.zero << " " << expected.positive;
    }
}

TEST(Direct, ScalingAddsNoErrorThatNeedsRefinement)
{
  // The matching scales states by up to 2^6, for no entry's sake but that of its search.
  const Matrix a = control(3000);
  Direct direct(a);
  EXPECT_EQ(direct.report.negative, 2 * 3000);
  EXPECT_EQ(direct.report.delayed, 0);
  const std::vector<double> b = product(a, std::vector<double>(a.pattern.rows, 1.0));
  EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-14);
}

TEST(Direct, DelaysColumnsWithoutPivots)
{
  for (Index half : {20, 60, 200}) {
    const Matrix a = without_diagonal(half, 7);
    Direct direct(a, plan_options(Preprocessing::None, Ordering::Natural, 1));
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    EXPECT_GT(direct.report.delayed, half); // each on its way to the second half, most of them more than once
    EXPECT_EQ(direct.report.negative, half);
    EXPECT_EQ(direct.report.positive, half);
    const std::vector<double> b = product(a, random_vector(2 * half, 5));
    EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-14);
    EXPECT_LT(Direct(a).report.delayed, half / 4); // the matching makes 2x2 pivots of them
  }
}

TEST(Direct, KeepsPivotsThatItSearched)
{
  const Matrix a = without_diagonal(60, 7);
  Direct direct(a, plan_options(Preprocessing::None, Ordering::Natural, 1));
  ASSERT_EQ(direct.report.status, DirectReport::Complete);
  EXPECT_EQ(direct.report.searches > 0, direct_on_device);
  const std::vector<double> b = product(a, random_vector(120, 5)), x = direct.solve(b);
  const DirectReport again = direct.factorization->factor(direct.stored.value.data(), {});
  EXPECT_EQ(again.searches, 0);
  EXPECT_EQ(again.delayed, direct.report.delayed);
  const std::vector<double> y = direct.solve(b);
  EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(double)), 0);
  EXPECT_EQ(Direct(saddle_point()).report.searches, 0);
}

/// A random symmetric matrix in which large entries are anywhere: diagonal entries of 1e-6 to 1e6, or zero.
Matrix graded(Index n, std::uint64_t seed)
{
  Random random(seed);
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i) {
    const double size = random.uniform() < 0.6 ? std::pow(10, random.between(-6, 6)) : 0;
    t.push_back({i, i, std::copysign(size, random.between(-1, 1))});
    for (Index j = 0; j < i; ++j)
      if (random.uniform() < 0.3) {
        const double value = random.between(-1, 1) * std::pow(10, random.between(-2, 2));
        t.push_back({i, j, value});
        t.push_back({j, i, value});
      }
  }
  return assemble(n, n, t);
}

/// One front, whose pairs begin at any place. A device that moves them to even ones has entries of L that the host has
/// not seen, above 2 in some of these systems however often the host searches; fronts that end before them have none.
TEST(Direct, TakesPairsInTheOrderInWhichTheyWereFound)
{
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Matrix a = graded(40, seed);
    Direct direct(a, plan_options(Preprocessing::None, Ordering::Natural, 64), {0.5});
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    const std::vector<double> b = product(a, random_vector(40, seed));
    EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-13);
  }
}

TEST(Direct, EntriesOfLAreBounded)
{
  const Matrix a = small_pivots();
  const Index n = a.pattern.rows;
  for (Index nemin : {1, 16, 64}) {
    Direct direct(a, plan_options(Preprocessing::None, Ordering::Natural, nemin));
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    const std::vector<double> b = product(a, random_vector(n, 5));
    EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-15 * 8);
    EXPECT_LE(direct.report.largest, 100);
  }
}

TEST(Direct, FindsTheRank)
{
  using namespace tessera_test;
  const Pattern grid = grid_graph(6, 5, 4);
  for (Index copies : {1, 3}) {
    const Matrix a = laplacian(disconnected_graph(grid, copies), 0.0); // and an isolated vertex
    for (const PlanOptions &plan : all_plans()) {
      Direct direct(a, plan);
      EXPECT_EQ(direct.report.zero, copies + 1);
      EXPECT_EQ(direct.report.negative, 0);
      const std::vector<double> b = product(a, random_vector(a.pattern.rows, 2));
      EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-13);
    }
  }
}

/// The Laplacian of a grid, whose rows sum to zero, with something added to its first diagonal entry.
Matrix grid_laplacian(Index side, double added)
{
  Matrix a = laplacian(tessera_test::grid_graph(side, side, 1), 0.0);
  a.value[std::find(a.pattern.column.begin(), a.pattern.column.end(), 0) - a.pattern.column.begin()] += added;
  return a;
}

/// Pivots that are nothing but rounding as they come out, and have a sign all the same.
TEST(Direct, IsSureOfZeroPivots)
{
  for (const auto &[side, added] : {std::pair<Index, double>{4, 0},
                                    {4, 2e-14},
                                    {4, -2e-14},
                                    {150, 1e-12},
                                    {150, -1e-12},
                                    {150, 4e-13},
                                    {150, -4e-13},
                                    {200, 0}}) {
    SCOPED_TRACE(std::to_string(side) + " " + std::to_string(added));
    const Matrix a = grid_laplacian(side, added);
    Direct direct(a);
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    EXPECT_FALSE(direct.report.asked_host);
    EXPECT_EQ(direct.report.zero, added == 0 ? 1 : 0);
    EXPECT_EQ(direct.report.negative, added < 0 ? 1 : 0);
    EXPECT_EQ(direct.report.positive, a.pattern.rows - 1 + (added > 0 ? 1 : 0));
    EXPECT_EQ(direct.report.uncertain, 0);
    const double determinant = direct.factorization->determinant().mantissa;
    EXPECT_EQ(determinant < 0, added < 0);
    EXPECT_EQ(determinant == 0, added == 0);
    const std::vector<double> b = product(a, random_vector(a.pattern.rows, 3));
    EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-13);
    if (added != 0)
      EXPECT_LE(backward_error(a, direct.solve(b, 1, 10), b), 1e-14);
  }
}

TEST(Direct, ScaledCopiesHaveTheSamePivots)
{
  const Matrix a = saddle_point();
  for (double factor : {0x1p-66, 0x1p66}) {
    Matrix b = a;
    for (double &x : b.value)
      x *= factor;
    const Direct one(a), other(b);
    EXPECT_EQ(one.report.one_by_one, other.report.one_by_one);
    EXPECT_EQ(one.report.negative, other.report.negative);
    EXPECT_EQ(one.report.delayed, other.report.delayed);
    EXPECT_EQ(one.report.largest, other.report.largest);
  }
}

TEST(Direct, FactorsDefiniteMatricesByCholesky)
{
  using namespace tessera_test;
  const Matrix a = laplacian(grid_graph(9, 8, 7), 0.1);
  Direct direct(a, plan_options(Preprocessing::None, Ordering::ND, 16), {}, FactorKind::LLT);
  ASSERT_EQ(direct.report.status, DirectReport::Complete);
  EXPECT_EQ(direct.report.positive, a.pattern.rows);
  const std::vector<double> b = product(a, random_vector(a.pattern.rows, 2));
  EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-15);
  const Matrix indefinite = laplacian(grid_graph(9, 8, 7), -0.5);
  const Direct failed(indefinite, plan_options(Preprocessing::None, Ordering::ND, 16), {}, FactorKind::LLT);
  EXPECT_EQ(failed.report.status, DirectReport::NotDefinite);
  EXPECT_GE(failed.report.failed_row, 0);
}

TEST(Direct, LongRowsDoNotHideHowGoodASolutionIs)
{
  // Added up one by one, the equal terms of the first row are off by 5e-13 of their sum, all in the same direction.
  const Index n = 50000;
  std::vector<Triplet> t = {{0, 0, 1}};
  long double sum = 0.3;
  for (Index i = 1; i < n; ++i) {
    t.push_back({i, i, 1.5});
    t.push_back({0, i, 0.7});
    t.push_back({i, 0, 0.7});
    sum += 0.7L * 0.3;
  }
  Direct direct(assemble(n, n, t));
  std::vector<double> b(n, 2.2 * 0.3), x(n);
  b[0] = double(sum);
  const SolveReport solved = direct.factorization->solve(1, b.data(), n, x.data(), n, {1e-15, 10});
  EXPECT_LE(solved.backward_error, 1e-15);
  EXPECT_NEAR(x[0], 0.3, 1e-14);
}

TEST(Direct, ManyRightHandSidesAreAsGoodAsOne)
{
  const Matrix a = saddle_point();
  const Index n = a.pattern.rows;
  Direct direct(a);
  for (Index columns : {2, 31, 33, 70}) {
    std::vector<double> b;
    for (Index j = 0; j < columns; ++j) {
      const std::vector<double> one = product(a, random_vector(n, 100 + j));
      b.insert(b.end(), one.begin(), one.end());
    }
    const std::vector<double> x = direct.solve(b, columns);
    for (Index j = 0; j < columns; ++j)
      EXPECT_LE(
          backward_error(a, {x.begin() + j * n, x.begin() + (j + 1) * n}, {b.begin() + j * n, b.begin() + (j + 1) * n}),
          1e-14);
  }
}

TEST(Direct, HalvesMakeAWhole)
{
  using namespace tessera_test;
  const Matrix definite = laplacian(grid_graph(9, 8, 7), 0.1);
  const Matrix indefinite = saddle_point();
  for (FactorKind kind : {FactorKind::LDLT, FactorKind::LLT}) {
    const Matrix &a = kind == FactorKind::LLT ? definite : indefinite;
    const Index n = a.pattern.rows;
    Direct direct(a, kind == FactorKind::LLT ? plan_options(Preprocessing::None, Ordering::ND, 16) : PlanOptions(), {},
                  kind);
    SolveHalves *halves = direct.factorization->halves();
    ASSERT_NE(halves, nullptr);
    const std::vector<double> b = random_vector(n, 5), c = random_vector(n, 6), x = direct.solve(b);
    std::vector<double> y(n, NAN), z(n, NAN);
    halves->forward(b.data(), y.data());
    halves->backward(y.data(), z.data());
    EXPECT_EQ(std::memcmp(x.data(), z.data(), n * sizeof(double)), 0);
    if (kind == FactorKind::LLT) { // c' (L^-1 b) = (L^-T c)' b
      halves->backward(c.data(), z.data());
      const double left = std::inner_product(c.begin(), c.end(), y.begin(), 0.0);
      EXPECT_NEAR(left, std::inner_product(z.begin(), z.end(), b.begin(), 0.0), 1e-12 * n);
    }
  }
}

/// A front of several panels of a device's 64 columns, the last of them half or full, whose pivots are those of a
/// definite matrix, pairs of a saddle point, or have to be searched.
TEST(Direct, FrontsOfManyPanels)
{
  for (Index n : {200, 256, 330}) {
    SCOPED_TRACE(std::to_string(n) + " rows");
    const PlanOptions natural = plan_options(Preprocessing::None, Ordering::Natural, 1);
    const struct {
      Matrix matrix;
      PlanOptions options;
      Index negative; ///< eigenvalues; -1: not known
    } cases[] = {{full_matrix(n, 2.0 * n, true, 2.0 * n), natural, 0},
                 {full_matrix(n, 0, false, 0), plan_options(Preprocessing::Matching, Ordering::Natural, 1), n / 2},
                 {full_matrix(n, 0, true, 0), natural, -1}};
    for (const auto &c : cases) {
      Direct direct(c.matrix, c.options);
      ASSERT_EQ(direct.report.status, DirectReport::Complete);
      EXPECT_EQ(direct.report.negative + direct.report.positive, n);
      if (c.negative >= 0)
        EXPECT_EQ(direct.report.negative, c.negative);
      const std::vector<double> b = product(c.matrix, random_vector(n, 3));
      EXPECT_LE(backward_error(c.matrix, direct.solve(b), b), 1e-11); // pivots of a threshold of 0.01 let it grow
      EXPECT_LE(backward_error(c.matrix, direct.solve(b, 1, 10), b), 1e-14);
    }
  }
}

TEST(Direct, BitsDoNotDependOnThreads)
{
  using namespace tessera_test;
  Matrix a = laplacian(grid_graph(20, 18, 15), -0.7);
  const std::vector<double> b = product(a, random_vector(a.pattern.rows, 2));
  std::vector<double> first;
  for (int threads : {1, 2, 5}) {
    const Threads scope(threads);
    Direct direct(a);
    const std::vector<double> x = direct.solve(b);
    if (first.empty())
      first = x;
    EXPECT_EQ(std::memcmp(first.data(), x.data(), x.size() * sizeof(double)), 0) << threads;
    direct.factorization->factor(direct.stored.value.data(), {});
    const std::vector<double> again = direct.solve(b);
    EXPECT_EQ(std::memcmp(first.data(), again.data(), x.size() * sizeof(double)), 0) << threads;
  }
}

TEST(Direct, ReportsEntriesThatAreNotFinite)
{
  Matrix a = saddle_point();
  Direct direct(a);
  for (double bad : {double(NAN), double(INFINITY)}) {
    std::vector<double> values = direct.stored.value;
    values[values.size() / 2] = bad;
    EXPECT_EQ(direct.factorization->factor(values.data(), {}).status, DirectReport::NonFinite);
    EXPECT_EQ(direct.factorization->factor(direct.stored.value.data(), {}).status, DirectReport::Complete);
  }
}

/// The tridiagonal matrix (-1, 2, -1) of n rows, which has the determinant n + 1 and, for odd n, an inverse of norm
/// (n + 1)² / 8.
Matrix tridiagonal(Index n)
{
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, i, 2});
    if (i + 1 < n) {
      t.push_back({i, i + 1, -1});
      t.push_back({i + 1, i, -1});
    }
  }
  return assemble(n, n, t);
}

TEST(Direct, CountsPivotsOfManyRows)
{
  for (Index n : {255, 2049, 5000}) { // so many that several thread blocks count them
    const Direct direct(tridiagonal(n));
    EXPECT_EQ(direct.report.positive, n);
    const ScaledProduct determinant = direct.factorization->determinant();
    EXPECT_GE(std::abs(determinant.mantissa), 0.5);
    EXPECT_LT(std::abs(determinant.mantissa), 1);
    EXPECT_NEAR(std::ldexp(determinant.mantissa, int(determinant.exponent)) / (n + 1), 1, 1e-9);
  }
}

TEST(Direct, DeterminantAndConditionNumber)
{
  const Index n = 31;
  const Matrix a = tridiagonal(n);
  for (const PlanOptions &plan : all_plans()) {
    Direct direct(a, plan);
    const ScaledProduct determinant = direct.factorization->determinant();
    EXPECT_NEAR(std::ldexp(determinant.mantissa, int(determinant.exponent)), n + 1, 1e-12);
    EXPECT_DOUBLE_EQ(direct.factorization->norm(), 4);
    EXPECT_NEAR(direct.factorization->inverse_norm(), (n + 1) * (n + 1) / 8.0, 1e-10);
  }
  // [0 B; Bᵀ 0], det = (-1)^half det(B)²: far beyond the range of a double once it is scaled
  Matrix b = without_diagonal(20, 7);
  const ScaledProduct one = Direct(b).factorization->determinant();
  for (double &x : b.value)
    x *= 0x1p100;
  const ScaledProduct scaled = Direct(b).factorization->determinant();
  EXPECT_GT(one.mantissa, 0); // 20 negative eigenvalues
  EXPECT_EQ(scaled.mantissa, one.mantissa);
  EXPECT_EQ(scaled.exponent, one.exponent + 100 * 40);
}

TEST(Direct, RandomSystems)
{
  Random random(42);
  for (int trial = 0; trial < 400; ++trial) {
    const Index n = 1 + random.below(60);
    const Values kind = trial % 3 == 0 ? Values::small_whole : trial % 3 == 1 ? Values::graded : Values::uniform;
    const Matrix a = random_matrix(random, n, 1 + random.below(4 * n), kind, true);
    SCOPED_TRACE("trial " + std::to_string(trial));
    Direct direct(a,
                  trial % 2 ? PlanOptions() : plan_options(Preprocessing::Matching, Ordering::Natural, 1 + trial % 40),
                  {trial % 4 == 0 ? 0.5 : 0.01});
    ASSERT_NE(direct.report.status, DirectReport::NotDefinite);
    if (direct.report.status != DirectReport::Complete)
      continue;
    EXPECT_EQ(direct.report.negative + direct.report.zero + direct.report.positive, n);
    if (kind == Values::graded) // products overflow
      continue;
    const std::vector<double> b = product(a, random_vector(n, trial));
    EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-11);
    if (kind == Values::small_whole) {
      const Inertia expected = inertia_of(a);
      EXPECT_EQ(direct.report.zero, expected.zero);
      EXPECT_EQ(direct.report.negative, expected.negative);
    }
  }
}

} // namespace
