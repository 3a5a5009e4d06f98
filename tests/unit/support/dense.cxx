#include "support/dense.hpp"
#include "support/larger.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::test {

Dense dense_of(const Matrix &matrix)
{
  Dense x(matrix.pattern.rows);
  for (Index i = 0; i < x.n; ++i)
    for (Offset p = matrix.pattern.start[i]; p < matrix.pattern.start[i + 1]; ++p)
      x(i, matrix.pattern.column[p]) = matrix.value[p];
  return x;
}

Dense multiply(const Dense &x, const Dense &y)
{
  Dense z(x.n);
  for (Index i = 0; i < x.n; ++i)
    for (Index k = 0; k < x.n; ++k)
      if (x(i, k) != 0)
        for (Index j = 0; j < x.n; ++j)
          z(i, j) += x(i, k) * y(k, j);
  return z;
}

Dense transpose(const Dense &x)
{
  Dense z(x.n);
  for (Index i = 0; i < x.n; ++i)
    for (Index j = 0; j < x.n; ++j)
      z(j, i) = x(i, j);
  return z;
}

long double largest(const Dense &x)
{
  long double m = 0;
  for (const long double v : x.a)
    m = std::max(m, std::fabs(v));
  return m;
}

long double largest_difference(const Dense &x, const Dense &y)
{
  long double m = 0;
  for (std::size_t i = 0; i < x.a.size(); ++i)
    m = larger(m, std::fabs(x.a[i] - y.a[i]));
  return m;
}

template <class T>
DenseOf<T> inverse(DenseOf<T> x)
{
  const Index n = x.n;
  DenseOf<T> y(n);
  for (Index i = 0; i < n; ++i)
    y(i, i) = 1;
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::abs(x(i, k)) > std::abs(x(pivot, k)))
        pivot = i;
    for (Index j = 0; j < n; ++j) {
      std::swap(x(k, j), x(pivot, j));
      std::swap(y(k, j), y(pivot, j));
    }
    const T p = x(k, k);
    for (Index j = 0; j < n; ++j) {
      x(k, j) /= p;
      y(k, j) /= p;
    }
    for (Index i = 0; i < n; ++i) {
      const T factor = x(i, k);
      if (i == k || factor == T(0))
        continue;
      for (Index j = 0; j < n; ++j) {
        x(i, j) -= factor * x(k, j);
        y(i, j) -= factor * y(k, j);
      }
    }
  }
  return y;
}
template Dense inverse(Dense);
template DenseOf<std::complex<long double>> inverse(DenseOf<std::complex<long double>>);

template <class T>
T determinant(DenseOf<T> x)
{
  T product = 1;
  for (Index k = 0; k < x.n; ++k) {
    Index row = k;
    for (Index i = k; i < x.n; ++i)
      if (std::abs(x(i, k)) > std::abs(x(row, k)))
        row = i;
    for (Index j = 0; j < x.n && row != k; ++j)
      std::swap(x(k, j), x(row, j));
    product *= row == k ? x(k, k) : -x(k, k);
    for (Index i = k + 1; i < x.n; ++i)
      for (Index j = x.n - 1; j >= k; --j)
        x(i, j) -= x(i, k) / x(k, k) * x(k, j);
  }
  return product;
}
template long double determinant(Dense);
template std::complex<long double> determinant(DenseOf<std::complex<long double>>);

namespace {

/// One Jacobi rotation that makes x(p, q) zero.
void rotate(Dense &x, Index p, Index q)
{
  const long double theta = (x(q, q) - x(p, p)) / (2 * x(p, q));
  const long double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
  const long double c = 1 / std::sqrt(t * t + 1), s = t * c;
  for (Index k = 0; k < x.n; ++k) {
    const long double xp = x(k, p), xq = x(k, q);
    x(k, p) = c * xp - s * xq;
    x(k, q) = s * xp + c * xq;
  }
  for (Index k = 0; k < x.n; ++k) {
    const long double xp = x(p, k), xq = x(q, k);
    x(p, k) = c * xp - s * xq;
    x(q, k) = s * xp + c * xq;
  }
}

} // namespace

std::vector<long double> eigenvalues(Dense x)
{
  const long double small = 1e-16L * largest(x);
  for (bool changed = true; changed;) {
    changed = false;
    for (Index p = 0; p < x.n; ++p)
      for (Index q = p + 1; q < x.n; ++q)
        if (std::fabs(x(p, q)) > small) {
          rotate(x, p, q);
          changed = true;
        }
  }
  std::vector<long double> values;
  for (Index i = 0; i < x.n; ++i)
    values.push_back(x(i, i));
  return values;
}

} // namespace tessera::test
