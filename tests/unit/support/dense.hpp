#ifndef TESSERA_TESTS_SUPPORT_DENSE_HPP
#define TESSERA_TESTS_SUPPORT_DENSE_HPP

#include "base/types.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

namespace tessera::test {

/// A dense square matrix in extended precision, for references that take cubic time.
template <class T>
struct DenseOf {
  Index n;
  std::vector<T> a;

  explicit DenseOf(Index rows) : n(rows), a(static_cast<std::size_t>(rows) * rows, 0) {}
  T &operator()(Index i, Index j) { return a[static_cast<std::size_t>(i) * n + j]; }
  T operator()(Index i, Index j) const { return a[static_cast<std::size_t>(i) * n + j]; }
};
using Dense = DenseOf<long double>;

Dense dense_of(const Matrix &matrix);
Dense multiply(const Dense &x, const Dense &y);
Dense transpose(const Dense &x);

/// Largest magnitude.
long double largest(const Dense &x);
long double largest_difference(const Dense &x, const Dense &y);

/// The largest row sum of magnitudes.
template <class T>
double row_sum_norm(const DenseOf<T> &x)
{
  long double norm = 0;
  for (Index i = 0; i < x.n; ++i) {
    long double sum = 0;
    for (Index j = 0; j < x.n; ++j)
      sum += std::abs(x(i, j));
    norm = std::max(norm, sum);
  }
  return double(norm);
}

/// Inverse by Gauss-Jordan elimination with partial pivoting. T: long double, or complex numbers of these.
template <class T>
DenseOf<T> inverse(DenseOf<T> x);

/// Determinant by Gaussian elimination with partial pivoting.
template <class T>
T determinant(DenseOf<T> x);

/// Eigenvalues of a symmetric matrix by cyclic Jacobi rotations, in no order.
std::vector<long double> eigenvalues(Dense x);

} // namespace tessera::test
#endif
