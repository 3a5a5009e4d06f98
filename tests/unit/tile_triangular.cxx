// Triangular inverse and solves, and functions of the block diagonal D, against naive references.
#include "host/lanes/group_host.hpp"
#include "support/larger.hpp"
#include "tile/block_diagonal.hpp"
#include "tile/ldlt.hpp"
#include "tile/triangular.hpp"
#include "tile_cases.hpp"

#include <gtest/gtest.h>

using namespace tessera;

namespace {

using Real = long double;

template <class T, int W>
struct Factored {
  int n;
  std::vector<T> A, L;
  T D[W], E[W];
  std::int32_t perm[W];
  PivotCounts counts;

  Factored(Case c, int n, unsigned seed = 1) : n(n), A(make_tile<T>(c, n, W, seed)), L(A)
  {
    ldlt<Pivoting::rook>(HostGroup<W>{}, A.data(), W, n, LdltOptions<T>{}, L.data(), D, E, perm, &counts);
  }
  Real l(int i, int j) const { return i < n && j < n ? Real(L[i + j * W]) : 0; }
  Real d(int i, int j) const { return i == j ? Real(D[i]) : i == j + 1 ? Real(E[j]) : j == i + 1 ? Real(E[i]) : 0; }
};

/// n x c numbers in a matrix with leading dimension ld; the rest is NaN
template <class T>
std::vector<T> right_hand_sides(int n, int c, int ld)
{
  std::mt19937 bits(unsigned(17 * n + c));
  std::vector<T> x(std::size_t(ld) * std::max(c, 1), std::numeric_limits<T>::quiet_NaN());
  for (int j = 0; j < c; ++j)
    for (int i = 0; i < n; ++i)
      x[i + j * ld] = T(double(bits()) / 2147483648.0 - 1);
  return x;
}

template <class T>
bool same_outside(const std::vector<T> &x, int n, int ld)
{
  for (std::size_t k = 0; k < x.size(); ++k)
    if (int(k % ld) >= n && !std::isnan(x[k]))
      return false;
  return true;
}

constexpr Case triangular_cases[] = {Case::random, Case::dominant, Case::saddle,
                                     Case::ties,   Case::singular, Case::zero};

template <class T, int W>
void check_inverse()
{
  const Real eps = std::numeric_limits<T>::epsilon();
  for (int n = 1; n <= W; ++n)
    for (const Case c : triangular_cases) {
      SCOPED_TRACE(testing::Message() << name(c) << " n " << n << " W " << W);
      const Factored<T, W> f(c, n);
      std::vector<T> X(W * W, std::numeric_limits<T>::quiet_NaN());
      inverse_lower(HostGroup<W>{}, f.L.data(), W, n, f.perm, X.data(), W);
      EXPECT_TRUE(same_outside(X, n, W));
      for (int j = 0; j < n; ++j) // L X = P, entry by entry
        for (int i = 0; i < n; ++i) {
          Real s = 0, v = 0;
          for (int k = 0; k < n; ++k) {
            s += f.l(i, k) * X[k + j * W];
            v += std::abs(f.l(i, k) * X[k + j * W]);
          }
          EXPECT_LE(std::abs(s - (f.perm[i] == j)), 2 * n * eps * v);
        }
      std::vector<T> in_place(f.L.begin(), f.L.end());
      inverse_lower(HostGroup<W>{}, in_place.data(), W, n, f.perm, in_place.data(), W);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          EXPECT_EQ(in_place[i + j * W], X[i + j * W]);
    }
}

TEST(Triangular, InverseDouble)
{
  check_inverse<double, 4>();
  check_inverse<double, 8>();
  check_inverse<double, 16>();
  check_inverse<double, 32>();
}
TEST(Triangular, InverseFloat)
{
  check_inverse<float, 4>();
  check_inverse<float, 8>();
  check_inverse<float, 16>();
  check_inverse<float, 32>();
}

template <bool Transposed, class T, int W>
void check_solve()
{
  const Real eps = std::numeric_limits<T>::epsilon();
  for (int n = 1; n <= W; ++n)
    for (const int c : {0, 1, 2, 3, 4, 5, n}) {
      SCOPED_TRACE(testing::Message() << "n " << n << " c " << c << " W " << W);
      const Factored<T, W> f(Case::random, n);
      const int ld = W + 3;
      const std::vector<T> B = right_hand_sides<T>(n, c, ld);
      std::vector<T> X = B;
      solve_lower<Transposed>(HostGroup<W>{}, f.L.data(), W, n, X.data(), ld, c);
      EXPECT_TRUE(same_outside(X, n, ld));
      for (int j = 0; j < c; ++j)
        for (int i = 0; i < n; ++i) {
          Real s = 0, v = 0;
          for (int k = 0; k < n; ++k) {
            const Real t = (Transposed ? f.l(k, i) : f.l(i, k)) * X[k + j * ld];
            s += t;
            v += std::abs(t);
          }
          EXPECT_LE(std::abs(s - B[i + j * ld]), 2 * n * eps * v);
        }
    }
}

TEST(Triangular, Solve)
{
  check_solve<false, double, 8>();
  check_solve<false, double, 32>();
  check_solve<false, float, 16>();
  check_solve<false, float, 4>();
}
TEST(Triangular, SolveTransposed)
{
  check_solve<true, double, 8>();
  check_solve<true, double, 32>();
  check_solve<true, float, 16>();
  check_solve<true, float, 4>();
}

/// F(D) as a dense matrix: multiply_diagonal of the identity
template <DiagonalOf F, class T, int W>
std::vector<T> dense(const Factored<T, W> &f)
{
  std::vector<T> X(W * W, std::numeric_limits<T>::quiet_NaN());
  for (int j = 0; j < f.n; ++j)
    for (int i = 0; i < f.n; ++i)
      X[i + j * W] = i == j;
  multiply_diagonal<F>(HostGroup<W>{}, f.D, f.E, f.n, X.data(), W, f.n);
  EXPECT_TRUE(same_outside(X, f.n, W));
  return X;
}

/// Largest entry of X Y - Z over that of |X| |Y|, for n x n matrices
template <int W, class X, class Y, class Z>
Real distance(int n, const X &x, const Y &y, const Z &z)
{
  Real error = 0, size = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      Real s = 0, v = 0;
      for (int k = 0; k < n; ++k) {
        s += Real(x(i, k)) * y(k, j);
        v += std::abs(Real(x(i, k)) * y(k, j));
      }
      error = test::larger(error, std::abs(s - z(i, j)));
      size = std::max(size, v);
    }
  return size > 0 ? error / size : error;
}

template <class T, int W>
void check_diagonal(Case c, int n)
{
  SCOPED_TRACE(testing::Message() << name(c) << " n " << n << " W " << W);
  const Factored<T, W> f(c, n);
  const Real eps = 64 * Real(std::numeric_limits<T>::epsilon());
  const auto d = dense<DiagonalOf::d>(f), inverse = dense<DiagonalOf::inverse>(f);
  const auto absolute = dense<DiagonalOf::absolute>(f), inverse_absolute = dense<DiagonalOf::inverse_absolute>(f);
  const auto root = dense<DiagonalOf::root>(f), inverse_root = dense<DiagonalOf::inverse_root>(f);
  const unsigned negative = HostGroup<W>::bits(negative_pivots(HostGroup<W>{}, f.D, f.E, n));
  const auto root_transposed = [&](int i, int j) { return root[j + i * W]; };
  const auto signed_root = [&](int i, int j) { return negative >> i & 1 ? -root[i + j * W] : root[i + j * W]; };
  const auto entry = [](const std::vector<T> &x) { return [&x](int i, int j) { return x[i + j * W]; }; };
  const auto D = [&](int i, int j) { return f.d(i, j); };
  const auto D2 = [&](int i, int j) {
    Real s = 0;
    for (int k = 0; k < n; ++k)
      s += f.d(i, k) * f.d(k, j);
    return s;
  };
  const auto zero_pivot = [&](int i) { return f.D[i] == 0 && f.E[i] == 0 && (i == 0 || f.E[i - 1] == 0); };
  const auto identity = [&](int i, int j) { return Real(i == j && !zero_pivot(i)); };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      EXPECT_EQ(d[i + j * W], T(f.d(i, j)));
  EXPECT_LE(distance<W>(n, D, entry(inverse), identity), eps);
  EXPECT_LE(distance<W>(n, entry(absolute), entry(absolute), D2), eps);
  EXPECT_LE(distance<W>(n, entry(absolute), entry(inverse_absolute), identity), eps);
  EXPECT_LE(distance<W>(n, root_transposed, signed_root, D), eps);
  EXPECT_LE(distance<W>(n, entry(inverse_root), root_transposed, identity), eps);
  for (int i = 0; i < n; ++i) { // positive definite: both diagonal entries and the determinant of every block
    EXPECT_GE(absolute[i + i * W], T(0));
    if (i + 1 < n) {
      EXPECT_GE(Real(absolute[i + i * W]) * absolute[i + 1 + (i + 1) * W] * (1 + eps),
                Real(absolute[i + 1 + i * W]) * absolute[i + 1 + i * W]);
    }
  }
}

TEST(BlockDiagonal, AllFunctions)
{
  for (int n = 1; n <= 32; ++n)
    for (const Case c : triangular_cases) {
      check_diagonal<double, 32>(c, n);
      check_diagonal<float, 32>(c, n);
      if (n <= 8) {
        check_diagonal<double, 8>(c, n);
        check_diagonal<float, 8>(c, n);
      }
    }
}

/// A 2x2 block that is definite, as matched pairs without pivoting may give
TEST(BlockDiagonal, DefinitePair)
{
  const double D[4] = {-5, -2, 0, 3}, E[4] = {1, 0, 0, 0};
  double X[4] = {1, 2, 3, 4}, Y[4] = {1, 2, 3, 4};
  multiply_diagonal<DiagonalOf::absolute>(HostGroup<4>{}, D, E, 4, X, 4, 1);
  multiply_diagonal<DiagonalOf::d>(HostGroup<4>{}, D, E, 4, Y, 4, 1);
  EXPECT_DOUBLE_EQ(X[0], -Y[0]);
  EXPECT_DOUBLE_EQ(X[1], -Y[1]);
  EXPECT_EQ(X[2], 0);
  EXPECT_EQ(X[3], 12);
  EXPECT_EQ(HostGroup<4>::bits(negative_pivots(HostGroup<4>{}, D, E, 4)), 3u);
}

/// D = Fᵀ J F where an eigenvalue is a small difference: relative to the determinant, not to the entries
TEST(BlockDiagonal, RootOfNearlySingularPair)
{
  const double tiny = std::ldexp(1, -48);
  for (double b : {2.0, -2.0})
    for (double side : {1.0, -1.0}) {
      const double D[4] = {3, 4.0 / 3 * (1 + side * tiny), 0, 0}, E[4] = {b, 0, 0, 0};
      double F[8] = {1, 0, 0, 0, 0, 1, 0, 0};
      multiply_diagonal<DiagonalOf::root>(HostGroup<4>{}, D, E, 4, F, 4, 2);
      const double determinant = F[0] * F[5] - F[1] * F[4], of_block = std::fma(D[0], D[1], -4);
      EXPECT_NEAR(determinant * determinant / std::abs(of_block), 1, 1e-12);
      EXPECT_EQ(HostGroup<4>::count(negative_pivots(HostGroup<4>{}, D, E, 4)), side < 0 ? 1 : 0);
    }
}

TEST(BlockDiagonal, RootOfZeroPivots)
{
  const double D[4] = {0, 1, 1, -4}, E[4] = {0, 1, 0, 0};
  double X[4] = {1, 1, 2, 1};
  multiply_diagonal<DiagonalOf::inverse_root>(HostGroup<4>{}, D, E, 4, X, 4, 1);
  EXPECT_EQ(X[0], 0);
  EXPECT_NEAR(X[1] * X[1] + X[2] * X[2], 2.25, 1e-12); // the block [1 1; 1 1] has eigenvalues 2 and 0
  EXPECT_EQ(X[3], 0.5);
  EXPECT_EQ(HostGroup<4>::bits(negative_pivots(HostGroup<4>{}, D, E, 4)), 8u);
}

} // namespace
