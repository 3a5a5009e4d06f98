// LDLT of dense tiles in their given order: every size, case and precision is a factor with bounded L or is refused.
#include "host/lanes/group_host.hpp"
#include "ldlt_checks.hpp"
#include "tile/ldlt_in_order.hpp"
#include "tile_cases.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;

namespace {

template <class T>
struct Attempt {
  bool accepted;
  Factor<T> factor;
};

template <int W, class T>
Attempt<T> attempt(const std::vector<T> &A, int n, T bound, LdltOptions<T> options = {})
{
  Attempt<T> x{false, guarded<W, T>(n, W)};
  Factor<T> &f = x.factor;
  x.accepted = ldlt_in_order(HostGroup<W>{}, A.data(), W, n, options, bound, f.L.data(), f.D.data(), f.E.data(),
                             f.perm.data(), &f.counts);
  f.untouched = keeps_guards<W>(f, x.accepted);
  return x;
}

constexpr std::uint32_t every_other = 0x55555555u;

template <class T>
void expect_factor(const std::vector<T> &A, const Factor<T> &f, T bound)
{
  const Real rounding = std::numeric_limits<T>::epsilon();
  expect_well_formed(f);
  EXPECT_LE(residual(A, f), 1024 * 4 * f.n * rounding); // a pair whose determinant is small costs ten bits
  EXPECT_LE(largest_multiplier(f), Real(bound));
  EXPECT_EQ(f.counts.zero + f.counts.perturbed + f.counts.nonfinite, 0);
  for (int k = 0; k < f.n; ++k)
    EXPECT_EQ(f.perm[k], k);
}

template <int W, class T>
void check(Case c, int n, unsigned variant)
{
  SCOPED_TRACE(testing::Message() << name(c) << " n " << n << " W " << W << " variant " << variant);
  const std::vector<T> A = make_tile<T>(c, n, W, variant);
  const T bound = 32, delta = variant % 2 ? T(1e-2) : T(0);
  const Attempt<T> x = attempt<W, T>(A, n, bound, {delta, variant < 2 ? 0 : every_other});
  EXPECT_TRUE(x.factor.untouched);
  const bool hopeless = !is_finite_case(c) || c == Case::zero || c == Case::subnormal ||
                        (c == Case::antidiagonal && n > (variant < 2 ? 1 : 2)) || (c == Case::laplacian && n == 1);
  if (hopeless) {
    EXPECT_FALSE(x.accepted);
  }
  if (c == Case::dominant) {
    EXPECT_TRUE(x.accepted);
    EXPECT_LE(largest_multiplier(x.factor), 1);
    expect_inertia(A, x.factor);
  }
  if (x.accepted)
    expect_factor(A, x.factor, bound);
}

template <class T>
void check_all()
{
  for_each_tile<4>(4, [](int n, Case c, unsigned variant) { check<4, T>(c, n, variant); });
  for_each_tile<8>(4, [](int n, Case c, unsigned variant) { check<8, T>(c, n, variant); });
  for_each_tile<16>(4, [](int n, Case c, unsigned variant) { check<16, T>(c, n, variant); });
  for_each_tile<32>(4, [](int n, Case c, unsigned variant) { check<32, T>(c, n, variant); });
}

TEST(LdltInOrder, Double)
{
  check_all<double>();
}
TEST(LdltInOrder, Float)
{
  check_all<float>();
}

/// A dominant tile whose diagonal entries at `first` and behind it are small, and the entry between them large
std::vector<double> with_pair(int n, int first, double p, double b, double c)
{
  auto A = make_tile<double>(Case::dominant, n, 32, 9);
  A[first + 32 * first] = p;
  A[first + 1 + 32 * (first + 1)] = c;
  A[first + 1 + 32 * first] = A[first + 32 * (first + 1)] = b;
  return A;
}

/// Wherever a small pivot is, it is found; and where it is proposed as the first of a pair, it is none.
TEST(LdltInOrder, SmallPivotsAreRefusedUnlessTheyArePairs)
{
  for (int n = 2; n <= 32; ++n)
    for (int first = 0; first + 1 < n; ++first) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", pair at " << first);
      const auto A = with_pair(n, first, 0, n + 2.0, 0);
      EXPECT_FALSE((attempt<32, double>(A, n, 1e300).accepted && first == 0)); // a zero, unless others fill it in
      const auto x = attempt<32, double>(A, n, 4, {0, 1u << first});
      ASSERT_TRUE(x.accepted);
      expect_factor(A, x.factor, 4.0);
      expect_inertia(A, x.factor);
      EXPECT_EQ(x.factor.counts.two_by_two, 1);
      EXPECT_NE(x.factor.E[first], 0);
      // the same proposal one row on, or that of a row that is none, is none
      EXPECT_FALSE((attempt<32, double>(with_pair(n, first, 1e-9, n + 2.0, 0), n, 4, {0, 2u << first}).accepted));
    }
}

TEST(LdltInOrder, LIsAtMostTheBound)
{
  for (int n = 2; n <= 32; ++n)
    for (int row = 1; row < n; ++row) {
      std::vector<double> A(32 * 32, 0.0);
      for (int i = 0; i < n; ++i)
        A[i + 32 * i] = 1;
      A[row] = 8; // of L, too
      EXPECT_TRUE((attempt<32, double>(A, n, 8).accepted));
      EXPECT_FALSE((attempt<32, double>(A, n, 7.999).accepted));
    }
}

/// Both columns of L of a pair count.
TEST(LdltInOrder, LOfPairsIsAtMostTheBound)
{
  std::vector<double> A(64, 0.0); // [0 1; 1 0], below it [x y]: L is [y x]
  A[1] = A[18] = 1;
  for (const auto &[x, y] : {std::pair<double, double>{5, 1}, {1, 5}}) {
    A[2] = x;
    A[10] = y;
    EXPECT_TRUE((attempt<8, double>(A, 3, 5, {0, 1}).accepted));
    EXPECT_FALSE((attempt<8, double>(A, 3, 4.99, {0, 1}).accepted));
  }
}

TEST(LdltInOrder, PivotsBelowDeltaAreRefused)
{
  for (int n = 1; n <= 32; ++n)
    for (int row = 0; row < n; ++row) {
      std::vector<double> A(32 * 32, 0.0);
      for (int i = 0; i < n; ++i)
        A[i + 32 * i] = i % 2 ? -1 : 1;
      A[row + 32 * row] = row % 2 ? -1e-6 : 1e-6;
      EXPECT_TRUE((attempt<32, double>(A, n, 8, {1e-6, 0}).accepted));
      EXPECT_FALSE((attempt<32, double>(A, n, 8, {1.001e-6, 0}).accepted));
    }
}

/// [p b; b c] with an eigenvalue below delta, or that is rounding of the others, is no pivot.
TEST(LdltInOrder, PairsThatAreNearlySingularAreRefused)
{
  const auto pair = [](double p, double b, double c, double delta) {
    std::vector<double> A(64, 0.0);
    A[0] = p;
    A[1] = b;
    A[9] = c;
    return attempt<8, double>(A, 2, 100, {delta, 1});
  };
  EXPECT_TRUE(pair(0, 1, 0, 0.9).accepted);
  EXPECT_FALSE(pair(0, 1, 0, 1.1).accepted);
  EXPECT_FALSE(pair(0, 1, 1e8, 1e-7).accepted); // eigenvalues 1e8 and -1e-8
  EXPECT_TRUE(pair(0, 1, 1e8, 1e-9).accepted);
  EXPECT_EQ(pair(0.1, 1, 0, 0).factor.counts.two_by_two, 1);
  EXPECT_EQ(pair(0.1, 1, 10, 0).accepted, false); // of rank 1, but for rounding
}

/// A pair of one sign counts twice; one whose first entry is a pivot by itself is two pivots.
TEST(LdltInOrder, EigenvaluesOfPairsAreCounted)
{
  const auto counts = [](double p, double b, double c) {
    std::vector<double> A(64, 0.0);
    A[0] = p;
    A[1] = b;
    A[9] = c;
    return attempt<8, double>(A, 2, 100, {0, 1}).factor.counts;
  };
  for (const double sign : {1.0, -1.0}) {
    const PivotCounts definite = counts(sign * 0.5, 1, sign * 100), two = counts(sign, 1, sign * 2);
    EXPECT_EQ(definite.two_by_two, 1);
    EXPECT_EQ(definite.negative, sign < 0 ? 2 : 0);
    EXPECT_EQ(two.one_by_one, 2);
    EXPECT_EQ(two.negative, sign < 0 ? 2 : 0);
    EXPECT_EQ(counts(sign * 0.5, 1, 0).negative, 1);
  }
}

TEST(LdltInOrder, InPlaceGivesTheSame)
{
  for (int n = 1; n <= 16; ++n) {
    auto A = make_tile<double>(Case::dominant, n, 16, 11);
    const auto x = attempt<16, double>(A, n, 8, {0, every_other});
    double D[16], E[16];
    std::int32_t perm[16];
    PivotCounts counts;
    EXPECT_TRUE(ldlt_in_order(HostGroup<16>{}, A.data(), 16, n, LdltOptions<double>{0, every_other}, 8.0, A.data(), D,
                              E, perm, &counts));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        EXPECT_EQ(A[i + 16 * j], x.factor.l(i, j));
  }
}

/// The group that carries a tile does not show in the result.
TEST(LdltInOrder, WidthDoesNotMatter)
{
  for (int n = 1; n <= 8; ++n)
    for (unsigned seed = 0; seed < 20; ++seed) {
      const auto A = make_tile<double>(Case::random, n, 32, seed);
      std::vector<double> narrow(64);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          narrow[i + 8 * j] = A[i + 32 * j];
      const LdltOptions<double> options{0, every_other};
      const auto wide = attempt<32, double>(A, n, 32, options), other = attempt<8, double>(narrow, n, 32, options);
      ASSERT_EQ(wide.accepted, other.accepted);
      for (int j = 0; wide.accepted && j < n; ++j) {
        EXPECT_EQ(wide.factor.D[j], other.factor.D[j]);
        for (int i = 0; i < n; ++i)
          EXPECT_EQ(wide.factor.l(i, j), other.factor.l(i, j));
      }
    }
}

} // namespace
