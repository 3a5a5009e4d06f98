#ifndef TESSERA_TESTS_LDLT_CHECKS_HPP
#define TESSERA_TESTS_LDLT_CHECKS_HPP

// What the tests of LDLT of tiles ask of a factor, in extended precision.
#include "support/larger.hpp"
#include "tile/pivoting.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace tessera::test {

using Real = long double;

template <class T>
struct Factor {
  int n, ld;
  std::vector<T> L, D, E;
  std::vector<std::int32_t> perm;
  PivotCounts counts;
  bool untouched; ///< nothing outside the n x n tile was written

  T l(int i, int j) const { return L[i + std::size_t(j) * ld]; }
};

constexpr int guard = -77;

/// Largest entry of P A P' - L D L' over the largest of |L| |D| |L'|: the backward error an LDLT can have
template <class T>
Real residual(const std::vector<T> &A, const Factor<T> &f)
{
  const int n = f.n;
  std::vector<Real> W(std::size_t(n) * n), V(W);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      const Real before = k > 0 ? Real(f.l(i, k - 1)) * f.E[k - 1] : 0,
                 after = k + 1 < n ? Real(f.l(i, k + 1)) * f.E[k] : 0;
      const Real here = Real(f.l(i, k)) * f.D[k];
      W[i + k * n] = before + here + after;
      V[i + k * n] = std::abs(before) + std::abs(here) + std::abs(after);
    }
  Real error = 0, size = 0;
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      Real s = 0, v = 0;
      for (int k = 0; k <= j; ++k) {
        s += W[i + k * n] * f.l(j, k);
        v += V[i + k * n] * std::abs(Real(f.l(j, k)));
      }
      const int p = std::max(f.perm[i], f.perm[j]), q = std::min(f.perm[i], f.perm[j]);
      const Real a = A[p + std::size_t(q) * f.ld];
      error = larger(error, std::abs(a - s));
      size = std::max({size, v, std::abs(a)});
    }
  return size > 0 ? error / size : error;
}

/// Eigenvalues of a symmetric matrix by cyclic Jacobi rotations
template <class T>
std::vector<Real> eigenvalues(const std::vector<T> &A, int n, int ld)
{
  std::vector<Real> M(std::size_t(n) * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      M[i + j * n] = A[std::max(i, j) + std::size_t(std::min(i, j)) * ld];
  for (int sweep = 0; sweep < 30; ++sweep)
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        const Real b = M[p + q * n];
        if (b == 0)
          continue;
        const Real theta = (M[q + q * n] - M[p + p * n]) / (2 * b);
        const Real t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const Real c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < n; ++k) {
          const Real x = M[k + p * n], y = M[k + q * n];
          M[k + p * n] = c * x - s * y;
          M[k + q * n] = s * x + c * y;
        }
        for (int k = 0; k < n; ++k) {
          const Real x = M[p + k * n], y = M[q + k * n];
          M[p + k * n] = c * x - s * y;
          M[q + k * n] = s * x + c * y;
        }
        M[p + q * n] = M[q + p * n] = 0;
      }
  std::vector<Real> lambda(n);
  for (int i = 0; i < n; ++i)
    lambda[i] = M[i + i * n];
  return lambda;
}

/// Shape of L, D, E, perm and the counters, which hold for every tile
template <class T>
void expect_well_formed(const Factor<T> &f)
{
  EXPECT_TRUE(f.untouched);
  std::vector<int> seen(f.n, 0);
  int twos = 0, zeros = 0;
  for (int k = 0; k < f.n; ++k) {
    ASSERT_GE(f.perm[k], 0);
    ASSERT_LT(f.perm[k], f.n);
    EXPECT_EQ(seen[f.perm[k]]++, 0);
    EXPECT_TRUE(std::isfinite(f.D[k]) && std::isfinite(f.E[k]));
    const bool in_pair = f.E[k] != 0 || (k > 0 && f.E[k - 1] != 0);
    twos += f.E[k] != 0;
    zeros += !in_pair && f.D[k] == 0;
    if (f.E[k] != 0) {
      ASSERT_LT(k + 1, f.n);
      EXPECT_EQ(f.E[k + 1], T(0)) << "2x2 pivots overlap";
      EXPECT_EQ(f.l(k + 1, k), T(0));
    }
    for (int i = 0; i < f.n; ++i) {
      EXPECT_TRUE(std::isfinite(f.l(i, k)));
      if (i <= k) {
        EXPECT_EQ(f.l(i, k), T(i == k)) << i << ' ' << k;
      }
    }
  }
  const PivotCounts &c = f.counts;
  EXPECT_EQ(c.two_by_two, twos);
  EXPECT_EQ(c.one_by_one, f.n - 2 * twos);
  EXPECT_EQ(c.zero, zeros);
  EXPECT_EQ(c.negative + c.positive + c.zero, f.n);
}

/// Inertia against the eigenvalues, where these are far enough from 0 to be certain
template <class T>
void expect_inertia(const std::vector<T> &A, const Factor<T> &f)
{
  const std::vector<Real> lambda = eigenvalues(A, f.n, f.ld);
  Real most = 0;
  for (const Real x : lambda)
    most = std::max(most, std::abs(x));
  const Real certain = 64 * f.n * Real(std::numeric_limits<T>::epsilon()) * most;
  int negative = 0, positive = 0, unknown = 0;
  for (const Real x : lambda) {
    negative += x < -certain;
    positive += x > certain;
    unknown += std::abs(x) <= certain;
  }
  EXPECT_GE(f.counts.negative, negative);
  EXPECT_GE(f.counts.positive, positive);
  EXPECT_LE(f.counts.negative, negative + unknown);
  EXPECT_LE(f.counts.positive, positive + unknown);
}

template <class T>
Real largest_multiplier(const Factor<T> &f)
{
  Real m = 0;
  for (int j = 0; j < f.n; ++j)
    for (int i = j + 1; i < f.n; ++i)
      m = std::max(m, std::abs(Real(f.l(i, j))));
  return m;
}

/// A factor whose arrays are full of guards, none of which a kernel may overwrite outside the n x n tile
template <int W, class T>
Factor<T> guarded(int n, int ld)
{
  return {n,
          ld,
          std::vector<T>(std::size_t(ld) * ld, T(guard)),
          std::vector<T>(W + 1, T(guard)),
          std::vector<T>(W + 1, T(guard)),
          std::vector<std::int32_t>(W + 1, guard),
          {},
          true};
}

/// Whether all guards are there; those inside the tile too, if nothing was to be written
template <int W, class T>
bool keeps_guards(const Factor<T> &f, bool written)
{
  bool untouched = true;
  const int n = written ? f.n : 0;
  for (int j = 0; j < f.ld; ++j)
    for (int i = 0; i < f.ld; ++i)
      untouched = untouched && ((i < n && j < n) || f.l(i, j) == T(guard));
  for (int i = n; i <= W; ++i)
    untouched = untouched && f.D[i] == T(guard) && f.E[i] == T(guard) && f.perm[i] == guard;
  return untouched;
}

} // namespace tessera::test
#endif
