#ifndef TESSERA_TESTS_SUPPORT_DENSE_HPP
#define TESSERA_TESTS_SUPPORT_DENSE_HPP

#include "base/types.hpp"

#include <vector>

namespace tessera::test {

/// A dense square matrix in extended precision, for references that take cubic time.
struct Dense {
  Index n;
  std::vector<long double> a;

  explicit Dense(Index rows) : n(rows), a(static_cast<std::size_t>(rows) * rows, 0) {}
  long double &operator()(Index i, Index j) { return a[static_cast<std::size_t>(i) * n + j]; }
  long double operator()(Index i, Index j) const { return a[static_cast<std::size_t>(i) * n + j]; }
};

Dense dense_of(const Matrix &matrix);
Dense multiply(const Dense &x, const Dense &y);
Dense transpose(const Dense &x);

/// Largest magnitude.
long double largest(const Dense &x);
long double largest_difference(const Dense &x, const Dense &y);

/// Inverse by Gauss-Jordan elimination with partial pivoting.
Dense inverse(Dense x);

/// Eigenvalues of a symmetric matrix by cyclic Jacobi rotations, in no order.
std::vector<long double> eigenvalues(Dense x);

} // namespace tessera::test
#endif
