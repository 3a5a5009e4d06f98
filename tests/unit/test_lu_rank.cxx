// The rank that LU finds, of singular matrices and of those that are regular by little, real and complex.
#include "support/direct_solver.hpp"
#include "support/graphs.hpp"
#include "support/lu_cases.hpp"
#include "support/lu_of.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

template <class T>
class LuRank : public testing::Test {
};
using Scalars = testing::Types<double, Complex>;
TYPED_TEST_SUITE(LuRank, Scalars);

TYPED_TEST(LuRank, FindsTheRank)
{
  using T = TypeParam;
  Random random(5);
  for (Index n : {1, 5, 40, 150})
    for (Index rank : {0, 1, n / 2, n - 1}) {
      // the product of random n x rank and rank x n matrices of small whole numbers is exact
      std::vector<Triplet> t;
      std::vector<double> x(n * std::max(rank, 1)), y(x.size());
      for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] = double(random.below(9) - 4) + 0.5;
        y[k] = double(random.below(9) - 4) + 0.25;
      }
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
          double sum = 0;
          for (Index k = 0; k < rank; ++k)
            sum += x[k * n + i] * y[k * n + j];
          t.push_back({i, j, sum});
        }
      const MatrixOf<T> a = turned<T>(assemble(n, n, t));
      LuOf<T> lu(a, {}, {}, false);
      ASSERT_EQ(lu.report.status, DirectReport::Complete);
      EXPECT_EQ(lu.report.zero, n - std::min(rank, n)) << n << " " << rank;
      EXPECT_EQ(lu.factorization->determinant().mantissa == T(0), rank < n);
      const std::vector<T> b = product(a, random_numbers<T>(n, 3)),
                           bt = product(transposed(a), random_numbers<T>(n, 4));
      EXPECT_LE(backward_error(a, lu.solve(b), b), 1e-11);
      EXPECT_LE(backward_error(transposed(a), lu.solve(bt, true), bt), 1e-11);
    }
}

TYPED_TEST(LuRank, FindsTheRankOfSparseMatrices)
{
  using T = TypeParam;
  for (Index copies : {1, 3}) {
    Matrix real = laplacian(disconnected_graph(grid_graph(6, 5, 4), copies), 0.0); // and an isolated vertex
    for (Index i = 0; i < real.pattern.rows; ++i)
      for (Offset p = real.pattern.start[i]; p < real.pattern.start[i + 1]; ++p)
        real.value[p] *= 1 + i % 5; // row sums stay 0
    const MatrixOf<T> a = turned<T>(real);
    for (const PlanOptions &plan : lu_plans()) {
      LuOf<T> lu(a, plan, {}, false);
      EXPECT_EQ(lu.report.zero, copies + 1);
      const std::vector<T> b = product(a, random_numbers<T>(a.pattern.rows, 2));
      EXPECT_LE(backward_error(a, lu.solve(b), b), 1e-13);
    }
  }
}

TYPED_TEST(LuRank, FindsTheRankWhereChildrenCancel)
{
  using T = TypeParam;
  for (Index constraints : {12, 60, 200})
    for (Index nemin : {1, 64}) {
      const LuOf<T> lu(turned<T>(cancelling_kkt(400, constraints)),
                       plan_options(Preprocessing::None, Ordering::Natural, nemin), {}, false);
      EXPECT_EQ(lu.report.zero, constraints);
    }
}

TYPED_TEST(LuRank, StructurallySingular)
{
  using T = TypeParam;
  // rows 0 and 1 have entries in column 3 only
  const MatrixOf<T> a =
      with_arguments<T>(assemble(4, 4, {{0, 3, 1}, {1, 3, 2}, {2, 0, 1}, {2, 2, 3}, {3, 1, 1}, {3, 3, 1}}));
  for (const PlanOptions &plan : lu_plans()) {
    const LuOf<T> lu(a, plan, {}, false);
    ASSERT_EQ(lu.report.status, DirectReport::Complete);
    EXPECT_EQ(lu.report.zero, 1);
  }
  EXPECT_EQ(LuOf<T>(a).plan.structural_rank, 3);
}

/// A product of triangular matrices of few binary digits, which is exact, with a last pivot that elimination takes
/// for rounding, and that is none.
TYPED_TEST(LuRank, MeasuresWhatLooksLikeZero)
{
  using T = TypeParam;
  const Index n = 40;
  for (double last : {0x1p-52, 0.0}) {
    Random random(4);
    Dense l(n), u(n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) {
        l(i, j) = (random.below(3) - 1) * 0.0625L;
        u(j, i) = (random.below(3) - 1) * 0.0625L;
      }
      l(i, i) = 1;
      u(i, i) = i + 1 < n ? (random.below(2) ? 1 : -1) : last;
    }
    const Dense product_of = multiply(l, u);
    std::vector<Triplet> t;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        t.push_back({i, j, double(product_of(i, j))});
    const MatrixOf<T> a = turned<T>(assemble(n, n, t));
    const double expected = std::is_same_v<T, double> ? last : last * 0x1p20; // |1 + i| to the power of n
    for (const PlanOptions &plan : lu_plans()) {
      const LuOf<T> lu(a, plan, {}, false);
      EXPECT_EQ(lu.report.zero, last == 0);
      const ScaledProductOf<T> found = lu.factorization->determinant();
      EXPECT_NEAR(std::ldexp(std::abs(found.mantissa), int(found.exponent)), expected, 1e-9 * expected);
    }
  }
}

/// Laplacians of grids with what is next to nothing, but not rounding, added to an entry of some: pivots that
/// elimination cannot tell from zero, of which all are measured.
TYPED_TEST(LuRank, MeasuresUncertainPivotsTogether)
{
  using T = TypeParam;
  const Index copies = 3, side = 40, n = copies * side * side;
  Matrix real = laplacian(disconnected_graph(grid_graph(side, side, 1), copies), 0.0); // and an isolated vertex
  const double added[] = {0x1p-42, 0, -0x1p-41};
  for (Index c = 0; c < copies; ++c) {
    const Index row = c * side * side;
    for (Offset p = real.pattern.start[row]; p < real.pattern.start[row + 1]; ++p)
      real.value[p] += real.pattern.column[p] == row ? added[c] : 0;
  }
  const MatrixOf<T> a = turned<T>(real);
  const std::vector<T> b = product(a, random_numbers<T>(n + 1, 2));
  for (const PlanOptions &plan : lu_plans()) {
    LuOf<T> lu(a, plan, {}, false);
    const auto expect_measured = [&] {
      EXPECT_EQ(lu.report.status, DirectReport::Complete);
      EXPECT_EQ(lu.report.zero, 2);
      EXPECT_EQ(lu.report.uncertain, 0);
      EXPECT_EQ(lu.report.bordered, 2);
      EXPECT_LE(backward_error(a, lu.solve(b, false, 1, 3), b), 1e-14);
    };
    expect_measured();
    EXPECT_EQ(lu.report.again, 1);
    const double flops = lu.report.flops;
    lu.report = lu.factorization->factor(lu.stored.value.data(), {}); // which leaves them to the roots at once
    expect_measured();
    EXPECT_EQ(lu.report.again, 0);
    EXPECT_LE(lu.report.flops, 0.6 * flops);
  }
}

/// What decides is one singular value of what is left out, of which each entry may be rounding.
TYPED_TEST(LuRank, MeasuredPivotsAreFoundAmongSmallEntries)
{
  using T = TypeParam;
  const Index blocks = 16;
  const LuOf<T> lu(turned<T>(singular_blocks_with_coupling(blocks)),
                   plan_options(Preprocessing::None, Ordering::Natural, 8), {}, false);
  ASSERT_EQ(lu.report.status, DirectReport::Complete);
  EXPECT_EQ(lu.report.measured, blocks);
  EXPECT_EQ(lu.report.zero, blocks - 1);
  EXPECT_EQ(lu.report.uncertain, 0);
}

/// Squares of entries of 1e200 overflow, so that all may be rounding, and nothing is known of what is.
TYPED_TEST(LuRank, PivotsThatCannotBeMeasuredAreUncertain)
{
  using T = TypeParam;
  for (double added : {0.0, 1e-13}) {
    const Matrix real = assemble(2, 2, {{0, 0, 1e200}, {0, 1, 1e200}, {1, 0, 1e200}, {1, 1, 1e200 * (1 + added)}});
    const LuOf<T> lu(turned<T>(real), plan_options(Preprocessing::None, Ordering::Natural, 8), {}, false);
    ASSERT_EQ(lu.report.status, DirectReport::Complete);
    EXPECT_EQ(lu.report.zero, 1);
    EXPECT_EQ(lu.report.uncertain, 1);
  }
}

} // namespace
