// The direct LU of singular matrices and of nearly singular ones. Linked twice, for the host and for a device, which
// leaves zero and uncertain pivots out of its factor.
#include "support/graphs.hpp"
#include "support/lu_cases.hpp"
#include "support/lu_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// Convection and diffusion on square grids of 60, 61, .. rows side by side, without walls: rows sum up to 0. Each has
/// such a number added to its first diagonal entry.
Matrix flows(const std::vector<double> &added)
{
  std::vector<Triplet> t;
  Index first = 0;
  for (std::size_t g = 0; g < added.size(); ++g) {
    const Index side = 60 + Index(g);
    const Matrix one = laplacian(grid_graph(side, side, 1), 0.0);
    for (Index i = 0; i < one.pattern.rows; ++i) {
      double sum = i == 0 ? added[g] : 0;
      for (Offset p = one.pattern.start[i]; p < one.pattern.start[i + 1]; ++p)
        if (const Index j = one.pattern.column[p]; j != i) {
          const double x = j < i ? -1.5 : -0.5; // what flows in, and out
          t.push_back({first + i, first + j, x});
          sum -= x;
        }
      t.push_back({first + i, first + i, sum});
    }
    first += one.pattern.rows;
  }
  return assemble(first, first, t);
}

/// Sums with them are exact.
const std::vector<double> near_singular = {0x1p-44, -0x1p-44, 0};

/// The product of n x rank and rank x n matrices of small numbers, which is exact, and `added` to its last entry.
Matrix of_rank(Index n, Index rank, double added, unsigned seed)
{
  Random random(seed);
  std::vector<Triplet> t;
  std::vector<double> x(n * rank), y(n * rank);
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = double(random.below(9)) - 3.5;
    y[k] = double(random.below(9)) - 3.75;
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      double sum = i == n - 1 && j == n - 1 ? added : 0;
      for (Index k = 0; k < rank; ++k)
        sum += x[k * n + i] * y[k * n + j];
      t.push_back({i, j, sum});
    }
  return assemble(n, n, t);
}

/// What a factorization tells that leaves so many pivots out.
void expect_left_out(const DirectReport &r, Offset measured, Offset zero)
{
  ASSERT_EQ(r.status, DirectReport::Complete);
  EXPECT_FALSE(r.asked_host);
  EXPECT_EQ(r.zero, zero);
  EXPECT_EQ(r.measured, measured);
  EXPECT_EQ(r.bordered, std::max<Offset>(measured - zero, 0));
  EXPECT_EQ(r.uncertain, 0);
}

TEST(LuBorder, RankAndSolutions)
{
  LuSolver lu(flows(near_singular), {}, {}, false);
  expect_left_out(lu.report, 2, 1);
  EXPECT_EQ(lu.factorization->determinant().mantissa, 0);
  EXPECT_LE(lu.error(0), 1e-12);
  EXPECT_LE(lu.error(10), 1e-13); // the row left out has what makes b inconsistent
}

/// Solutions with a border are as good as others, one at a time or many together, and transposed.
TEST(LuBorder, ManyRightHandSides)
{
  LuSolver lu(flows({0x1p-46, -0x1p-47}), {}, {}, false);
  expect_left_out(lu.report, 2, 0);
  EXPECT_LE(lu.error(10), 1e-14);
  constexpr Index columns = 5;
  const Index n = lu.rows();
  for (bool transposed : {false, true}) {
    const std::vector<double> b = random_numbers<double>(n * columns, 6), x = lu.solve(b, transposed, columns);
    for (Index j = 0; j < columns; ++j) {
      const std::vector<double> one(b.begin() + j * n, b.begin() + (j + 1) * n), its = lu.solve(one, transposed);
      if (direct_on_device)
        EXPECT_EQ(std::memcmp(its.data(), x.data() + j * n, n * sizeof(double)), 0);
      const MatrixOf<double> a = transposed ? test::transposed(lu.matrix) : lu.matrix;
      EXPECT_LE(backward_error(a, lu.solve(one, transposed, 1, 10), one), 1e-14);
    }
  }
}

/// Fronts of a warp, of a thread block, and of tiles, and several zeros in each.
TEST(LuBorder, FrontsOfEveryKind)
{
  for (Index n : {1, 12, 90, 200})
    for (Index lacking : {1, 2, 7, 40})
      if (lacking <= n) {
        SCOPED_TRACE(std::to_string(n) + " less " + std::to_string(lacking));
        LuSolver lu(of_rank(n, n - lacking, 0, 5), plan_options(Preprocessing::None, Ordering::Natural, 8));
        const bool measured = direct_on_device || lacking <= 16; // beside a small factor a host has no time for more
        expect_left_out(lu.report, measured ? lacking : 0, lacking);
        EXPECT_EQ(lu.factorization->determinant().mantissa, 0);
        EXPECT_LE(lu.error(0), 1e-11);
      }
}

/// A dense matrix without a row and a column.
MatrixOf<double> minor_of(const Matrix &a, Index row, Index column)
{
  const Index n = a.pattern.rows;
  std::vector<Triplet> t;
  for (Index k = 0; k < n * n; ++k)
    if (const Index i = k / n, j = k % n; i != row && j != column)
      t.push_back({i - (i > row), j - (j > column), a.value[k]});
  return with_arguments<double>(assemble(n - 1, n - 1, t));
}

/// The determinant that was found, over that of a dense matrix which is singular but for what was added to an entry:
/// that times its cofactor.
double determinant_ratio(const ScaledProduct &found, const Matrix &a, Index row, Index column, double added)
{
  const long double cofactor = determinant(extended(minor_of(a, row, column))) * ((row + column) % 2 == 0 ? 1 : -1);
  return double(found.mantissa / (std::ldexp(cofactor, -int(found.exponent)) * added));
}

/// Where a pivot looks like rounding, the determinant is that of the matrix, and solutions are as large as they should
/// be: with A x = 0 but for what was added, in the last row, the last entry of x is 1.
TEST(LuBorder, OfWhatIsRegularByLittle)
{
  for (auto [n, power] : {std::pair<Index, int>{12, -38}, {90, -33}, {200, -31}})
    for (double added : {std::ldexp(1.0, power), -std::ldexp(1.0, power)})
      for (Preprocessing preprocessing : {Preprocessing::None, Preprocessing::Matching}) {
        SCOPED_TRACE(std::to_string(n) + " plus " + (added < 0 ? "less" : "more"));
        const Matrix a = of_rank(n, n - 1, added, 8);
        LuSolver lu(a, plan_options(preprocessing, Ordering::Natural, 8));
        expect_left_out(lu.report, 1, 0);
        const double ratio = determinant_ratio(lu.factorization->determinant(), a, n - 1, n - 1, added);
        EXPECT_NEAR(ratio, 1, 1e-9);
        std::vector<double> b(n, 0.0);
        b[n - 1] = added;
        EXPECT_NEAR(lu.solve(b)[n - 1], 1, 1e-9);
        EXPECT_NEAR(lu.solve(b, true)[n - 1], 1, 1e-9);
        EXPECT_LE(lu.error(10), 1e-14);
      }
}

/// Column 3 is column 1, but for what was added to its last entry: nothing is left of it when its turn comes, so that
/// it has the last pivot of a panel, which changes the sign of the determinant or not.
TEST(LuBorder, DeterminantOfAColumnPutOff)
{
  for (auto [n, added] :
       {std::pair<Index, double>{8, 0x1p-45}, {9, 0x1p-45}, {90, 0x1p-43}, {91, 0x1p-43}, {200, 0x1p-42}}) {
    SCOPED_TRACE(n);
    Random random(12);
    std::vector<Triplet> t;
    for (Index i = 0; i < n; ++i) {
      std::vector<double> x(n);
      for (double &entry : x)
        entry = double(random.below(2001) - 1000) / 1024;
      x[i] += 8; // the pivots are these
      x[3] = x[1] + (i == n - 1 ? added : 0);
      for (Index j = 0; j < n; ++j)
        t.push_back({i, j, x[j]});
    }
    const Matrix a = assemble(n, n, t);
    LuSolver lu(a, plan_options(Preprocessing::None, Ordering::Natural, 8));
    expect_left_out(lu.report, 1, 0);
    const double ratio = determinant_ratio(lu.factorization->determinant(), a, n - 1, 3, added);
    EXPECT_NEAR(ratio, 1, 1e-9);
  }
}

/// What is left of the last row is 1e-30, and regular: that 1 times 1 was added to its mass, of a row and a column that
/// do not meet, makes it look like rounding, which errors do not explain. A host takes it for zero, and counts it as
/// uncertain.
TEST(LuBorder, DoubtIsLeftToTheHost)
{
  const Matrix a = assemble(3, 3, {{0, 0, 1}, {1, 1, 1}, {1, 2, 1}, {2, 0, 1}, {2, 2, 1e-30}});
  LuSolver lu(a, plan_options(Preprocessing::None, Ordering::Natural, 8), {}, false);
  EXPECT_EQ(lu.report.status, direct_on_device ? DirectReport::NeedsHost : DirectReport::Complete);
  if (!direct_on_device) {
    EXPECT_EQ(lu.report.zero, 1);
    EXPECT_EQ(lu.report.uncertain, 1);
  }
}

/// Singular blocks on the diagonal say nothing of the rank, but what a device measures of all of them together does.
TEST(LuBorder, BlocksTogether)
{
  if (!direct_on_device)
    GTEST_SKIP() << "the host counts by blocks";
  // [A 0; C A] with A of rank n - 1: C makes up for both rows that are lacking, or for none
  constexpr Index n = 40;
  const Matrix a = of_rank(n, n - 1, 0, 3);
  for (bool coupled : {false, true}) {
    std::vector<Triplet> t;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        t.push_back({i, j, a.value[i * n + j]});
        t.push_back({n + i, n + j, a.value[i * n + j]});
        t.push_back({n + i, j, coupled && i == j ? 1.0 : i + j == 5 ? 1e-30 : 0.0});
      }
    LuSolver lu(assemble(2 * n, 2 * n, t));
    ASSERT_GT(lu.plan.plan.block.size(), 1u);
    ASSERT_EQ(lu.report.status, DirectReport::Complete);
    EXPECT_EQ(lu.report.measured, 2);
    EXPECT_EQ(lu.report.zero, coupled ? 1 : 2);
    EXPECT_LE(lu.error(10), 1e-13);
  }
}

TEST(LuBorder, OfOneMatrixAfterAnother)
{
  const Matrix near = flows(near_singular), regular = flows({1, 2, -1});
  LuSolver lu(near, {}, {}, false);
  std::vector<double> first;
  for (int which : {0, 1, 1, 0, 0}) {
    lu.matrix = with_arguments<double>(which == 0 ? near : regular);
    lu.stored.value = store_reversed(lu.matrix).value;
    lu.factor();
    expect_left_out(lu.report, which == 0 ? 2 : 0, which == 0 ? 1 : 0);
    EXPECT_LE(lu.error(10), which == 0 ? 1e-13 : 1e-14);
    EXPECT_EQ(lu.factorization->determinant().mantissa < 0, which == 1);
  }
}

/// A factor stays where the next values are not finite, with what corrects its solutions.
TEST(LuBorder, StaysWhereValuesAreNotFinite)
{
  LuSolver lu(flows({0x1p-46}), {}, {}, false);
  const std::vector<double> b = random_numbers<double>(lu.rows(), 5), x = lu.solve(b), xt = lu.solve(b, true);
  lu.stored.value[7] = NAN;
  lu.factor();
  EXPECT_EQ(lu.report.status, DirectReport::NonFinite);
  EXPECT_EQ(std::memcmp(lu.solve(b).data(), x.data(), x.size() * sizeof(double)), 0);
  EXPECT_EQ(std::memcmp(lu.solve(b, true).data(), xt.data(), x.size() * sizeof(double)), 0);
}

/// More than a device measures.
TEST(LuBorder, ManyZerosAreLeftToTheHost)
{
  constexpr Index grids = 300;
  LuSolver lu(laplacian(disconnected_graph(grid_graph(3, 3, 1), grids), 0.0), {}, {}, false);
  EXPECT_EQ(lu.report.status, direct_on_device ? DirectReport::NeedsHost : DirectReport::Complete);
  EXPECT_EQ(lu.report.zero, direct_on_device ? 0 : grids + 1); // and an isolated vertex
}

/// Vectors that a measurement takes are given back, but for the transpose of the matrix.
TEST(LuBorder, HoldsNoMoreMemoryThanItNeeds)
{
  LuSolver measured(flows(near_singular), {}, {}, false), other(flows({1, 2, -1}), {}, {}, false);
  other.solve(random_numbers<double>(other.rows(), 1), true, 1, 1);        // which needs the transpose
  const Offset kept = 6 * measured.rows() * Offset(sizeof(double)) + 4096; // and other delays
  EXPECT_LE(measured.factorization->bytes(), other.factorization->bytes() + kept);
}

} // namespace
