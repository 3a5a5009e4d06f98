// Products, norms, permutation of dense tiles and the reductions of the group layer against naive references.
#include "host/lanes/group_host.hpp"
#include "tile/norms.hpp"
#include "tile/permute.hpp"
#include "tile/product.hpp"
#include "tile_cases.hpp"

#include <gtest/gtest.h>

using namespace tessera;

namespace {

using Real = long double;

template <class T>
std::vector<T> numbers(int rows, int cols, int ld, unsigned seed)
{
  std::mt19937 bits(seed);
  std::vector<T> x(std::size_t(ld) * std::max(cols, 1), std::numeric_limits<T>::quiet_NaN());
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i)
      x[i + std::size_t(j) * ld] = T(double(bits()) / 2147483648.0 - 1);
  return x;
}

/// One fused multiply-add per inner index in ascending order: the reference has the same bits
template <bool Transposed, class T, int W>
void check_product(int n, int m, int c)
{
  SCOPED_TRACE(testing::Message() << n << " x " << m << " x " << c << " W " << W);
  const int lda = W + 1, ldb = W + 2, ldc = W + 3;
  const auto A = Transposed ? numbers<T>(m, n, lda, 1) : numbers<T>(n, m, lda, 1);
  const auto B = numbers<T>(m, c, ldb, 2), C0 = numbers<T>(n, c, ldc, 3);
  auto C = C0;
  subtract_product<Transposed>(HostGroup<W>{}, A.data(), lda, B.data(), ldb, C.data(), ldc, n, m, c);
  for (int j = 0; j < c; ++j)
    for (int i = 0; i < ldc; ++i) {
      T s = C0[i + j * ldc];
      if (i >= n) {
        EXPECT_TRUE(std::isnan(C[i + j * ldc]));
        continue;
      }
      for (int k = 0; k < m; ++k)
        s = std::fma(-(Transposed ? A[k + i * lda] : A[i + k * lda]), B[k + j * ldb], s);
      EXPECT_EQ(C[i + j * ldc], s);
    }
}

template <class T, int W>
void check_products()
{
  for (int n = 1; n <= W; ++n)
    for (const int m : {1, n, W})
      for (const int c : {0, 1, 2, 3, 5, W}) {
        check_product<false, T, W>(n, m, c);
        check_product<true, T, W>(n, m, c);
      }
}

TEST(Product, Double)
{
  check_products<double, 4>();
  check_products<double, 8>();
  check_products<double, 16>();
  check_products<double, 32>();
}
TEST(Product, Float)
{
  check_products<float, 4>();
  check_products<float, 8>();
  check_products<float, 16>();
  check_products<float, 32>();
}

template <class T, int W>
void check_norms(Case kind)
{
  for (int n = 1; n <= W; ++n) {
    SCOPED_TRACE(testing::Message() << name(kind) << " n " << n << " W " << W);
    const auto A = make_tile<T>(kind, n, W, 4);
    T norm[W];
    row_norms(HostGroup<W>{}, A.data(), W, n, n, norm);
    Real largest = 0;
    bool nan = false;
    for (int i = 0; i < n; ++i) {
      Real s = 0, m = 0;
      bool row_nan = false;
      for (int j = 0; j < n; ++j) {
        const Real x = A[i + j * W];
        row_nan = row_nan || std::isnan(x);
        m = std::max(m, std::abs(x));
        s += x * x;
      }
      nan = nan || row_nan;
      largest = std::max(largest, m);
      if (row_nan) {
        EXPECT_TRUE(std::isnan(norm[i]));
      } else if (m < 4 * std::numeric_limits<T>::min() || std::isinf(m)) {
        EXPECT_EQ(norm[i], T(m));
      } else if (T(std::sqrt(s)) <= std::numeric_limits<T>::max()) {
        EXPECT_NEAR(double(norm[i] / std::sqrt(s)), 1.0, 4 * n * std::numeric_limits<T>::epsilon());
      }
    }
    const T m = max_norm(HostGroup<W>{}, A.data(), W, n, n);
    if (nan)
      EXPECT_TRUE(std::isnan(m));
    else
      EXPECT_EQ(m, T(largest));
  }
}

TEST(Norms, EveryCase)
{
  for (int c = 0; c < int(Case::count); ++c) {
    check_norms<double, 8>(Case(c));
    check_norms<double, 32>(Case(c));
    check_norms<float, 4>(Case(c));
    check_norms<float, 32>(Case(c));
  }
}

template <class T, int W>
void check_permute()
{
  for (int n = 1; n <= W; ++n) {
    const auto A = numbers<T>(n, n, W, 5);
    std::vector<std::int32_t> perm(n);
    for (int i = 0; i < n; ++i)
      perm[i] = i;
    std::shuffle(perm.begin(), perm.end(), std::mt19937(unsigned(n)));
    std::vector<T> B = A;
    B.resize(W * W, T(-77));
    permute_symmetric(HostGroup<W>{}, B.data(), W, n, perm.data(), B.data());
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        EXPECT_EQ(B[i + j * W], A[perm[i] + perm[j] * W]);
  }
}

TEST(Permute, InPlace)
{
  check_permute<double, 32>();
  check_permute<double, 8>();
  check_permute<float, 16>();
  check_permute<float, 4>();
}

template <class T, int W>
void check_reductions()
{
  using G = HostGroup<W>;
  std::mt19937 bits(6);
  for (int round = 0; round < 1000; ++round) {
    T x[W];
    for (T &v : x)
      v = T(bits() % 7); // many ties
    T best = x[0], sum[W];
    int where = 0;
    for (int i = 0; i < W; ++i) {
      sum[i] = x[i] * T(0.1);
      if (x[i] > best) {
        best = x[i];
        where = i;
      }
    }
    const Largest<T> found = G::argmax(G::load(x));
    EXPECT_EQ(found.lane, where);
    EXPECT_EQ(found.value, best);
    const T total = G::sum(G::load(sum));
    for (int half = W / 2; half >= 1; half /= 2)
      for (int i = 0; i < half; ++i)
        sum[i] += sum[i + half];
    EXPECT_EQ(total, sum[0]);
    x[bits() % W] = std::numeric_limits<T>::quiet_NaN();
    EXPECT_TRUE(std::isnan(G::argmax(G::load(x)).value));
    EXPECT_TRUE(std::isnan(G::max_of(G::load(x))));
  }
}

TEST(Group, Reductions)
{
  check_reductions<double, 4>();
  check_reductions<double, 32>();
  check_reductions<float, 4>();
  check_reductions<float, 8>();
  check_reductions<float, 32>();
}

} // namespace
