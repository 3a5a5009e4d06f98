// The factor of a small dense complex matrix: every size, both symmetries, in order and with a search; and proposed
// pairs of a complex front.
#include "host/front/eliminate/complex_ldlt.hpp"
#include "host/front/eliminate/eliminate_ldlt.hpp"

#include "support/random_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr Index leading = 32;

/// A matrix of n rows, both triangles, and its factor.
template <Symmetry S>
struct Case {
  Index n;
  std::vector<Complex> a = std::vector<Complex>(leading * leading, NAN), l = a, d = std::vector<Complex>(leading, NAN),
                       off = d;
  std::vector<Index> perm = std::vector<Index>(leading, -1);
  PivotCounts counts{};

  explicit Case(Index rows) : n(rows) {}

  Complex &at(std::vector<Complex> &x, Index i, Index j) { return x[j * leading + i]; }

  void set(Index i, Index j, Complex x)
  {
    at(a, i, j) = i == j && S == Symmetry::Hermitian ? x.real() : x;
    if (i != j)
      at(a, j, i) = mirrored<S>(x);
  }

  void fill(unsigned seed)
  {
    Random random(seed);
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i)
        set(i, j, {random.between(-1, 1), random.between(-1, 1)});
  }

  /// The upper triangle is not to be looked at.
  template <Pivoting P>
  void factor(std::uint32_t pairs = 0)
  {
    std::vector<Complex> lower = a;
    for (Index j = 0; j < n; ++j)
      std::fill(&at(lower, 0, j), &at(lower, j, j), Complex(NAN));
    counts =
        ComplexLdlt<S>(lower.data(), leading, n, l.data(), d.data(), off.data(), perm.data()).template run<P>(pairs);
  }

  /// Entry (i, j) of L D Lᵀ or L D Lᴴ.
  Complex product(Index i, Index j)
  {
    Complex sum = 0;
    for (Index k = 0; k < n; ++k) {
      sum += at(l, i, k) * d[k] * mirrored<S>(at(l, j, k));
      if (off[k] != 0.0)
        sum += at(l, i, k + 1) * off[k] * mirrored<S>(at(l, j, k)) +
               at(l, i, k) * mirrored<S>(off[k]) * mirrored<S>(at(l, j, k + 1));
    }
    return sum;
  }

  void expect_factor(double tolerance)
  {
    std::vector<Index> sorted(perm.begin(), perm.begin() + n);
    std::sort(sorted.begin(), sorted.end());
    double largest = 0;
    for (Index i = 0; i < n; ++i) {
      EXPECT_EQ(sorted[i], i);
      EXPECT_EQ(at(l, i, i), 1.0);
      for (Index j = 0; j <= i; ++j)
        largest = std::max(largest, std::abs(at(a, i, j)));
      for (Index j = i + 1; j < n; ++j)
        EXPECT_EQ(at(l, i, j), 0.0);
    }
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        EXPECT_LE(std::abs(product(i, j) - at(a, perm[i], perm[j])), tolerance * largest) << i << " " << j;
    EXPECT_EQ(counts.one_by_one + 2 * counts.two_by_two, n);
    EXPECT_EQ(counts.two_by_two, std::count_if(off.begin(), off.begin() + n, [](Complex x) { return x != 0.0; }));
    EXPECT_EQ(counts.nonfinite, 0);
  }

  double largest_of_l()
  {
    double largest = 0;
    for (Index j = 0; j < n; ++j)
      for (Index i = j + 1; i < n; ++i)
        largest = std::max(largest, std::abs(at(l, i, j)));
    return largest;
  }
};

template <class S>
class ComplexTile : public testing::Test {
};
using Symmetries = testing::Types<std::integral_constant<Symmetry, Symmetry::Symmetric>,
                                  std::integral_constant<Symmetry, Symmetry::Hermitian>>;
TYPED_TEST_SUITE(ComplexTile, Symmetries);

TYPED_TEST(ComplexTile, RookPivotsAreBounded)
{
  for (Index n = 0; n <= 32; ++n)
    for (int kind = 0; kind < 3; ++kind) {
      SCOPED_TRACE(std::to_string(n) + ", kind " + std::to_string(kind));
      Case<TypeParam::value> c(n);
      c.fill(100 * n + kind);
      for (Index i = 0; i < n && kind > 0; ++i)
        c.set(i, i, kind == 1 ? 0 : 1e-9); // 2x2 pivots
      c.template factor<Pivoting::rook>();
      c.expect_factor(1e-13);
      EXPECT_LE(c.largest_of_l(), 2.001);
      EXPECT_EQ(c.counts.zero, kind == 1 && n == 1);
      EXPECT_TRUE(kind == 0 || n == 1 || n == 0 || c.counts.two_by_two > 0);
    }
}

TYPED_TEST(ComplexTile, TakesTheGivenOrderAndPairs)
{
  for (Index n = 1; n <= 32; ++n) {
    SCOPED_TRACE(n);
    Case<TypeParam::value> c(n);
    c.fill(n);
    std::uint32_t pairs = 0;
    for (Index i = 0; i < n; ++i) {
      const bool first = i % 3 == 0 && i + 1 < n, second = i % 3 == 1;
      pairs |= std::uint32_t(first) << i;
      c.set(i, i, first || second ? Complex(0.01) : Complex(6, 3));
      if (first)
        c.set(i + 1, i, Complex(3, -6));
    }
    c.template factor<Pivoting::none>(pairs);
    c.expect_factor(1e-12);
    for (Index i = 0; i < n; ++i) {
      EXPECT_EQ(c.perm[i], i);
      EXPECT_EQ(c.off[i] != 0.0, bool(pairs >> i & 1));
    }
  }
}

TYPED_TEST(ComplexTile, NegligiblePairsAreSplit)
{
  Case<TypeParam::value> small(2), dependent(2);
  small.set(0, 0, 2);
  small.set(1, 1, 3);
  small.set(1, 0, Complex(1e-17, 1e-17));
  dependent.set(0, 0, 1);
  dependent.set(1, 0, TypeParam::value == Symmetry::Hermitian ? Complex(0, 2) : Complex(2, 0));
  dependent.set(1, 1, 4);
  for (Case<TypeParam::value> *c : {&small, &dependent}) {
    c->template factor<Pivoting::none>(1);
    c->expect_factor(1e-15);
    EXPECT_EQ(c->counts.two_by_two, 0);
  }
  EXPECT_EQ(dependent.counts.zero, 1);
}

TYPED_TEST(ComplexTile, ZerosAndNumbersThatAreNotFinite)
{
  for (Index n : {1, 2, 7, 32}) {
    Case<TypeParam::value> zero(n), bad(n);
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i)
        zero.set(i, j, 0);
    zero.template factor<Pivoting::rook>();
    zero.expect_factor(0);
    EXPECT_EQ(zero.counts.zero, n);
    for (const Complex &x : {Complex(NAN, 0), Complex(INFINITY, 0), Complex(1e308, 0)}) {
      bad.fill(n);
      bad.set(n / 2, n / 2, x);
      if (std::isfinite(x.real())) // overflows in what is left
        bad.set(n - 1, 0, x);
      bad.template factor<Pivoting::none>();
      if (n == 1 && std::isfinite(x.real()))
        continue;
      for (Index i = 0; i < n; ++i) {
        EXPECT_TRUE(is_finite(bad.d[i]));
        for (Index j = 0; j < n; ++j)
          EXPECT_TRUE(is_finite(bad.at(bad.l, i, j)));
      }
      EXPECT_EQ(bad.counts.nonfinite, 1);
      EXPECT_EQ(bad.counts.zero, n);
    }
  }
}

/// [1 b̄ .; b 1 .; 2 3 0] or [1 b .; b 1 .; 2 3 0], of which the first two rows may be eliminated, and are proposed as a
/// pair. Returns the largest entry of L, and whether the pivot is 2x2.
template <Symmetry S>
std::pair<double, bool> eliminate_proposed_pair(Complex b)
{
  std::vector<Complex> a = {1, b, 2, 0, 1, 3}, d(2), off(2);
  std::vector<Index> row = {0, 1};
  std::vector<std::uint8_t> pair = {1, 0};
  std::vector<double> mass = {1, 1, 0};
  FrontColumns<Complex> front;
  front.a = a.data();
  front.rows = 3;
  front.columns = 2;
  front.row = row.data();
  front.pair = pair.data();
  front.d = d.data();
  front.off = off.data();
  front.mass = mass.data();
  front.mass_below = mass.data() + 2;
  eliminate_carefully<S>(front, DirectOptions());
  EXPECT_GE(front.eliminated, 1);
  return {std::max({std::abs(a[1]), std::abs(a[2]), std::abs(a[5])}), off[0] != 0.0};
}

/// A front of 40 columns whose tile has a pair of rows that is small beside an entry of one of its columns below.
TYPED_TEST(ComplexTile, WholeColumnsOfPairsAreTested)
{
  constexpr Symmetry S = TypeParam::value;
  const Index n = 40;
  for (Index of_pair : {10, 11}) {
    std::vector<Complex> a(n * n), d(n), off(n), work;
    std::vector<Index> row(n);
    std::vector<std::uint8_t> pair(n, 0);
    std::vector<double> mass(n, 0.0);
    for (Index i = 0; i < n; ++i) {
      a[i * n + i] = mass[i] = i == 10 || i == 11 ? 0 : 4;
      row[i] = i;
    }
    a[10 * n + 11] = Complex(0, 1e-9);
    a[of_pair * n + 36] = Complex(0.5, 0.5);
    FrontColumns<Complex> front;
    front.a = a.data();
    front.rows = front.columns = n;
    front.row = row.data();
    front.pair = pair.data();
    front.d = d.data();
    front.off = off.data();
    front.mass = mass.data();
    eliminate_ldlt<S>(front, DirectOptions(), false, work);
    EXPECT_EQ(front.eliminated, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = j + 1; i < n; ++i)
        EXPECT_LE(std::abs(a[j * n + i]), 100.0 * (1 + 1e-12)) << i << " " << j;
  }
}

TEST(CarefulElimination, PairsAreTestedByTheirDeterminants)
{
  constexpr Symmetry H = Symmetry::Hermitian, S = Symmetry::Symmetric;
  const Complex i(0, 1);
  // 1 - |b|² is nearly 0 for b = i, 1 - b² is 2; for b = 1 both are nearly 0
  EXPECT_EQ(eliminate_proposed_pair<H>(0.9999 * i).second, false);
  EXPECT_EQ(eliminate_proposed_pair<S>(0.9999 * i).second, true);
  EXPECT_EQ(eliminate_proposed_pair<S>(0.9999).second, false);
  EXPECT_EQ(eliminate_proposed_pair<H>(2.0 * i).second, true);
  EXPECT_LE(eliminate_proposed_pair<S>(0.9999 * i).first, 100);
  EXPECT_LE(eliminate_proposed_pair<H>(2.0 * i).first, 100);
}

} // namespace
