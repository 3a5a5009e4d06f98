// The direct solver where several eigenvalues are zero, or near it, of which pivots as they come out tell nothing.
// Linked twice, for the host and for a device, which leaves such pivots out of its factor.
#include "support/direct_solver.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <utility>

using namespace tessera;
using namespace tessera::test;

namespace {

/// Laplacians of square grids of 60, 61, .. rows, side by side, each with such a number added to its first diagonal
/// entry.
Matrix grids(const std::vector<double> &added)
{
  std::vector<Triplet> t;
  Index first = 0;
  for (std::size_t g = 0; g < added.size(); ++g) {
    const Index side = 60 + Index(g);
    const Matrix one = laplacian(tessera_test::grid_graph(side, side, 1), 0.0);
    for (Index i = 0; i < one.pattern.rows; ++i)
      for (Offset p = one.pattern.start[i]; p < one.pattern.start[i + 1]; ++p) {
        const Index j = one.pattern.column[p];
        t.push_back({first + i, first + j, one.value[p] + (i == 0 && j == 0 ? added[g] : 0)});
      }
    first += one.pattern.rows;
  }
  return assemble(first, first, t);
}

const std::vector<double> near_singular = {3e-13, -3e-13, 0};

void expect_near_singular(const DirectReport &r, Index rows)
{
  ASSERT_EQ(r.status, DirectReport::Complete);
  EXPECT_FALSE(r.asked_host);
  EXPECT_EQ(r.measured, 3);
  EXPECT_EQ(r.bordered, 2);
  EXPECT_EQ(r.zero, 1);
  EXPECT_EQ(r.negative, 1);
  EXPECT_EQ(r.positive, rows - 2);
}

TEST(DirectBorder, RankAndSolutions)
{
  const Matrix a = grids(near_singular);
  const Index n = a.pattern.rows;
  Direct direct(a);
  expect_near_singular(direct.report, n);
  EXPECT_EQ(direct.report.uncertain, 0);
  EXPECT_EQ(direct.factorization->determinant().mantissa, 0);
  constexpr Index columns = 5;
  std::vector<double> b;
  for (Index j = 0; j < columns; ++j) {
    const std::vector<double> next = product(a, random_vector(n, 10 + j));
    b.insert(b.end(), next.begin(), next.end());
  }
  const std::vector<double> x = direct.solve(b, columns);
  for (Index j = 0; j < columns; ++j) {
    const std::vector<double> one(b.begin() + j * n, b.begin() + (j + 1) * n), its = direct.solve(one);
    if (direct_on_device)
      EXPECT_EQ(std::memcmp(its.data(), x.data() + j * n, n * sizeof(double)), 0);
    EXPECT_LE(backward_error(a, its, one), 1e-13);
    EXPECT_LE(backward_error(a, {x.begin() + j * n, x.begin() + (j + 1) * n}, one), 1e-13);
    EXPECT_LE(backward_error(a, direct.solve(one, 1, 10), one), 1e-14);
  }
}

TEST(DirectBorder, HalvesMakeAWhole)
{
  Direct direct(grids(near_singular));
  const Index n = direct.plan.plan.tree.rows();
  const std::vector<double> b = random_vector(n, 5), x = direct.solve(b);
  std::vector<double> y(n, NAN), z(n, NAN);
  SolveHalves *halves = direct.factorization->halves();
  halves->forward(b.data(), y.data());
  halves->backward(y.data(), z.data());
  EXPECT_EQ(std::memcmp(x.data(), z.data(), n * sizeof(double)), 0);
}

/// A⁻¹ of a constant vector is that over the sum of what was added, but for what is far smaller.
TEST(DirectBorder, SolutionsAreAsLargeAsTheyShouldBe)
{
  for (double added : {3e-13, -3e-13}) {
    const Matrix a = grids({added});
    const double stored =
        a.value[std::find(a.pattern.column.begin(), a.pattern.column.end(), 0) - a.pattern.column.begin()] -
        2; // of a corner with two neighbours
    const Index n = a.pattern.rows;
    Direct direct(a);
    const std::vector<double> x = direct.solve(std::vector<double>(n, 1.0));
    for (Index i : {0, n / 2, n - 1})
      EXPECT_NEAR(x[i] * stored / n, 1, 1e-6);
  }
}

TEST(DirectBorder, OfOneMatrixAfterAnother)
{
  const Matrix near = grids(near_singular), regular = grids({1, 2, -1});
  const Stored stored[] = {store_reversed(near), store_reversed(regular)};
  Direct direct(near);
  for (int which : {0, 1, 1, 0, 0}) {
    const DirectReport r = direct.factorization->factor(stored[which].value.data(), {});
    if (which == 0) {
      expect_near_singular(r, near.pattern.rows);
      continue;
    }
    ASSERT_EQ(r.status, DirectReport::Complete);
    EXPECT_EQ(r.zero, 0);
    EXPECT_EQ(r.negative, 1);
    EXPECT_LT(direct.factorization->determinant().mantissa, 0);
    const std::vector<double> b = product(regular, random_vector(regular.pattern.rows, 3));
    EXPECT_LE(backward_error(regular, direct.solve(b), b), 1e-14);
  }
}

/// A search for pivots, which the host makes for a device, needs no more than their order.
TEST(DirectBorder, IsNotMeasuredInASearch)
{
  const Matrix a = grids(near_singular);
  const Direct direct(a);
  DirectOptions options;
  options.measures = false;
  const auto host = make_host_direct(direct.plan.plan, FactorKind::LDLT);
  const DirectReport r = host->factor(direct.stored.value.data(), options);
  ASSERT_EQ(r.status, DirectReport::Complete);
  EXPECT_EQ(r.measured + r.bordered + r.again, 0);
  EXPECT_EQ(r.zero + r.uncertain, 3);
  EXPECT_EQ(Index(host->pivots().row.size()), a.pattern.rows);
}

/// A factor stays where the next values are not finite, and on a device with what corrects its solutions.
TEST(DirectBorder, StaysWhereValuesAreNotFinite)
{
  Direct direct(grids(near_singular));
  const std::vector<double> b = random_vector(direct.plan.plan.tree.rows(), 5), x = direct.solve(b);
  Stored broken = direct.stored;
  broken.value[7] = NAN;
  EXPECT_EQ(direct.factorization->factor(broken.value.data(), {}).status, DirectReport::NonFinite);
  EXPECT_EQ(std::memcmp(direct.solve(b).data(), x.data(), x.size() * sizeof(double)), 0);
}

/// More than a device measures by itself.
TEST(DirectBorder, ManyZerosAreLeftToTheHost)
{
  constexpr Index grids = 1100;
  Direct direct(laplacian(tessera_test::disconnected_graph(tessera_test::grid_graph(3, 3, 1), grids), 0.0));
  ASSERT_EQ(direct.report.status, DirectReport::Complete);
  EXPECT_EQ(direct.report.asked_host, direct_on_device);
  EXPECT_EQ(direct.report.zero, grids + 1); // and an isolated vertex
  EXPECT_EQ(direct.report.negative, 0);
  const DirectReport again = direct.factorization->factor(direct.stored.value.data(), {});
  EXPECT_FALSE(again.asked_host);
  EXPECT_EQ(again.zero, grids + 1);
}

/// Constraints of the linear program that Adams and Johnson (1994) have for a quadratic assignment of n items, in so
/// many copies side by side: many of its rows depend on others. Returns [rows] columns and coefficients.
std::vector<std::vector<std::pair<Index, double>>> assignments(Index n, Index copies, Index *variables)
{
  std::vector<std::vector<std::pair<Index, double>>> rows;
  *variables = 0;
  for (Index copy = 0; copy < copies; ++copy) {
    const Index begin = *variables;
    *variables += n * n;
    const auto x = [=](Index i, Index j) { return begin + i * n + j; };
    std::map<std::array<Index, 4>, Index> number;
    const auto y = [&](Index i, Index j, Index k, Index l) { // the same as y(k, l, i, j)
      const std::array<Index, 4> key = i < k ? std::array{i, j, k, l} : std::array{k, l, i, j};
      const auto [place, is_new] = number.try_emplace(key, *variables);
      *variables += is_new;
      return place->second;
    };
    for (const bool by_row : {true, false})
      for (Index i = 0; i < n; ++i) {
        rows.emplace_back();
        for (Index j = 0; j < n; ++j)
          rows.back().push_back({by_row ? x(i, j) : x(j, i), 1});
      }
    for (Index k = 0; k < n; ++k)
      for (Index l = 0; l < n; ++l)
        for (const bool by_row : {true, false})
          for (Index i = 0; i < n; ++i) {
            if (i == (by_row ? k : l))
              continue;
            rows.push_back({{x(k, l), -1}});
            for (Index j = 0; j < n; ++j)
              if (j != (by_row ? l : k))
                rows.back().push_back({by_row ? y(i, j, k, l) : y(j, i, k, l), 1});
          }
  }
  return rows;
}

/// An interior-point step for them, with that regularization of its constraints.
Matrix assignment_step(Index copies, double regularization)
{
  Index variables = 0;
  const auto rows = assignments(5, copies, &variables);
  const Index constraints = Index(rows.size());
  Random random(31);
  std::vector<Triplet> t;
  for (Index j = 0; j < variables; ++j)
    t.push_back({j, j, -std::pow(10.0, random.between(-1, 1))});
  for (Index i = 0; i < constraints; ++i) {
    t.push_back({variables + i, variables + i, regularization});
    for (const auto &[j, x] : rows[i]) {
      t.push_back({variables + i, j, x});
      t.push_back({j, variables + i, x});
    }
  }
  return assemble(variables + constraints, variables + constraints, t);
}

/// Where constraints depend on each other, regularization is all that keeps many pivots from being zero. What is left
/// in their columns is no rounding by their masses. There are as many positive eigenvalues as constraints.
TEST(DirectBorder, ProgramsOfWhichRegularizationIsAllThatIsLeft)
{
  for (Index copies : {2, 7}) {
    SCOPED_TRACE(copies);
    const Matrix a = assignment_step(copies, 1e-13);
    Direct direct(a);
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    EXPECT_LE(std::abs(direct.report.negative - 225 * copies), direct.report.uncertain);
    EXPECT_LE(std::abs(direct.report.positive - 210 * copies), direct.report.uncertain);
    EXPECT_LE(direct.report.uncertain, direct_on_device ? 0 : 50); // the host measures some of them only
    EXPECT_FALSE(direct.report.asked_host);
    if (direct_on_device)
      EXPECT_GT(direct.report.measured, copies == 2 ? 64 : 256);
    const std::vector<double> b = product(a, random_vector(a.pattern.rows, 3)), x = direct.solve(b, 1, 10);
    EXPECT_LE(backward_error(a, x, b), 1e-14);
  }
}

/// Row 1 has 2⁻⁴³ left once row 0 is eliminated, next to nothing, and row 2 nothing but what that gives it. Row 3, the
/// first of many in a front of their own, is small, too.
Matrix with_a_pivot_that_needs_another(Index n)
{
  const double eps = 0x1p-43;
  std::vector<Triplet> t{{0, 0, 1}, {1, 1, 1 + eps}, {2, 2, 0}, {3, 3, 0x1p15 * eps}};
  const auto couple = [&](Index i, Index j, double x) {
    t.push_back({i, j, x});
    t.push_back({j, i, x});
  };
  couple(0, 1, 1);
  couple(1, 2, 16 * eps);
  couple(2, 3, 0x1p14 * eps);
  for (Index i = 4; i < n; ++i) {
    t.push_back({i, i, 2});
    for (Index j = 4; j < i; ++j)
      couple(i, j, 1.0 / n);
    couple(3, i, 0x1p-30 / i);
  }
  return assemble(n, n, t);
}

/// Row 2 has no pivot in its front without that of row 1, which is left out as it may be rounding: it is delayed, and
/// the host is not asked.
TEST(DirectBorder, DelaysWhatNeedsPivotsThatAreLeftOut)
{
  constexpr Index n = 44;
  const Matrix a = with_a_pivot_that_needs_another(n);
  DirectOptions options;
  options.least_delay_flops = 0;
  Direct direct(a, plan_options(Preprocessing::None, Ordering::Natural, 4), options);
  const DirectReport &r = direct.report;
  ASSERT_EQ(r.status, DirectReport::Complete);
  EXPECT_EQ(r.negative, 1);
  EXPECT_EQ(r.zero, 0);
  EXPECT_FALSE(r.asked_host);
  if (direct_on_device) {
    EXPECT_GE(r.delay_rounds, 1);
    EXPECT_EQ(r.measured, 1);
    EXPECT_EQ(r.uncertain, 0);
  }
  const std::vector<double> b = product(a, random_vector(n, 3)), x = direct.solve(b, 1, 10);
  EXPECT_LE(backward_error(a, x, b), 1e-14);
}

/// l lᵀ and a diagonal, of which nothing is left in rows 1 to `zeros` once row 0 is eliminated, but a number in two
/// rows at a time, far from each other: by the entries of one of them, 2⁻⁴⁴ is the most that may be rounding. Half of
/// `zeros` is odd. All numbers are sums of few powers of two, so none is rounded.
Matrix with_little_beside_large_entries(Index n, Index zeros, double left)
{
  const auto l = [zeros](Index i) { return i > zeros ? 1.0 / 8 : i > 0 && i % 2 == 0 ? 64.0 : 1.0; };
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const bool is_left = i > 0 && j > 0 && i <= zeros && j <= zeros && std::abs(i - j) == zeros / 2;
      t.push_back({i, j, l(i) * l(j) + (i == j && i > zeros ? 4 : 0) + (is_left ? left : 0)});
    }
  return assemble(n, n, t);
}

/// Tiles do not know how large rows are that a column has entries in. By the column alone it has no pivot there,
/// neither has it in the order that the host has found, so it is left out.
TEST(DirectBorder, RoundingBesideLargeEntries)
{
  constexpr Index n = 264, zeros = 130;
  const Matrix a = with_little_beside_large_entries(n, zeros, 0x1p-44);
  Direct direct(a, plan_options(Preprocessing::None, Ordering::Natural, 1));
  const std::vector<double> b = product(a, random_vector(n, 3)), x = direct.solve(b);
  EXPECT_LE(backward_error(a, x, b), 1e-14);
  const DirectReport again = direct.factorization->factor(direct.stored.value.data(), {});
  for (const DirectReport &r : {direct.report, again}) {
    ASSERT_EQ(r.status, DirectReport::Complete);
    // Two such rows have a sign each, or none, but where other rows are eliminated first, one may have more than 2⁻⁴⁴
    // beside the other. The host finds one such.
    EXPECT_LE(std::abs(r.positive - r.negative - (n - zeros)), direct_on_device ? 0 : 1);
    EXPECT_EQ(r.positive + r.negative + r.zero, n);
    EXPECT_TRUE(!direct_on_device || r.measured == zeros) << r.measured;
    EXPECT_FALSE(r.asked_host);
  }
  EXPECT_EQ(again.searches, 0) << "the plan stays";
  EXPECT_EQ(direct.solve(b), x);
}

/// In fronts of a warp, and of a thread block, rows are known: the first factor has zero pivots.
TEST(DirectBorder, RoundingBesideLargeEntriesOfSmallFronts)
{
  constexpr Index sizes[][2] = {{28, 18}, {92, 54}};
  for (const auto [n, zeros] : sizes) {
    Direct direct(with_little_beside_large_entries(n, zeros, 0x1p-44),
                  plan_options(Preprocessing::None, Ordering::Natural, 1));
    const DirectReport &r = direct.report;
    ASSERT_EQ(r.status, DirectReport::Complete);
    EXPECT_EQ(r.positive + r.negative + r.zero, n);
    EXPECT_LE(std::abs(r.positive - r.negative - (n - zeros)), 1);
    EXPECT_EQ(r.searches, 0) << n;
    EXPECT_FALSE(r.asked_host) << n;
    EXPECT_EQ(r.measured, direct_on_device || zeros <= 16 ? zeros : 0);
  }
}

/// Eight times that is not rounding. The diagonal has nothing of it, whose pivots are measured one by one on the host:
/// it says that these are uncertain.
TEST(DirectBorder, MoreThanRoundingBesideZeros)
{
  constexpr Index n = 200, zeros = 130;
  const Matrix a = with_little_beside_large_entries(n, zeros, 0x1p-41);
  const Direct direct(a, plan_options(Preprocessing::None, Ordering::Natural, 1));
  const DirectReport &r = direct.report;
  ASSERT_EQ(r.status, DirectReport::Complete);
  EXPECT_EQ(r.positive + r.negative + r.zero, n);
  EXPECT_GE(r.negative + r.uncertain, zeros / 2);
  EXPECT_GE(r.positive + r.uncertain, n - zeros / 2 - 1);
  if (direct_on_device) {
    EXPECT_EQ(r.negative, zeros / 2);
    EXPECT_EQ(r.uncertain, 0);
  }
}

/// Vectors that a measurement takes are given back.
TEST(DirectBorder, HoldsNoMoreMemoryThanItNeeds)
{
  const Matrix near = grids(near_singular), regular = grids({1, 2, -1});
  const Offset n = near.pattern.rows;
  Direct measured(near), other(regular);
  EXPECT_LE(measured.factorization->bytes(), other.factorization->bytes() + (4 * n + 512) * Offset(sizeof(double)));
}

} // namespace
