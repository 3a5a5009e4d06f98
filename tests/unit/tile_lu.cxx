// LU of dense tiles with partial pivoting against naive references in extended precision.
#include "host/lanes/group_host.hpp"
#include "support/larger.hpp"
#include "tile/lu.hpp"
#include "tile_cases.hpp"

#include <gtest/gtest.h>

using namespace tessera;

namespace {

using Real = long double;

/// The tile of case c made unsymmetric by a diagonal scaling of its rows, which keeps zeros and ties of columns
template <class T>
std::vector<T> unsymmetric(Case c, int n, int ld)
{
  std::vector<T> A = make_tile<T>(c, n, ld, 21);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (c != Case::ties && c != Case::overflow)
        A[i + std::size_t(j) * ld] *= T(1 + i % 3);
  return A;
}

template <class T, int W>
void check(Case c, int n)
{
  SCOPED_TRACE(testing::Message() << name(c) << " n " << n << " W " << W);
  const std::vector<T> A = unsymmetric<T>(c, n, W);
  std::vector<T> F(W * W, T(-77));
  std::int32_t perm[W];
  LuCounts counts;
  lu(HostGroup<W>{}, A.data(), W, n, T(0), F.data(), perm, &counts);
  std::vector<int> seen(n, 0);
  int zeros = 0;
  for (int j = 0; j < W; ++j)
    for (int i = 0; i < W; ++i)
      if (i >= n || j >= n) {
        EXPECT_EQ(F[i + j * W], T(-77));
      } else {
        EXPECT_TRUE(std::isfinite(F[i + j * W]));
      }
  for (int i = 0; i < n; ++i) {
    ASSERT_TRUE(perm[i] >= 0 && perm[i] < n);
    EXPECT_EQ(seen[perm[i]]++, 0);
    zeros += F[i + i * W] == 0;
  }
  EXPECT_EQ(counts.perturbed, 0);
  if (c == Case::overflow)
    return;
  EXPECT_EQ(counts.nonfinite, !is_finite_case(c));
  EXPECT_EQ(counts.zero, zeros);
  if (!is_finite_case(c)) {
    EXPECT_EQ(counts.zero, n);
    return;
  }
  Real error = 0, size = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      Real s = 0, v = 0;
      for (int k = 0; k <= std::min(i, j); ++k) {
        const Real t = (k == i ? Real(1) : Real(F[i + k * W])) * F[k + j * W];
        s += t;
        v += std::abs(t);
      }
      error = test::larger(error, std::abs(s - A[perm[i] + j * W]));
      size = std::max(size, v);
      if (i > j) {
        EXPECT_LE(std::abs(F[i + j * W]), T(1) + T(1e-4));
      }
    }
  if (c == Case::subnormal)
    size = std::max(size,
                    Real(std::numeric_limits<T>::min())); // products of entries are rounded to multiples of denorm_min
  EXPECT_LE(error, 2 * n * Real(std::numeric_limits<T>::epsilon()) * size);
}

template <class T, int W>
void check_width()
{
  for (int n = 1; n <= W; ++n)
    for (int c = 0; c < int(Case::count); ++c)
      check<T, W>(Case(c), n);
}

TEST(Lu, Double)
{
  check_width<double, 4>();
  check_width<double, 8>();
  check_width<double, 16>();
  check_width<double, 32>();
}
TEST(Lu, Float)
{
  check_width<float, 4>();
  check_width<float, 8>();
  check_width<float, 16>();
  check_width<float, 32>();
}

TEST(Lu, TiesGoToTheFirstRow)
{
  const double A[16] = {-1, 1, -1, 1, 0, 1, 2, 3, 5, 1, 4, 4, 1, 2, 3, 7};
  double F[16];
  std::int32_t perm[4];
  LuCounts counts;
  lu(HostGroup<4>{}, A, 4, 4, 0.0, F, perm, &counts);
  EXPECT_EQ(perm[0], 0);
}

TEST(Lu, SmallPivotsArePerturbed)
{
  const double A[16] = {-1e-9, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  double F[16];
  std::int32_t perm[4];
  LuCounts counts;
  lu(HostGroup<4>{}, A, 4, 4, 1e-6, F, perm, &counts);
  EXPECT_EQ(counts.perturbed, 2);
  EXPECT_EQ(counts.zero, 0);
  EXPECT_EQ(F[0], -1e-6);
  EXPECT_EQ(F[10], 1e-6);
}

} // namespace
