#include "reference.hpp"

#include "base/scalar.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::fuzz {
namespace {

using test::DenseOf;

long double real_part(long double x)
{
  return x;
}
long double real_part(std::complex<long double> x)
{
  return x.real();
}

/// Powers of two by which rows and columns are multiplied so that the largest entries come to about 1.
template <class T>
void equilibrate(DenseOf<T> &a)
{
  const Index n = a.n;
  for (int pass = 0; pass < 8; ++pass) {
    std::vector<int> row(n), column(n);
    for (Index i = 0; i < n; ++i) {
      long double of_row = 0, of_column = 0;
      for (Index j = 0; j < n; ++j) {
        of_row = std::max(of_row, std::abs(a(i, j)));
        of_column = std::max(of_column, std::abs(a(j, i)));
      }
      row[i] = of_row > 0 ? -std::ilogb(of_row) : 0;
      column[i] = of_column > 0 ? -std::ilogb(of_column) : 0;
    }
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) // whole numbers halved the same way for (i, j) and (j, i)
        a(i, j) *= std::ldexp(1.0L, int(std::floor(row[i] / 2.0)) + int(std::floor(column[j] / 2.0)));
  }
}

/// Collects the magnitudes of pivots, the largest first met.
class Pivots {
public:
  explicit Pivots(Reference &reference) : reference_(reference) { reference_.smallest = 1; }

  void add(long double value)
  {
    const double ratio = double(std::abs(value) / largest_);
    if (largest_ == 0 && value != 0)
      largest_ = std::abs(value);
    else if (value == 0 || ratio <= 1e-15)
      return add_zero(value == 0 ? 0 : ratio);
    else
      reference_.smallest = std::min(reference_.smallest, ratio);
    ++(value < 0 ? reference_.negative : reference_.positive);
  }

private:
  void add_zero(double ratio)
  {
    ++reference_.zero;
    reference_.next = std::max(reference_.next, ratio);
  }

  Reference &reference_;
  long double largest_ = 0;
};

template <class T>
void swap_both(DenseOf<T> &a, Index i, Index j)
{
  for (Index k = 0; k < a.n; ++k)
    std::swap(a(i, k), a(j, k));
  for (Index k = 0; k < a.n; ++k)
    std::swap(a(k, i), a(k, j));
}

/// Subtracts what the pivot at k, of `size` rows and columns, takes off the rest.
template <class T>
void eliminate(DenseOf<T> &a, Index k, Index size)
{
  const T p = a(k, k), q = size == 2 ? a(k, k + 1) : T(0), r = size == 2 ? a(k + 1, k) : T(0);
  const T s = size == 2 ? a(k + 1, k + 1) : T(1), determinant = p * s - q * r;
  for (Index i = k + size; i < a.n; ++i) {
    const T left = a(i, k), right = size == 2 ? a(i, k + 1) : T(0);
    const T x = (left * s - right * r) / determinant, y = (right * p - left * q) / determinant;
    for (Index j = k + size; j < a.n; ++j)
      a(i, j) -= x * a(k, j) + (size == 2 ? y * a(k + 1, j) : T(0));
  }
}

} // namespace

template <class T>
Reference reference_ldlt(DenseOf<T> a)
{
  const long double share = (1 + std::sqrt(17.0L)) / 8;
  Reference result;
  Pivots pivots(result);
  equilibrate(a);
  for (Index k = 0; k < a.n;) {
    Index diagonal = k, row = k, column = k;
    for (Index i = k; i < a.n; ++i) {
      if (std::abs(a(i, i)) > std::abs(a(diagonal, diagonal)))
        diagonal = i;
      for (Index j = k; j < i; ++j)
        if (std::abs(a(i, j)) > std::abs(a(row, column)))
          row = i, column = j;
    }
    if (std::abs(a(diagonal, diagonal)) >= share * std::abs(a(row, column)) || row == column) {
      swap_both(a, k, diagonal);
      pivots.add(real_part(a(k, k)));
      if (a(k, k) != T(0))
        eliminate(a, k, 1);
      k += 1;
      continue;
    }
    swap_both(a, k, column);
    swap_both(a, k + 1, row);
    const long double sum = real_part(a(k, k) + a(k + 1, k + 1)), difference = real_part(a(k, k) - a(k + 1, k + 1));
    const long double root = std::hypot(difference, 2 * std::abs(a(k + 1, k)));
    pivots.add((sum + root) / 2);
    pivots.add((sum - root) / 2);
    eliminate(a, k, 2);
    k += 2;
  }
  return result;
}

template <class T>
Reference reference_lu(DenseOf<T> a)
{
  Reference result;
  Pivots pivots(result);
  equilibrate(a);
  for (Index k = 0; k < a.n; ++k) {
    Index row = k, column = k;
    for (Index i = k; i < a.n; ++i)
      for (Index j = k; j < a.n; ++j)
        if (std::abs(a(i, j)) > std::abs(a(row, column)))
          row = i, column = j;
    for (Index j = 0; j < a.n; ++j)
      std::swap(a(k, j), a(row, j));
    for (Index i = 0; i < a.n; ++i)
      std::swap(a(i, k), a(i, column));
    pivots.add(std::abs(a(k, k)));
    if (a(k, k) != T(0))
      eliminate(a, k, 1);
  }
  return result;
}

template <class T>
double exact_backward_error(const DenseOf<Extended<T>> &a, const std::vector<T> &x, const std::vector<T> &b)
{
  long double residual = 0, norm = 0, size_x = 0, size_b = 0;
  for (Index i = 0; i < a.n; ++i) {
    Extended<T> r = Extended<T>(b[i]);
    long double sum = 0;
    for (Index j = 0; j < a.n; ++j) {
      r -= a(i, j) * Extended<T>(x[j]);
      sum += std::abs(a(i, j));
    }
    if (!is_finite(x[i]))
      return INFINITY;
    residual = std::max(residual, std::abs(r));
    norm = std::max(norm, sum);
    size_x = std::max(size_x, std::abs(Extended<T>(x[i])));
    size_b = std::max(size_b, std::abs(Extended<T>(b[i])));
  }
  return residual == 0 ? 0 : double(residual / (norm * size_x + size_b));
}

template Reference reference_ldlt(DenseOf<long double>);
template Reference reference_ldlt(DenseOf<std::complex<long double>>);
template Reference reference_lu(DenseOf<long double>);
template Reference reference_lu(DenseOf<std::complex<long double>>);
template double exact_backward_error(const DenseOf<long double> &, const std::vector<double> &,
                                     const std::vector<double> &);
template double exact_backward_error(const DenseOf<std::complex<long double>> &, const std::vector<Complex> &,
                                     const std::vector<Complex> &);

} // namespace tessera::fuzz
