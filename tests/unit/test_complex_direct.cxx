// The direct solver of complex symmetric and of Hermitian matrices on the host: solutions, inertia, kept pivots and
// bits.
#include "support/backward_error.hpp"
#include "support/complex_solver.hpp"
#include "support/dense.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

template <class S>
class Complexes : public testing::Test {
};
TYPED_TEST_SUITE(Complexes, Symmetries);

/// Counts of pivots and signs that go together.
template <Symmetry S>
void expect_counts(const DirectReport &r, Index n)
{
  EXPECT_EQ(r.one_by_one + 2 * r.two_by_two, n);
  EXPECT_EQ(r.negative + r.positive, S == Symmetry::Hermitian ? n - r.zero : 0) << "signs of eigenvalues";
}

TYPED_TEST(Complexes, SolvesEveryKindOfMatrix)
{
  constexpr Symmetry S = TypeParam::value;
  std::vector<NamedMatrix> cases = factor_cases();
  Random random(3);
  cases.push_back({"kkt", random_kkt(random, 300, 100, 3)});
  cases.push_back({"dense", dense_symmetric(300, 4)});
  for (const NamedMatrix &c : cases)
    for (std::size_t p = 0; p < all_plans().size(); ++p)
      for (double threshold : {0.01, 0.5}) {
        SCOPED_TRACE(c.name + ", plan " + std::to_string(p));
        // the rank of a singular matrix with other arguments is another
        const MatrixOf<Complex> a = c.singular ? turned_pairs<S>(c.matrix) : with_arguments_of_pairs<S>(c.matrix),
                                other = transposed(a);
        ComplexDirect<S> direct(a, all_plans()[p], {threshold});
        ASSERT_EQ(direct.report.status, DirectReport::Complete);
        const Index n = a.pattern.rows;
        expect_counts<S>(direct.report, n);
        const std::vector<Complex> x = random_numbers<Complex>(n, 3), b = product(a, x), bt = product(other, x);
        EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-13);
        EXPECT_LE(backward_error(a, direct.solve(b, false, 1, 10), b), 1e-14);
        EXPECT_LE(backward_error(other, direct.solve(bt, true), bt), 1e-13);
        EXPECT_LE(backward_error(other, direct.solve(bt, true, 1, 10), bt), 1e-14);
      }
}

TEST(Hermitian, InertiaIsThatOfTheEigenvalues)
{
  std::vector<NamedMatrix> cases = factor_cases();
  cases.push_back({"saddle", saddle_point()});
  for (const NamedMatrix &c : cases)
    for (const PlanOptions &plan : all_plans()) {
      if (c.matrix.pattern.rows > 120)
        continue;
      SCOPED_TRACE(c.name);
      for (const MatrixOf<Complex> &a :
           {with_arguments_of_pairs<Symmetry::Hermitian>(c.matrix), turned_pairs<Symmetry::Hermitian>(c.matrix)}) {
        const DirectReport found = ComplexDirect<Symmetry::Hermitian>(a, plan).report;
        const Inertia expected = inertia_of(a);
        EXPECT_EQ(found.negative, expected.negative);
        EXPECT_EQ(found.zero, expected.zero);
        EXPECT_EQ(found.positive, expected.positive);
      }
    }
}

TYPED_TEST(Complexes, DelaysColumnsWithoutPivots)
{
  constexpr Symmetry S = TypeParam::value;
  for (Index half : {20, 60, 200}) {
    const MatrixOf<Complex> a = with_arguments_of_pairs<S>(without_diagonal(half, 7));
    ComplexDirect<S> direct(a, plan_options(Preprocessing::None, Ordering::Natural, 1));
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    EXPECT_GT(direct.report.delayed, half);
    if (S == Symmetry::Hermitian) {
      EXPECT_EQ(direct.report.negative, half);
      EXPECT_EQ(direct.report.positive, half);
    }
    const std::vector<Complex> b = product(a, random_numbers<Complex>(2 * half, 5));
    EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-14);
    EXPECT_LT(ComplexDirect<S>(a).report.delayed, half / 4); // the matching makes 2x2 pivots of them
  }
}

TYPED_TEST(Complexes, EntriesOfLAreBounded)
{
  constexpr Symmetry S = TypeParam::value;
  const MatrixOf<Complex> a = with_arguments_of_pairs<S>(small_pivots());
  const Index n = a.pattern.rows;
  for (Index nemin : {1, 16, 64}) {
    ComplexDirect<S> direct(a, plan_options(Preprocessing::None, Ordering::Natural, nemin));
    ASSERT_EQ(direct.report.status, DirectReport::Complete);
    const std::vector<Complex> b = product(a, random_numbers<Complex>(n, 5));
    EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-14);
    EXPECT_LE(direct.report.largest, 100);
  }
}

TYPED_TEST(Complexes, ScaledCopiesHaveTheSamePivots)
{
  constexpr Symmetry S = TypeParam::value;
  const MatrixOf<Complex> a = with_arguments_of_pairs<S>(saddle_point());
  for (double factor : {0x1p-66, 0x1p66}) {
    MatrixOf<Complex> b = a;
    for (Complex &x : b.value)
      x *= factor;
    const ComplexDirect<S> one(a), other(b);
    EXPECT_EQ(one.report.one_by_one, other.report.one_by_one);
    EXPECT_EQ(one.report.negative, other.report.negative);
    EXPECT_EQ(one.report.delayed, other.report.delayed);
    EXPECT_EQ(one.report.largest, other.report.largest);
  }
}

/// Values whose squares are out of range, not scaled.
TYPED_TEST(Complexes, SquaresMayOverflowAndUnderflow)
{
  constexpr Symmetry S = TypeParam::value;
  for (double factor : {0x1p-600, 0x1p600})
    for (const Matrix &real : {saddle_point(), laplacian(grid_graph(12, 11, 3), -0.7)}) {
      MatrixOf<Complex> a = with_arguments_of_pairs<S>(real);
      const MatrixOf<Complex> plain = a;
      for (Complex &x : a.value)
        x *= factor;
      ComplexDirect<S> direct(a, plan_options(Preprocessing::None, Ordering::ND, 64));
      ASSERT_EQ(direct.report.status, DirectReport::Complete);
      EXPECT_EQ(direct.report.zero, 0);
      EXPECT_EQ(direct.report.negative, S == Symmetry::Hermitian ? inertia_of(plain).negative : 0);
      const std::vector<Complex> b = product(plain, random_numbers<Complex>(a.pattern.rows, 3));
      std::vector<Complex> x = direct.solve(b);
      for (Complex &value : x)
        value *= factor;
      EXPECT_LE(backward_error(plain, x, b), 1e-14);
    }
}

TEST(Hermitian, FactorsDefiniteMatricesByCholesky)
{
  constexpr Symmetry S = Symmetry::Hermitian;
  const PlanOptions plan = plan_options(Preprocessing::None, Ordering::ND, 16);
  const MatrixOf<Complex> a = with_arguments_of_pairs<S>(laplacian(grid_graph(9, 8, 7), 0.1));
  ComplexDirect<S> direct(a, plan, {}, FactorKind::LLT);
  ASSERT_EQ(direct.report.status, DirectReport::Complete);
  EXPECT_EQ(direct.report.positive, a.pattern.rows);
  const std::vector<Complex> x = random_numbers<Complex>(a.pattern.rows, 2), b = product(a, x),
                             bt = product(transposed(a), x);
  EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-15);
  EXPECT_LE(backward_error(transposed(a), direct.solve(bt, true), bt), 1e-15);
  const ScaledProductOf<Complex> found = direct.factorization->determinant(),
                                 expected = ComplexDirect<S>(a).factorization->determinant();
  EXPECT_EQ(found.exponent, expected.exponent);
  EXPECT_LE(std::abs(found.mantissa - expected.mantissa), 1e-12);
  const MatrixOf<Complex> indefinite = turned_pairs<S>(laplacian(grid_graph(9, 8, 7), -0.5));
  const ComplexDirect<S> failed(indefinite, plan, {}, FactorKind::LLT);
  EXPECT_EQ(failed.report.status, DirectReport::NotDefinite);
  EXPECT_GE(failed.report.failed_row, 0);
}

/// Of an entry on the diagonal of a Hermitian matrix the real part counts, also where it is judged what is rounding.
TEST(Hermitian, DiagonalCountsAsReal)
{
  constexpr Symmetry S = Symmetry::Hermitian;
  const MatrixOf<Complex> a = with_arguments_of_pairs<S>(laplacian(grid_graph(9, 8, 7), -0.5));
  ComplexDirect<S> direct(a);
  StoredOf<Complex> other = direct.stored;
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (a.pattern.column[p] == i)
        other.value[other.source[p]] += Complex(0, 1e20);
  const std::vector<Complex> b = random_numbers<Complex>(a.pattern.rows, 4), x = direct.solve(b, false, 1, 3);
  EXPECT_EQ(direct.factorization->factor(other.value.data(), {}).zero, 0);
  const std::vector<Complex> y = direct.solve(b, false, 1, 3);
  EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(Complex)), 0);
}

TYPED_TEST(Complexes, ManyRightHandSidesAreAsGoodAsOne)
{
  constexpr Symmetry S = TypeParam::value;
  const MatrixOf<Complex> a = with_arguments_of_pairs<S>(saddle_point());
  const Index n = a.pattern.rows;
  ComplexDirect<S> direct(a);
  for (bool t : {false, true})
    for (Index columns : {2, 33, 70}) {
      const MatrixOf<Complex> of = t ? transposed(a) : a;
      std::vector<Complex> b;
      for (Index j = 0; j < columns; ++j) {
        const std::vector<Complex> one = product(of, random_numbers<Complex>(n, 100 + j));
        b.insert(b.end(), one.begin(), one.end());
      }
      const std::vector<Complex> x = direct.solve(b, t, columns);
      for (Index j = 0; j < columns; ++j) {
        const std::vector<Complex> xj(x.begin() + j * n, x.begin() + (j + 1) * n),
            bj(b.begin() + j * n, b.begin() + (j + 1) * n);
        EXPECT_LE(backward_error(of, xj, bj), 1e-14);
      }
    }
}

TYPED_TEST(Complexes, HalvesMakeAWhole)
{
  constexpr Symmetry S = TypeParam::value;
  const Matrix definite = laplacian(grid_graph(9, 8, 7), 0.1);
  for (FactorKind kind : {FactorKind::LDLT, FactorKind::LLT}) {
    const bool llt = kind == FactorKind::LLT;
    if (llt && S == Symmetry::Symmetric)
      continue;
    const MatrixOf<Complex> a = with_arguments_of_pairs<S>(llt ? definite : saddle_point());
    const Index n = a.pattern.rows;
    ComplexDirect<S> direct(a, llt ? plan_options(Preprocessing::None, Ordering::ND, 16) : PlanOptions(), {}, kind);
    SolveHalvesOf<Complex> *halves = direct.factorization->halves();
    ASSERT_NE(halves, nullptr);
    const std::vector<Complex> b = random_numbers<Complex>(n, 5), c = random_numbers<Complex>(n, 6),
                               x = direct.solve(b);
    std::vector<Complex> y(n, NAN), z(n, NAN);
    halves->forward(b.data(), y.data());
    halves->backward(y.data(), z.data());
    EXPECT_EQ(std::memcmp(x.data(), z.data(), n * sizeof(Complex)), 0);
    if (llt) { // cᴴ (L⁻¹ b) = (L⁻ᴴ c)ᴴ b
      halves->backward(c.data(), z.data());
      Complex left = 0, right = 0;
      for (Index i = 0; i < n; ++i) {
        left += std::conj(c[i]) * y[i];
        right += std::conj(z[i]) * b[i];
      }
      EXPECT_LE(std::abs(left - right), 1e-12 * n);
    }
  }
}

TYPED_TEST(Complexes, BitsDoNotDependOnThreads)
{
  constexpr Symmetry S = TypeParam::value;
  const MatrixOf<Complex> a = with_arguments_of_pairs<S>(laplacian(grid_graph(20, 18, 15), -0.7));
  const std::vector<Complex> b = product(a, random_numbers<Complex>(a.pattern.rows, 2));
  std::vector<Complex> first;
  for (int threads : {1, 2, 5}) {
    const Threads scope(threads);
    ComplexDirect<S> direct(a);
    const std::vector<Complex> x = direct.solve(b);
    if (first.empty())
      first = x;
    EXPECT_EQ(std::memcmp(first.data(), x.data(), x.size() * sizeof(Complex)), 0) << threads;
    EXPECT_LE(backward_error(a, x, b), 1e-13);
    direct.factorization->factor(direct.stored.value.data(), {});
    const std::vector<Complex> again = direct.solve(b);
    EXPECT_EQ(std::memcmp(first.data(), again.data(), x.size() * sizeof(Complex)), 0) << threads;
  }
}

TYPED_TEST(Complexes, ReportsEntriesThatAreNotFinite)
{
  constexpr Symmetry S = TypeParam::value;
  ComplexDirect<S> direct(with_arguments_of_pairs<S>(saddle_point()));
  for (const Complex bad : {Complex(NAN, 0), Complex(0, NAN), Complex(INFINITY, 1), Complex(1, INFINITY)}) {
    std::vector<Complex> values = direct.stored.value;
    values[values.size() / 2] = bad;
    EXPECT_EQ(direct.factorization->factor(values.data(), {}).status, DirectReport::NonFinite);
    EXPECT_EQ(direct.factorization->factor(direct.stored.value.data(), {}).status, DirectReport::Complete);
  }
}

TYPED_TEST(Complexes, DeterminantAndConditionNumber)
{
  constexpr Symmetry S = TypeParam::value;
  for (const NamedMatrix &c : factor_cases()) {
    if (c.matrix.pattern.rows == 0 || c.matrix.pattern.rows > 120 || c.singular)
      continue;
    SCOPED_TRACE(c.name);
    const MatrixOf<Complex> a = with_arguments_of_pairs<S>(c.matrix);
    const auto reference = extended(a);
    for (const PlanOptions &plan : all_plans()) {
      ComplexDirect<S> direct(a, plan);
      const ScaledProductOf<Complex> found = direct.factorization->determinant();
      const auto expected = determinant(reference) * std::ldexp(1.0L, -int(found.exponent));
      EXPECT_LE(std::abs(decltype(expected)(found.mantissa) - expected), 1e-9L);
      EXPECT_TRUE(S == Symmetry::Symmetric || found.mantissa.imag() == 0);
      EXPECT_NEAR(direct.factorization->norm(), row_sum_norm(reference), 1e-12 * row_sum_norm(reference));
      const double norm = row_sum_norm(inverse(reference));
      EXPECT_LE(direct.factorization->inverse_norm(), norm * (1 + 1e-6));
      EXPECT_GE(direct.factorization->inverse_norm(), norm / 3);
    }
  }
}

TYPED_TEST(Complexes, KeptPivotsDelayNothing)
{
  constexpr Symmetry S = TypeParam::value;
  const Index half = 200, n = 2 * half;
  const MatrixOf<Complex> a = with_arguments_of_pairs<S>(without_diagonal(half, 7));
  const StoredOf<Complex> stored = store_upper<S>(a);
  const PlanResult plan =
      make_plan(analysed_values(a), stored.source, plan_options(Preprocessing::None, Ordering::Natural, 8));
  const auto factor = make_keeping_direct<Complex>(plan.plan, FactorKind::LDLT, S);
  DirectOptions keep;
  keep.keep_pivots = true;
  const Offset delayed = factor->factor(stored.value.data(), keep).delayed;
  EXPECT_GT(delayed, 0);
  for (int i = 0; i < 3; ++i) {
    const DirectReport r = factor->factor(stored.value.data(), keep);
    EXPECT_EQ(r.delayed, 0);
    EXPECT_EQ(r.replans, 1);
    expect_counts<S>(r, n);
    const std::vector<Complex> b = product(a, random_numbers<Complex>(n, 3));
    std::vector<Complex> x(n);
    factor->solve(1, b.data(), n, x.data(), n, {1, 1});
    EXPECT_LE(backward_error(a, x, b), 1e-13);
  }
  EXPECT_EQ(factor->factor(stored.value.data(), {}).delayed, delayed) << "what was kept is forgotten";
}

TYPED_TEST(Complexes, KeptScaleIsThatOfTheValues)
{
  constexpr Symmetry S = TypeParam::value;
  const Matrix real = laplacian(grid_graph(12, 12, 1), -0.7);
  const MatrixOf<Complex> a = with_arguments_of_pairs<S>(real);
  MatrixOf<Complex> other = a;
  Random random(8);
  std::vector<double> scale(a.pattern.rows);
  for (double &x : scale)
    x = std::ldexp(1, random.below(61) - 30);
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      other.value[p] *= scale[i] * scale[a.pattern.column[p]];
  const StoredOf<Complex> first = store_upper<S>(a), second = store_upper<S>(other);
  const PlanResult plan = make_plan(analysed_values(a), first.source, {}),
                   anew = make_plan(analysed_values(other), second.source, {});
  const auto own = make_host_direct<Complex>(anew.plan, FactorKind::LDLT, S),
             factor = make_keeping_direct<Complex>(plan.plan, FactorKind::LDLT, S);
  DirectOptions keep;
  keep.keep_pivots = true;
  own->factor(second.value.data(), {});
  factor->factor(first.value.data(), keep);
  const DirectReport r = factor->factor(second.value.data(), keep);
  EXPECT_EQ(r.zero, 0);
  EXPECT_LE(r.largest, 1e3) << "of values that are scaled";
  EXPECT_EQ(factor->determinant().exponent, own->determinant().exponent);
  EXPECT_LE(std::abs(factor->determinant().mantissa - own->determinant().mantissa), 1e-10);
}

TYPED_TEST(Complexes, RandomSystems)
{
  constexpr Symmetry S = TypeParam::value;
  Random random(42);
  for (int trial = 0; trial < 400; ++trial) {
    const Index n = 1 + random.below(60);
    const Values kind = trial % 3 == 0 ? Values::small_whole : trial % 3 == 1 ? Values::graded : Values::uniform;
    const Matrix real = random_matrix(random, n, 1 + random.below(4 * n), kind, true);
    const MatrixOf<Complex> a = trial % 2 ? with_arguments_of_pairs<S>(real) : turned_pairs<S>(real);
    SCOPED_TRACE("trial " + std::to_string(trial));
    ComplexDirect<S> direct(
        a, trial % 2 ? PlanOptions() : plan_options(Preprocessing::Matching, Ordering::Natural, 1 + trial % 40),
        {trial % 4 == 0 ? 0.5 : 0.01});
    ASSERT_NE(direct.report.status, DirectReport::NotDefinite);
    if (direct.report.status != DirectReport::Complete)
      continue;
    expect_counts<S>(direct.report, n);
    if (kind == Values::graded) // products overflow
      continue;
    const std::vector<Complex> b = product(a, random_numbers<Complex>(n, trial));
    EXPECT_LE(backward_error(a, direct.solve(b), b), 1e-11);
    if (kind == Values::small_whole && S == Symmetry::Hermitian) {
      const Inertia expected = inertia_of(a);
      EXPECT_EQ(direct.report.zero, expected.zero);
      EXPECT_EQ(direct.report.negative, expected.negative);
    }
  }
}

} // namespace
