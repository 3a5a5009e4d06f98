// The direct LU: solutions, determinants, blocks and bits, for every kind of matrix, threshold and order, real and
// complex. The rank is in test_lu_rank.cxx.
#include "factor/lu/lu_factorization.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "host/front/solve/inverse_norm.hpp"
#include "host/front/solve/refinement.hpp"
#include "support/dense.hpp"
#include "support/direct_solver.hpp"
#include "support/graphs.hpp"
#include "support/lu_cases.hpp"
#include "support/lu_of.hpp"
#include "support/random_matrix.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

template <class T>
class Lu : public testing::Test {
};
using Scalars = testing::Types<double, Complex>;
TYPED_TEST_SUITE(Lu, Scalars);

TYPED_TEST(Lu, SolvesEveryKindOfMatrix)
{
  using T = TypeParam;
  for (const NamedMatrix &c : lu_cases())
    for (std::size_t p = 0; p < lu_plans().size(); ++p)
      for (double threshold : {0.01, 0.5})
        for (bool blocks : {true, false}) {
          SCOPED_TRACE(c.name + ", plan " + std::to_string(p));
          const MatrixOf<T> a = with_arguments<T>(c.matrix), other = transposed(a);
          LuOf<T> lu(a, lu_plans()[p], {threshold}, blocks);
          ASSERT_EQ(lu.report.status, DirectReport::Complete);
          const Index n = a.pattern.rows;
          EXPECT_EQ(lu.report.one_by_one, n);
          EXPECT_EQ(lu.report.zero, 0);
          const std::vector<T> x = random_numbers<T>(n, 3), b = product(a, x), bt = product(other, x);
          EXPECT_LE(backward_error(a, lu.solve(b), b), 1e-12);
          EXPECT_LE(backward_error(a, lu.solve(b, false, 1, 10), b), 1e-14);
          EXPECT_LE(backward_error(other, lu.solve(bt, true), bt), 1e-12);
          EXPECT_LE(backward_error(other, lu.solve(bt, true, 1, 10), bt), 1e-14);
        }
}

TYPED_TEST(Lu, ManyRightHandSides)
{
  using T = TypeParam;
  const MatrixOf<T> a = with_arguments<T>(shuffled(block_triangular({3, 1, 60, 1, 33}, 13), 14));
  const Index n = a.pattern.rows, columns = 70;
  LuOf<T> lu(a);
  const MatrixOf<T> other = transposed(a);
  for (bool t : {false, true}) {
    std::vector<T> b;
    for (Index j = 0; j < columns; ++j) {
      const std::vector<T> one = product(t ? other : a, random_numbers<T>(n, 20 + j));
      b.insert(b.end(), one.begin(), one.end());
    }
    const std::vector<T> x = lu.solve(b, t, columns);
    for (Index j = 0; j < columns; ++j) {
      const std::vector<T> xj(x.begin() + j * n, x.begin() + (j + 1) * n),
          bj(b.begin() + j * n, b.begin() + (j + 1) * n);
      EXPECT_LE(backward_error(t ? other : a, xj, bj), 1e-13);
    }
  }
}

TYPED_TEST(Lu, FindsTheDiagonalBlocks)
{
  using T = TypeParam;
  const std::vector<Index> sizes = {3, 1, 1, 60, 33, 1, 1};
  const LuOf<T> lu(with_arguments<T>(shuffled(block_triangular(sizes, 13), 14)));
  std::vector<Index> found, expected = sizes;
  for (const DiagonalBlock &b : lu.plan.plan.block)
    found.push_back(lu.plan.plan.fronts.tree.first[b.end] - lu.plan.plan.fronts.tree.first[b.begin]);
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(found, expected);
  EXPECT_GT(lu.plan.plan.coupling.source.size(), 0u);
}

TYPED_TEST(Lu, DeterminantAndCondition)
{
  using T = TypeParam;
  for (const NamedMatrix &c : lu_cases()) {
    SCOPED_TRACE(c.name);
    const MatrixOf<T> a = with_arguments<T>(c.matrix);
    const auto reference = extended(a);
    LuOf<T> lu(a);
    const ScaledProductOf<T> found = lu.factorization->determinant();
    EXPECT_LE(determinant_error(found, a), 1e-9);
    EXPECT_GE(std::abs(found.mantissa), 0.5 - 1e-15);
    EXPECT_LE(std::abs(found.mantissa), 1);
    EXPECT_NEAR(lu.factorization->norm(), row_sum_norm(reference), 1e-12 * row_sum_norm(reference));
    if (reference.n == 0)
      continue;
    const double norm = row_sum_norm(inverse(reference));
    EXPECT_LE(lu.factorization->inverse_norm(), norm * (1 + 1e-6));
    EXPECT_GE(lu.factorization->inverse_norm(), norm / 3);
  }
}

/// Of a matrix w uᵀ the norm is that of the row with the largest w. It is found by a product with the adjoint; one
/// with the transpose of this one is 0.
TEST(InverseNorm, TakesTheAdjoint)
{
  const Complex u[] = {1.0, {0, 1}}, w[] = {1.0, 2.0};
  const double norm = estimate_inverse_norm<Complex>(2, [&](Complex *x, bool transposed) {
    const Complex *left = transposed ? u : w, *right = transposed ? w : u;
    const Complex sum = right[0] * x[0] + right[1] * x[1];
    x[0] = left[0] * sum;
    x[1] = left[1] * sum;
  });
  EXPECT_DOUBLE_EQ(norm, 4);
}

TYPED_TEST(Lu, BadScalingDoesNotMatter)
{
  using T = TypeParam;
  for (unsigned seed : {1, 2, 3}) {
    const Matrix real = unsymmetric_on(grid_graph(12, 11, 2), true, 1, seed);
    const MatrixOf<T> a = with_arguments<T>(real), bad = with_arguments<T>(badly_scaled(real, seed));
    LuOf<T> lu(a), scaled_lu(bad);
    EXPECT_EQ(scaled_lu.report.status, DirectReport::Complete);
    EXPECT_EQ(scaled_lu.report.zero, 0);
    EXPECT_LE(scaled_lu.report.delayed, lu.report.delayed + 2);
    const std::vector<T> b = product(bad, random_numbers<T>(bad.pattern.rows, 3));
    EXPECT_LE(backward_error(bad, scaled_lu.solve(b, false, 1, 10), b), 1e-14);
  }
}

TYPED_TEST(Lu, DelaysColumnsWithoutPivots)
{
  using T = TypeParam;
  // Without its matching, a matrix with the large entries off the diagonal delays most columns.
  const MatrixOf<T> a = with_arguments<T>(unsymmetric_on(grid_graph(14, 14, 1), false, 0, 3));
  LuOf<T> lu(a, plan_options(Preprocessing::None, Ordering::Natural, 1), {0.5});
  EXPECT_GT(lu.report.delayed, a.pattern.rows / 4);
  EXPECT_GT(lu.report.work, lu.report.flops * 1.01);
  const std::vector<T> b = product(a, random_numbers<T>(a.pattern.rows, 3));
  EXPECT_LE(backward_error(a, lu.solve(b), b), 1e-14);
}

TYPED_TEST(Lu, EntriesOfLAreBounded)
{
  using T = TypeParam;
  // The pivot of column 0 is small beside an entry far below it, in a row of another front.
  MatrixOf<T> a = with_arguments<T>(unsymmetric_on(grid_graph(30, 30, 1), true, 0, 3));
  for (Index i = 0; i < a.pattern.rows; i += 7)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (a.pattern.column[p] == i)
        a.value[p] = 1e-9;
  for (Index nemin : {1, 64}) {
    LuOf<T> lu(a, plan_options(Preprocessing::None, Ordering::ND, nemin));
    EXPECT_LE(lu.report.largest, 1e6); // 1e9 with these pivots
    const std::vector<T> b = product(a, random_numbers<T>(a.pattern.rows, 3));
    EXPECT_LE(backward_error(a, lu.solve(b), b), 1e-13);
  }
}

TYPED_TEST(Lu, SameBitsForAnyNumberOfThreads)
{
  using T = TypeParam;
  const MatrixOf<T> a = with_arguments<T>(unsymmetric_on(grid_graph(19, 18, 17), true, 1, 3));
  const std::vector<T> b = product(a, random_numbers<T>(a.pattern.rows, 3));
  std::vector<T> first[2];
  for (int threads : {1, 2, 5, 2}) {
    const Threads scope(threads);
    LuOf<T> lu(a);
    for (bool t : {false, true}) {
      const std::vector<T> x = lu.solve(b, t);
      if (first[t].empty())
        first[t] = x;
      EXPECT_EQ(std::memcmp(first[t].data(), x.data(), x.size() * sizeof(T)), 0) << threads;
      EXPECT_LE(backward_error(t ? transposed(a) : a, x, b), 1e-12);
    }
  }
}

TYPED_TEST(Lu, FactorsAgainWithOtherValues)
{
  using T = TypeParam;
  const Pattern graph = grid_graph(9, 8, 7);
  const MatrixOf<T> a = with_arguments<T>(unsymmetric_on(graph, true, 0, 3)),
                    other = with_arguments<T>(unsymmetric_on(graph, true, 0, 4));
  LuOf<T> lu(a);
  const std::vector<T> b = random_numbers<T>(a.pattern.rows, 3);
  const StoredOf<T> stored = store_reversed(other);
  for (bool t : {false, true}) {
    lu.report = lu.factorization->factor(lu.stored.value.data(), {});
    const MatrixOf<T> at = transposed(a), ot = transposed(other);
    EXPECT_LE(backward_error(t ? at : a, lu.solve(b, t, 1, 10), b), 1e-14);
    lu.report = lu.factorization->factor(stored.value.data(), {});
    EXPECT_LE(backward_error(t ? ot : other, lu.solve(b, t, 1, 10), b), 1e-14);
    std::vector<T> x(b.size());
    const Index n = a.pattern.rows;
    const SolveReport solved = t ? lu.factorization->solve_transposed(1, b.data(), n, x.data(), n, {})
                                 : lu.factorization->solve(1, b.data(), n, x.data(), n, {});
    EXPECT_LE(solved.backward_error, 1e-14) << "measured with the values of before";
  }
}

TYPED_TEST(Lu, KeptPivotsDelayNothing)
{
  using T = TypeParam;
  for (Preprocessing preprocessing : {Preprocessing::None, Preprocessing::Matching}) {
    const bool blocks = preprocessing == Preprocessing::None;
    const Matrix plain = unsymmetric_on(grid_graph(10, 10, 1), false, 0, 7);
    const MatrixOf<T> a = with_arguments<T>(blocks ? plain : badly_scaled(plain, 3));
    const StoredOf<T> stored = store_reversed(a);
    const PlanOptions options = plan_options(preprocessing, Ordering::Natural, 1);
    const LuPlanResult plan = make_lu_plan(analysed_values(a), stored.source, options, blocks);
    const auto factor = make_keeping_lu<T>(plan.plan);
    DirectOptions keep, forget;
    keep.threshold = forget.threshold = 0.5;
    keep.keep_pivots = true;
    const DirectReport first = factor->factor(stored.value.data(), keep);
    const ScaledProductOf<T> determinant = factor->determinant();
    EXPECT_GE(first.delayed, 5);
    for (int i = 0; i < 3; ++i) {
      const DirectReport again = factor->factor(stored.value.data(), keep);
      EXPECT_EQ(again.delayed, 0);
      EXPECT_EQ(again.zero, 0);
      EXPECT_EQ(again.replans, 1);
      EXPECT_EQ(again.work, again.planned);
      EXPECT_LE(std::abs(factor->determinant().mantissa - determinant.mantissa), 1e-9);
      EXPECT_EQ(factor->determinant().exponent, determinant.exponent);
      for (bool t : {false, true}) {
        const MatrixOf<T> of = t ? transposed(a) : a;
        const Index n = a.pattern.rows;
        const std::vector<T> b = random_numbers<T>(n, 3);
        std::vector<T> x(n);
        t ? factor->solve_transposed(1, b.data(), n, x.data(), n, {}) : factor->solve(1, b.data(), n, x.data(), n, {});
        EXPECT_LE(backward_error(of, x, b), 1e-14);
      }
    }
    EXPECT_EQ(factor->factor(stored.value.data(), forget).delayed, first.delayed) << "what was kept is forgotten";
  }
}

/// 1, or the imaginary unit.
double unit(double)
{
  return 1;
}
Complex unit(Complex)
{
  return {0, 1};
}

TYPED_TEST(Lu, KeptScaleIsThatOfTheValues)
{
  using T = TypeParam;
  const Matrix real = unsymmetric_on(grid_graph(10, 10, 1), true, 0, 7);
  MatrixOf<T> a = with_arguments<T>(real), other{real.pattern, {}};
  for (double x : badly_scaled(real, 5).value)
    other.value.push_back(x * unit(T()));
  const StoredOf<T> first = store_reversed(a), second = store_reversed(other);
  const LuPlanResult plan = make_lu_plan(analysed_values(a), first.source, lu_plan_options());
  const auto once = make_host_lu<T>(plan.plan);
  const Offset own_scale = once->factor(first.value.data(), {}).delayed,
               old_scale = once->factor(second.value.data(), {}).delayed;
  ASSERT_LT(own_scale, 3);
  ASSERT_GT(old_scale, 10);
  const auto factor = make_keeping_lu<T>(plan.plan);
  DirectOptions keep;
  keep.keep_pivots = true;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(factor->factor(first.value.data(), keep).delayed, own_scale);
    const DirectReport kept = factor->factor(second.value.data(), keep);
    EXPECT_LT(kept.delayed, 3);
    EXPECT_EQ(kept.rescales, 1);
    const std::vector<T> b = product(other, random_numbers<T>(a.pattern.rows, 3));
    std::vector<T> x(b.size());
    factor->solve(1, b.data(), a.pattern.rows, x.data(), a.pattern.rows, {});
    EXPECT_LE(backward_error(other, x, b), 1e-14);
    EXPECT_EQ(factor->factor(second.value.data(), {}).delayed, old_scale) << "what was kept is forgotten";
    DirectOptions others;
    others.other_values = true;
    const DirectReport r = factor->factor(second.value.data(), others);
    EXPECT_EQ(r.rescales, 0) << "but with kept pivots they stay";
    EXPECT_EQ(r.delayed, old_scale);
  }
}

/// [1 1; 1 1 + 2^-45] is regular by more than rounding. Errors of a solution that is refined do not count.
TEST(Refinement, TellsOfTheRefinedSolution)
{
  const Matrix a = assemble(2, 2, {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1 + 0x1p-45}});
  const std::vector<Offset> source = {0, 1, 2, 3};
  Refinement<double> refinement(a.pattern, source, [](const double *b, double *x) {
    x[1] = -0x1p45 * (b[0] - b[1]);
    x[0] = b[0] - x[1];
  });
  ASSERT_EQ(refinement.set_values(a.value.data()), -1);
  const double b[] = {1, 0};
  double x[] = {(0x1p45 + 1) * (1 + 6e-14), -0x1p45};
  const SolveReport report = refinement.run(1, b, 2, x, 2, {1e-14, 10});
  EXPECT_GE(report.steps, 1);
  EXPECT_LE(report.backward_error, 1e-15);
  EXPECT_NEAR(report.singular.least, 0x1p-46, 0x1p-50);
  EXPECT_FALSE(report.singular.is_rounding);
}

TYPED_TEST(Lu, SolutionsTellHowFarTheMatrixIsFromASingularOne)
{
  using T = TypeParam;
  Matrix real = laplacian(grid_graph(9, 8, 1), 0.0);
  real.value[0] += 1e-7;
  const MatrixOf<T> a = turned<T>(real);
  const LuOf<T> lu(a);
  for (bool transposed : {false, true}) {
    const MatrixOf<T> of = transposed ? test::transposed(a) : a;
    const std::vector<T> b = random_numbers<T>(a.pattern.rows, 2);
    std::vector<T> x(b.size());
    const Index n = a.pattern.rows;
    const SolveReport report = transposed ? lu.factorization->solve_transposed(1, b.data(), n, x.data(), n, {1e-14, 10})
                                          : lu.factorization->solve(1, b.data(), n, x.data(), n, {1e-14, 10});
    const double expected = singular_within(of, x);
    EXPECT_LE(expected, 1e-6);
    EXPECT_NEAR(report.singular.least, expected, 1e-5 * expected);
  }
}

std::vector<double> not_finite(double)
{
  return {NAN, INFINITY};
}
std::vector<Complex> not_finite(Complex)
{
  return {{NAN, 1}, {1, NAN}, {1, -INFINITY}, {INFINITY, NAN}};
}

Index row_of(const Pattern &pattern, Offset entry)
{
  return Index(std::upper_bound(pattern.start.begin(), pattern.start.end(), entry) - pattern.start.begin()) - 1;
}

TYPED_TEST(Lu, NonFinite)
{
  using T = TypeParam;
  const MatrixOf<T> a = with_arguments<T>(unsymmetric_on(grid_graph(9, 8, 1), true, 0, 3));
  LuOf<T> lu(a);
  std::vector<T> values = lu.stored.value;
  for (T bad : not_finite(T())) {
    values[17] = bad;
    const DirectReport r = lu.factorization->factor(values.data(), {});
    EXPECT_EQ(r.status, DirectReport::NonFinite);
    EXPECT_EQ(r.failed_row, row_of(a.pattern, a.pattern.entries() - 1 - 17));
  }
  for (T &x : values)
    x = 1.7e308; // sums overflow
  EXPECT_NE(lu.factorization->factor(values.data(), {}).status, DirectReport::NeedsHost);
  lu.report = lu.factorization->factor(lu.stored.value.data(), {});
  EXPECT_EQ(lu.report.status, DirectReport::Complete);
  MatrixOf<T> bad = a;
  bad.value[5] = INFINITY;
  const StoredOf<T> stored = store_reversed(bad);
  EXPECT_EQ(make_lu_plan(analysed_values(bad), stored.source, {}).status, AnalysisStatus::NonFinite);
}

/// The norm of the matrix is beyond the range of numbers; no x comes near to a solution.
TYPED_TEST(Lu, ErrorsAreMeasuredWhereTheNormOverflows)
{
  using T = TypeParam;
  const double large = 1.7e308;
  const Matrix real = assemble(2, 2, {{0, 0, large}, {0, 1, large}, {1, 0, large}, {1, 1, large}});
  LuOf<T> lu(MatrixOf<T>{real.pattern, std::vector<T>(real.value.begin(), real.value.end())},
             plan_options(Preprocessing::None, Ordering::Natural, 1), {}, false);
  ASSERT_EQ(lu.report.status, DirectReport::Complete);
  const std::vector<T> b = {1e307, -1e307};
  std::vector<T> x(2);
  const double error = lu.factorization->solve(1, b.data(), 2, x.data(), 2, {1e-14, 1}).backward_error;
  EXPECT_GE(error, 0.1);
  EXPECT_LE(error, 1);
  EXPECT_TRUE(std::isinf(lu.factorization->norm()));
}

} // namespace
