// LDLT of dense tiles: every size, case, pivoting and precision against naive references in extended precision.
#include "host/lanes/group_host.hpp"
#include "ldlt_checks.hpp"
#include "tile/ldlt.hpp"
#include "tile_cases.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;

namespace {

template <int W, Pivoting P, class T>
Factor<T> factor(const std::vector<T> &A, int n, int ld, LdltOptions<T> options = {})
{
  Factor<T> f = guarded<W, T>(n, ld);
  ldlt<P>(HostGroup<W>{}, A.data(), ld, n, options, f.L.data(), f.D.data(), f.E.data(), f.perm.data(), &f.counts);
  f.untouched = keeps_guards<W>(f, true);
  return f;
}

/// Bound on |L| of rook pivoting that takes a diagonal entry from half of the largest beside it on: 1 / alpha after a
/// 1x1 pivot and 1 / (1 - alpha) after a 2x2 pivot, alpha = 1/2 (Ashcraft, Grimes & Lewis 1998, 2.2), times the slack
/// of a search by leading bits
constexpr Real rook_bound = 2 * (1 + 1e-3L);

template <int W, Pivoting P, class T>
void check(Case c, int n)
{
  SCOPED_TRACE(testing::Message() << name(c) << " n " << n << " W " << W);
  const std::vector<T> A = make_tile<T>(c, n, W, 1);
  const Factor<T> f = factor<W, P>(A, n, W);
  expect_well_formed(f);
  if (!is_finite_case(c)) {
    EXPECT_EQ(f.counts.nonfinite, 1);
    EXPECT_EQ(f.counts.zero, n);
    return;
  }
  if (c == Case::overflow || c == Case::subnormal)
    return; // whether something overflows depends on the pivots; the factor is finite either way
  EXPECT_EQ(f.counts.nonfinite, 0);
  EXPECT_EQ(f.counts.perturbed, 0);
  const bool stable = P != Pivoting::none || c == Case::dominant;
  if (stable) {
    EXPECT_LE(residual(A, f), 4 * n * Real(std::numeric_limits<T>::epsilon()));
    expect_inertia(A, f);
  }
  if (P == Pivoting::rook) {
    EXPECT_LE(largest_multiplier(f), rook_bound);
  }
  if (c == Case::zero) {
    EXPECT_EQ(f.counts.zero, n);
  }
  if (P != Pivoting::none && c == Case::antidiagonal) {
    EXPECT_EQ(f.counts.two_by_two, n / 2);
  }
}

template <int W, Pivoting P, class T>
void check_width()
{
  for (int n = 1; n <= W; ++n)
    for (int c = 0; c < int(Case::count); ++c)
      check<W, P, T>(Case(c), n);
}

template <Pivoting P, class T>
void check_all()
{
  check_width<4, P, T>();
  check_width<8, P, T>();
  check_width<16, P, T>();
  check_width<32, P, T>();
}

TEST(Ldlt, NoneDouble)
{
  check_all<Pivoting::none, double>();
}
TEST(Ldlt, NoneFloat)
{
  check_all<Pivoting::none, float>();
}
TEST(Ldlt, BunchKaufmanDouble)
{
  check_all<Pivoting::bunch_kaufman, double>();
}
TEST(Ldlt, BunchKaufmanFloat)
{
  check_all<Pivoting::bunch_kaufman, float>();
}
TEST(Ldlt, RookDouble)
{
  check_all<Pivoting::rook, double>();
}
TEST(Ldlt, RookFloat)
{
  check_all<Pivoting::rook, float>();
}

/// A power of two times A has the same pivots and the same L, bit by bit
template <Pivoting P, class T>
void check_scaling()
{
  for (int n = 1; n <= 32; ++n)
    for (const int power : {-66, 66}) {
      const std::vector<T> A = make_tile<T>(Case::random, n, 32, 3);
      std::vector<T> S = A;
      for (T &x : S)
        x = std::ldexp(x, power);
      const Factor<T> f = factor<32, P>(A, n, 32), h = factor<32, P>(S, n, 32);
      EXPECT_EQ(f.perm, h.perm);
      EXPECT_EQ(f.L, h.L);
      for (int k = 0; k < n; ++k) {
        EXPECT_EQ(std::ldexp(f.D[k], power), h.D[k]);
        EXPECT_EQ(std::ldexp(f.E[k], power), h.E[k]);
      }
    }
}

TEST(Ldlt, PivotsDoNotDependOnTheScale)
{
  check_scaling<Pivoting::rook, double>();
  check_scaling<Pivoting::bunch_kaufman, double>();
  check_scaling<Pivoting::rook, float>();
}

/// A finite tile is factored however large its entries are
TEST(Ldlt, LargestEntriesDoNotOverflow)
{
  for (int n = 1; n <= 32; ++n) {
    auto A = make_tile<double>(Case::random, n, 32, 3);
    for (double &x : A)
      x = std::ldexp(x, 1016);
    const auto f = factor<32, Pivoting::rook>(A, n, 32);
    expect_well_formed(f);
    EXPECT_EQ(f.counts.nonfinite, 0);
    EXPECT_LE(residual(A, f), 4 * n * Real(std::numeric_limits<double>::epsilon()));
    EXPECT_LE(largest_multiplier(f), rook_bound);
  }
}

/// Where rounding is all that is left, the rows of the Schur complement say nothing of its columns
TEST(Ldlt, LIsBoundedWhereOnlyRoundingIsLeft)
{
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 bits(seed);
    const int n = 4 + int(seed % 29), rank = 1 + int(seed % 3);
    std::vector<double> A(32 * 32, 0.0);
    for (int k = 0; k < rank; ++k) {
      std::vector<double> v(n);
      for (double &x : v)
        x = double(bits()) / 4294967296.0;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          A[i + 32 * j] += v[i] * v[j];
    }
    const auto f = factor<32, Pivoting::rook>(A, n, 32);
    expect_well_formed(f);
    EXPECT_LE(largest_multiplier(f), rook_bound);
    EXPECT_LE(residual(A, f), 4 * n * Real(std::numeric_limits<double>::epsilon()));
  }
}

/// Bunch-Kaufman keeps the Schur complements small, growth at most (1 + 1 / alpha) a step, but not L; rook bounds L
TEST(Ldlt, RookBoundsWhatBunchKaufmanDoesNot)
{
  std::vector<double> A(64, 0.0); // 3 x 3: a small pivot is accepted because its column is small, and L is large
  const double t = 1e-6;
  A[0] = t * t;
  A[1] = t;
  A[2] = 0;
  A[9] = 1;
  A[10] = 1e6;
  A[18] = 1;
  const auto bk = factor<8, Pivoting::bunch_kaufman>(A, 3, 8), rook = factor<8, Pivoting::rook>(A, 3, 8);
  EXPECT_LE(residual(A, bk), 1e-15);
  EXPECT_LE(residual(A, rook), 1e-15);
  EXPECT_GT(largest_multiplier(bk), 1e5L);
  EXPECT_LE(largest_multiplier(rook), rook_bound);
}

template <class T>
Real largest_entry(const std::vector<T> &v, int n)
{
  Real m = 0;
  for (int i = 0; i < n; ++i)
    m = std::max(m, std::abs(Real(v[i])));
  return m;
}

TEST(Ldlt, BunchKaufmanBoundsTheGrowth)
{
  for (int n = 1; n <= 32; ++n)
    for (const Case c : {Case::random, Case::saddle, Case::ties}) {
      const auto A = make_tile<double>(c, n, 32, 5);
      const auto f = factor<32, Pivoting::bunch_kaufman>(A, n, 32);
      Real a = 0;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          a = std::max(a, std::abs(Real(A[i + 32 * j])));
      EXPECT_LE(largest_entry(f.D, n), a * std::pow(2.57L, n - 1) * (1 + 1e-3L));
    }
}

TEST(Ldlt, SmallPivotsArePerturbed)
{
  std::vector<double> A(64, 0.0);
  A[0] = 1e-12;
  A[9] = -1e-12;
  A[18] = 5;
  A[27] = 0;
  const auto f = factor<8, Pivoting::rook>(A, 4, 8, {1e-6, 0});
  expect_well_formed(f);
  EXPECT_EQ(f.counts.perturbed, 3);
  EXPECT_EQ(f.counts.zero, 0);
  EXPECT_EQ(f.counts.negative, 1);
  EXPECT_EQ(f.counts.positive, 3);
  for (int k = 0; k < 4; ++k)
    EXPECT_EQ(f.D[k], f.perm[k] == 2 ? 5 : f.perm[k] == 1 ? -1e-6 : 1e-6);
}

TEST(Ldlt, SmallTwoByTwoPivotIsPerturbed)
{
  std::vector<double> A(64, 0.0);
  A[1] = -1e-12; // [0 b; b 0] with b below delta
  A[18] = 1;
  const auto f = factor<8, Pivoting::rook>(A, 3, 8, {1e-6, 0});
  expect_well_formed(f);
  EXPECT_EQ(f.counts.two_by_two, 1);
  EXPECT_EQ(f.counts.perturbed, 1);
  EXPECT_EQ(f.E[0] + f.E[1], -1e-6);
}

TEST(Ldlt, PerturbedPivotsAreFarFromZero)
{
  for (int n = 1; n <= 32; ++n)
    for (int c = 0; c < int(Case::count); ++c) {
      const double delta = 1e-3;
      if (!is_finite_case(Case(c)) || Case(c) == Case::overflow)
        continue;
      const auto f = factor<32, Pivoting::rook>(make_tile<double>(Case(c), n, 32, 7), n, 32, {delta, 0});
      expect_well_formed(f);
      EXPECT_EQ(f.counts.zero, 0);
      std::vector<double> B(1024, 0.0);
      for (int k = 0; k < n; ++k) {
        B[k + 32 * k] = f.D[k];
        if (k + 1 < n)
          B[k + 1 + 32 * k] = f.E[k];
      }
      for (const Real x : eigenvalues(B, n, 32))
        EXPECT_GE(std::abs(x), 0.3 * delta) << name(Case(c)) << ' ' << n;
    }
}

TEST(Ldlt, MatchedPairsAreTwoByTwoPivots)
{
  for (int n = 2; n <= 32; ++n) {
    auto A = make_tile<double>(Case::dominant, n, 32, 9);
    std::uint32_t pairs = 0;
    int count = 0;
    for (int i = 0; i + 1 < n; i += 3) { // diagonal 0, off-diagonal large: 2x2 is the only way
      A[i + 32 * i] = A[i + 1 + 32 * (i + 1)] = 0;
      A[i + 1 + 32 * i] = A[i + 32 * (i + 1)] = n + 2.0;
      pairs |= 1u << i;
      ++count;
    }
    const auto f = factor<32, Pivoting::none>(A, n, 32, {0, pairs});
    expect_well_formed(f);
    EXPECT_EQ(f.counts.two_by_two, count);
    EXPECT_LE(residual(A, f), 1e-13);
    expect_inertia(A, f);
    for (int k = 0; k < n; ++k)
      EXPECT_EQ(f.perm[k], k);
  }
}

TEST(Ldlt, DefinitePairsCountTwiceWithOneSign)
{
  std::vector<double> A(64, 0.0); // [-3 1; 1 -2] and [3 1; 1 2]
  A[0] = -3;
  A[9] = -2;
  A[18] = 3;
  A[27] = 2;
  A[1] = A[19] = 1;
  const auto f = factor<8, Pivoting::none>(A, 4, 8, {0, 5});
  expect_well_formed(f);
  EXPECT_EQ(f.counts.two_by_two, 2);
  EXPECT_EQ(f.counts.negative, 2);
  EXPECT_EQ(f.counts.positive, 2);
}

TEST(Ldlt, SingularPairFallsBackToTwoOneByOne)
{
  std::vector<double> A(64, 0.0);
  A[0] = A[1] = A[9] = 2; // [2 2; 2 2]
  const auto f = factor<8, Pivoting::none>(A, 2, 8, {0, 1});
  expect_well_formed(f);
  EXPECT_EQ(f.counts.two_by_two, 0);
  EXPECT_EQ(f.counts.positive, 1);
  EXPECT_EQ(f.counts.zero, 1);
  EXPECT_EQ(f.l(1, 0), 1);
}

TEST(Ldlt, InPlaceGivesTheSame)
{
  for (int n = 1; n <= 16; ++n) {
    auto A = make_tile<double>(Case::random, n, 16, 11);
    const auto f = factor<16, Pivoting::rook>(A, n, 16);
    double D[16], E[16];
    std::int32_t perm[16];
    PivotCounts counts;
    ldlt<Pivoting::rook>(HostGroup<16>{}, A.data(), 16, n, LdltOptions<double>{}, A.data(), D, E, perm, &counts);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        EXPECT_EQ(A[i + 16 * j], f.l(i, j));
  }
}

/// The group that carries a tile does not show in the result
TEST(Ldlt, WidthDoesNotMatter)
{
  for (int n = 1; n <= 8; ++n) {
    const auto A = make_tile<float>(Case::random, n, 32, 13);
    const auto f = factor<8, Pivoting::rook>(A, n, 32), h = factor<32, Pivoting::rook>(A, n, 32);
    EXPECT_EQ(f.L, h.L);
    for (int k = 0; k < n; ++k)
      EXPECT_EQ(f.D[k], h.D[k]);
  }
}

} // namespace
