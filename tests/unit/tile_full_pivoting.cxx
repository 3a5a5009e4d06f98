// LLT, LDLT and LDU of dense tiles with full pivoting: every size, case and precision against naive references.
#include "host/lanes/group_host.hpp"
#include "support/larger.hpp"
#include "tile/full_pivoting.hpp"
#include "tile_cases.hpp"

#include <gtest/gtest.h>

using namespace tessera;

namespace {

using Real = long double;
constexpr int guard = -77;

template <class T>
using Dense = std::vector<T>;

/// What a kernel wrote. LLT has L in `l`, LDLT L and D, LDU everything in `l`.
template <class T>
struct Result {
  int n, ld;
  Dense<T> l, d, e;
  std::vector<std::int32_t> row, column;
  int perturbed, zero, nonfinite;

  explicit Result(int n_, int ld_)
      : n(n_), ld(ld_), l(std::size_t(ld) * ld, T(guard)), d(ld + 1, T(guard)), e(ld + 1, T(guard)), row(ld + 1, guard),
        column(ld + 1, guard), perturbed(0), zero(0), nonfinite(0)
  {
  }
  T operator()(int i, int j) const { return l[i + std::size_t(j) * ld]; }
};

template <int W, class T>
Result<T> factor(FullKind kind, const Dense<T> &A, int n, T delta = 0)
{
  Result<T> r(n, W);
  if (kind == FullKind::ldlt) {
    PivotCounts counts;
    ldlt_full(HostGroup<W>{}, A.data(), W, n, delta, r.l.data(), r.d.data(), r.e.data(), r.row.data(), &counts);
    r.perturbed = counts.perturbed;
    r.zero = counts.zero;
    r.nonfinite = counts.nonfinite;
    EXPECT_EQ(counts.one_by_one + 2 * counts.two_by_two, n);
    EXPECT_EQ(counts.negative + counts.positive + counts.zero, n);
  } else {
    LuCounts counts;
    if (kind == FullKind::llt)
      llt_full(HostGroup<W>{}, A.data(), W, n, delta, r.l.data(), r.row.data(), &counts);
    else
      ldu_full(HostGroup<W>{}, A.data(), W, n, delta, r.l.data(), r.row.data(), r.column.data(), &counts);
    r.perturbed = counts.perturbed;
    r.zero = counts.zero;
    r.nonfinite = counts.nonfinite;
  }
  return r;
}

template <class T>
void expect_permutation(const std::vector<std::int32_t> &p, int n)
{
  std::vector<int> seen(n, 0);
  for (int i = 0; i < n; ++i) {
    ASSERT_TRUE(p[i] >= 0 && p[i] < n);
    EXPECT_EQ(seen[p[i]]++, 0);
  }
  EXPECT_EQ(p[n], guard);
}

template <class T>
void expect_inside(const Result<T> &r)
{
  for (int j = 0; j < r.ld; ++j)
    for (int i = 0; i < r.ld; ++i)
      if (i >= r.n || j >= r.n) {
        EXPECT_EQ(r(i, j), T(guard));
      } else {
        EXPECT_TRUE(std::isfinite(r(i, j)));
      }
}

/// Largest entry of the permuted A less the product of the factors, relative to the product of their magnitudes
template <class T>
Real residual(FullKind kind, const Dense<T> &A, const Result<T> &r)
{
  const int n = r.n;
  const auto left = [&](int i, int k) -> Real {
    return i < k ? 0 : kind == FullKind::ldu && i == k ? 1 : Real(r(i, k));
  };
  const auto right = [&](int k, int j, bool magnitude) -> Real {
    const auto of = [&](Real x) { return magnitude ? std::abs(x) : x; };
    if (kind == FullKind::llt)
      return of(left(j, k));
    if (kind == FullKind::ldu)
      return j < k ? 0 : of(Real(r(k, k)) * (j == k ? 1 : Real(r(k, j))));
    return of(Real(r.d[k]) * left(j, k)) + (k + 1 < n ? of(Real(r.e[k]) * left(j, k + 1)) : 0) +
           (k > 0 ? of(Real(r.e[k - 1]) * left(j, k - 1)) : 0);
  };
  Real error = 0, size = 0;
  for (int j = 0; j < n; ++j)
    for (int i = kind == FullKind::ldu ? 0 : j; i < n; ++i) {
      Real s = 0, v = 0;
      for (int k = 0; k < n; ++k) {
        s += left(i, k) * right(k, j, false);
        v += std::abs(left(i, k)) * right(k, j, true);
      }
      int p = r.row[i], q = kind == FullKind::ldu ? r.column[j] : r.row[j];
      if (kind != FullKind::ldu && p < q)
        std::swap(p, q);
      const Real a = A[p + std::size_t(q) * r.ld];
      error = test::larger(error, std::abs(a - s));
      size = std::max({size, v, std::abs(a)});
    }
  return size > 0 ? error / size : error;
}

template <class T>
Real largest_multiplier(const Result<T> &r, bool both_sides)
{
  Real m = 0;
  for (int j = 0; j < r.n; ++j)
    for (int i = 0; i < r.n; ++i)
      if (i > j || (both_sides && i < j))
        m = std::max(m, std::abs(Real(r(i, j))));
  return m;
}

/// Slack of a search by leading bits
constexpr Real slack = 1 + 1e-3L;

/// Tiles for a kind: LLT gets Gram matrices, LDU tiles with unequal triangles.
template <class T>
Dense<T> tile_for(FullKind kind, Case c, int n, int ld)
{
  Dense<T> A = make_tile<T>(c, n, ld, 5);
  if (kind == FullKind::ldu && c != Case::ties && c != Case::overflow)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        A[i + std::size_t(j) * ld] *= T(1 + i % 3);
  if (kind == FullKind::llt && c != Case::overflow && c != Case::subnormal && is_finite_case(c)) {
    const Dense<T> B = A;
    Real most = 0; // keeps the size of the entries
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        most = std::max(most, std::abs(Real(B[i + std::size_t(j) * ld])));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        Real s = 0;
        for (int k = 0; k < n; ++k)
          s += Real(B[i + std::size_t(k) * ld]) * B[j + std::size_t(k) * ld];
        A[i + std::size_t(j) * ld] = T(most > 0 ? s / most : 0);
      }
  }
  return A;
}

template <int W, class T>
void check(FullKind kind, Case c, int n)
{
  SCOPED_TRACE(testing::Message() << "kind " << int(kind) << ' ' << name(c) << " n " << n << " W " << W);
  const Dense<T> A = tile_for<T>(kind, c, n, W);
  const Result<T> r = factor<W, T>(kind, A, n);
  expect_inside(r);
  expect_permutation<T>(r.row, n);
  if (kind == FullKind::ldu)
    expect_permutation<T>(r.column, n);
  EXPECT_EQ(r.perturbed, 0);
  if (c == Case::overflow || c == Case::subnormal)
    return; // whether something overflows depends on the pivots; the factor is finite either way
  EXPECT_EQ(r.nonfinite, !is_finite_case(c));
  if (!is_finite_case(c)) {
    EXPECT_EQ(r.zero, n);
    return;
  }
  const Real eps = std::numeric_limits<T>::epsilon();
  EXPECT_LE(residual(kind, A, r), (kind == FullKind::llt ? 40 : 4) * n * eps);
  if (kind != FullKind::llt) {
    EXPECT_LE(largest_multiplier(r, kind == FullKind::ldu), kind == FullKind::ldu ? slack : 2.7808L * slack);
  }
  if (c == Case::zero) {
    EXPECT_EQ(r.zero, n);
  }
  if (c == Case::singular && kind != FullKind::ldlt) { // full pivoting reveals the rank
    const Real first = std::abs(Real(r(0, 0)));
    for (int k = n / 2; k < n; ++k)
      EXPECT_LE(std::abs(Real(r(k, k))), (kind == FullKind::llt ? 40 * std::sqrt(n * eps) : 40 * n * eps) * first);
  }
}

template <int W, class T>
void check_width(FullKind kind)
{
  for (int n = 1; n <= W; ++n)
    for (int c = 0; c < int(Case::count); ++c)
      check<W, T>(kind, Case(c), n);
}

template <class T>
void check_all(FullKind kind)
{
  check_width<4, T>(kind);
  check_width<8, T>(kind);
  check_width<16, T>(kind);
  check_width<32, T>(kind);
}

TEST(FullPivoting, LltDouble)
{
  check_all<double>(FullKind::llt);
}
TEST(FullPivoting, LltFloat)
{
  check_all<float>(FullKind::llt);
}
TEST(FullPivoting, LdltDouble)
{
  check_all<double>(FullKind::ldlt);
}
TEST(FullPivoting, LdltFloat)
{
  check_all<float>(FullKind::ldlt);
}
TEST(FullPivoting, LduDouble)
{
  check_all<double>(FullKind::ldu);
}
TEST(FullPivoting, LduFloat)
{
  check_all<float>(FullKind::ldu);
}

TEST(FullPivoting, TakesTheLargestFirst)
{
  const double A[16] = {1, 0, 2, 0, 0, -9, 0, 3, 2, 0, 4, 0, 0, 3, 0, 5};
  PivotCounts counts;
  double L[16], D[4], E[4];
  std::int32_t perm[4];
  ldlt_full(HostGroup<4>{}, A, 4, 4, 0.0, L, D, E, perm, &counts);
  EXPECT_EQ(perm[0], 1);
  EXPECT_EQ(D[0], -9);
  EXPECT_EQ(D[1], 6);
  EXPECT_EQ(perm[1], 3);
  EXPECT_EQ(counts.negative, 1);
}

TEST(FullPivoting, TiesGoToTheFirstRow)
{
  const double A[16] = {-1, 1, -1, 1, 1, 1, 1, 1, -1, 1, 1, 1, 1, 1, 1, 1};
  double F[16];
  std::int32_t row[4], column[4];
  LuCounts counts;
  ldu_full(HostGroup<4>{}, A, 4, 4, 0.0, F, row, column, &counts);
  EXPECT_EQ(row[0], 0);
  EXPECT_EQ(column[0], 0);
}

TEST(FullPivoting, SmallPivotsArePerturbed)
{
  const double A[16] = {-1e-9, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1e-9, 0, 0, 0, 0, 1};
  const Dense<double> tile(A, A + 16);
  for (FullKind kind : {FullKind::llt, FullKind::ldlt, FullKind::ldu}) {
    const Result<double> r = factor<4, double>(kind, tile, 4, 1e-6);
    EXPECT_EQ(r.perturbed, 2);
    EXPECT_EQ(r.zero, 0);
    const auto pivot = [&](int k) { return kind == FullKind::ldlt ? r.d[k] : r(k, k); };
    EXPECT_EQ(std::abs(pivot(2)), kind == FullKind::llt ? std::sqrt(1e-6) : 1e-6);
    EXPECT_EQ(std::abs(pivot(3)), kind == FullKind::llt ? std::sqrt(1e-6) : 1e-6);
  }
  const Dense<double> pair = {0, 1e-9, 0, 0, 1e-9, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2};
  const Result<double> r = factor<4, double>(FullKind::ldlt, pair, 4, 1e-6);
  EXPECT_EQ(r.perturbed, 1);
  EXPECT_EQ(r.e[2], 1e-6);
}

TEST(FullPivoting, ScalingByPowersOfTwoKeepsPivots)
{
  const Dense<double> A = make_tile<double>(Case::random, 24, 32, 3);
  Dense<double> B = A;
  for (double &x : B)
    x *= 0x1p-40;
  const Result<double> a = factor<32, double>(FullKind::ldlt, A, 24), b = factor<32, double>(FullKind::ldlt, B, 24);
  EXPECT_EQ(a.row, b.row);
  EXPECT_EQ(a.l, b.l);
}

} // namespace
