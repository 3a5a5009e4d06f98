// The inverse of a small matrix by its factors, and what these tell of its eigenvalues and singular values.
#include "host/front/blas.hpp"
#include "host/front/solve/factored_inverse.hpp"
#include "support/random_matrix.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;

namespace {

/// Random numbers; of a symmetric one with zeros on the diagonal, so that it needs pairs.
std::vector<double> random_matrix(int m, bool symmetric, unsigned seed)
{
  Random random(seed);
  std::vector<double> a(std::size_t(m) * m);
  for (int j = 0; j < m; ++j)
    for (int i = symmetric ? j : 0; i < m; ++i) {
      a[std::size_t(j) * m + i] = symmetric && i == j && m > 1 && i % 3 > 0 ? 0 : random.between(-1, 1);
      if (symmetric)
        a[std::size_t(i) * m + j] = a[std::size_t(j) * m + i];
    }
  return a;
}

/// The largest entry of A times the inverse, less the identity.
double distance_from_identity(int m, const std::vector<double> &a, const FactoredInverse &inverse)
{
  const std::vector<double> &left = inverse.left_vectors();
  std::vector<double> scaled = inverse.right, sum(a.size()), product(a.size());
  for (std::size_t k = 0; k < scaled.size(); ++k)
    scaled[k] /= -inverse.value[k / m];
  blas::subtract_product(m, m, m, scaled.data(), m, left.data(), m, blas::Form::transposed, sum.data(), m);
  blas::subtract_product(m, m, m, a.data(), m, sum.data(), m, blas::Form::given, product.data(), m);
  double largest = 0;
  for (int k = 0; k < m * m; ++k)
    largest = std::max(largest, std::abs(product[k] + (k % m == k / m)));
  return largest;
}

/// Eigenvalues, or singular values.
std::vector<double> values_of(int m, std::vector<double> a, bool symmetric)
{
  std::vector<double> value(m), none(1);
  EXPECT_TRUE(symmetric
                  ? blas::eigenvalues(blas::Vectors::none, m, a.data(), m, value.data())
                  : blas::singular_values(blas::Vectors::none, m, a.data(), value.data(), none.data(), none.data()));
  return value;
}

double least_of(const std::vector<double> &value)
{
  double least = INFINITY;
  for (const double x : value)
    least = std::min(least, std::abs(x));
  return least;
}

std::ptrdiff_t count_negative(const std::vector<double> &x)
{
  return std::count_if(x.begin(), x.end(), [](double y) { return y < 0; });
}

const std::vector<int> sizes = {1, 2, 3, 7, 40, 150, 211}; // more than 128 rows are shared by threads

std::optional<FactoredInverse> invert(int m, bool symmetric, const std::vector<double> &a)
{
  return symmetric ? invert_symmetric(m, a) : invert_any(m, a);
}

/// check(value, inverse) for random matrices, with their eigenvalues or singular values.
template <class Check>
void for_random_matrices(bool symmetric, const Check &check)
{
  for (int m : sizes) {
    SCOPED_TRACE(m);
    const std::vector<double> a = random_matrix(m, symmetric, 3 + m), value = values_of(m, a, symmetric);
    const auto inverse = invert(m, symmetric, a);
    ASSERT_TRUE(inverse);
    EXPECT_LE(distance_from_identity(m, a, *inverse), 1e-14 * m * m / least_of(value));
    check(value, *inverse);
  }
}

TEST(FactoredInverse, OfASymmetricMatrixHasItsInertia)
{
  for_random_matrices(true, [](const std::vector<double> &value, const FactoredInverse &inverse) {
    const auto m = std::ptrdiff_t(value.size()), negative = count_negative(value);
    EXPECT_EQ(count_negative(inverse.value), negative);
    EXPECT_TRUE(m < 7 || (negative > 1 && negative < m - 1));
  });
}

TEST(FactoredInverse, NegativeEigenvaluesAreCountedWithoutIt)
{
  for (int m : sizes)
    for (double shift : {-3.0, -0.5, 0.0, 1.0, 4.0}) {
      SCOPED_TRACE(m);
      std::vector<double> a = random_matrix(m, true, 5 + m);
      for (int k = 0; k < m; ++k)
        a[std::size_t(k) * (m + 1)] += shift;
      EXPECT_EQ(count_negative_eigenvalues(m, a), count_negative(values_of(m, a, true))) << shift;
    }
  EXPECT_FALSE(count_negative_eigenvalues(1, {0}));
  EXPECT_FALSE(count_negative_eigenvalues(2, {INFINITY, 1, 1, 2}));
  EXPECT_FALSE(count_negative_eigenvalues(2, {0, NAN, NAN, 0}));
}

TEST(FactoredInverse, OfAnyMatrixHasItsDeterminant)
{
  for_random_matrices(false, [](const std::vector<double> &value, const FactoredInverse &inverse) {
    double of_factors = 0, of_values = 0;
    for (std::size_t q = 0; q < value.size(); ++q) {
      of_factors += std::log(std::abs(inverse.value[q]));
      of_values += std::log(value[q]);
    }
    EXPECT_NEAR(of_factors, of_values, 1e-10 * double(value.size()));
  });
  EXPECT_TRUE(invert_any(2, {0, 1, 1, 0})->is_odd);
  EXPECT_FALSE(invert_any(3, {0, 1, 0, 0, 0, 1, 1, 0, 0})->is_odd);
}

/// The bound is at most m times too large.
TEST(FactoredInverse, TellsWhetherValuesAreAboveOne)
{
  for (bool symmetric : {true, false})
    for (int m : sizes) {
      SCOPED_TRACE(m);
      const std::vector<double> a = random_matrix(m, symmetric, 7 + m);
      const double least = least_of(values_of(m, a, symmetric));
      const auto is_below_one = [&](double wanted) {
        std::vector<double> scaled = a;
        for (double &x : scaled)
          x *= wanted / least;
        return invert(m, symmetric, scaled)->has_norm_below_one();
      };
      EXPECT_FALSE(is_below_one(0.999));
      EXPECT_TRUE(is_below_one(1.001 * m));
    }
}

TEST(FactoredInverse, SingularMatricesHaveNone)
{
  EXPECT_FALSE(invert_symmetric(2, {0, 0, 0, 0}));
  EXPECT_FALSE(invert_any(2, {1, 1, 1, 1}));
}

TEST(FactoredInverse, HasTheSameBitsForAnyNumberOfThreads)
{
  for (bool symmetric : {true, false}) {
    const std::vector<double> a = random_matrix(300, symmetric, 1);
    const auto by_threads = [&](int threads) {
      const Threads with(threads);
      return invert(300, symmetric, a);
    };
    const auto one = by_threads(1), three = by_threads(3);
    EXPECT_EQ(one->right, three->right);
    EXPECT_EQ(one->left, three->left);
    EXPECT_EQ(one->value, three->value);
  }
}

} // namespace
