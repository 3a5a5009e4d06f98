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

/// A matrix that is being eliminated, with the mass of its entries.
template <class T>
struct Remainder {
  DenseOf<T> a;
  test::Dense mass;
  Reference &reference;

  Remainder(DenseOf<T> matrix, Reference &result) : a(std::move(matrix)), mass(a.n), reference(result)
  {
    equilibrate(a);
    std::transform(a.a.begin(), a.a.end(), mass.a.begin(), [](T x) { return std::abs(x); });
  }

  void swap_rows(Index i, Index j)
  {
    for (Index k = 0; k < a.n; ++k) {
      std::swap(a(i, k), a(j, k));
      std::swap(mass(i, k), mass(j, k));
    }
  }
  void swap_columns(Index i, Index j)
  {
    for (Index k = 0; k < a.n; ++k) {
      std::swap(a(k, i), a(k, j));
      std::swap(mass(k, i), mass(k, j));
    }
  }

  /// Counts a pivot, whose mass is that of the entries that it comes from.
  void count(long double pivot, long double of)
  {
    if (pivot == 0) {
      ++reference.zero;
      return;
    }
    reference.smallest = std::min(reference.smallest, double(std::abs(pivot) / of));
    ++(pivot < 0 ? reference.negative : reference.positive);
  }

  /// Subtracts what the pivot at k, of one row and column, takes off the rest.
  void eliminate_one(Index k)
  {
    const T pivot = a(k, k);
    for (Index i = k + 1; i < a.n && pivot != T(0); ++i) {
      const T x = a(i, k) / pivot;
      for (Index j = k + 1; j < a.n; ++j)
        subtract(i, j, x * a(k, j), mass(i, k) / std::abs(pivot) * mass(k, j));
    }
  }

  /// The same for a pivot of two.
  void eliminate_two(Index k)
  {
    const T p = a(k, k), q = a(k, k + 1), r = a(k + 1, k), s = a(k + 1, k + 1), determinant = p * s - q * r;
    const long double size = std::abs(determinant);
    for (Index i = k + 2; i < a.n; ++i) {
      const T x = (a(i, k) * s - a(i, k + 1) * r) / determinant, y = (a(i, k + 1) * p - a(i, k) * q) / determinant;
      const long double mass_x = (mass(i, k) * std::abs(s) + mass(i, k + 1) * std::abs(r)) / size,
                        mass_y = (mass(i, k + 1) * std::abs(p) + mass(i, k) * std::abs(q)) / size;
      for (Index j = k + 2; j < a.n; ++j)
        subtract(i, j, x * a(k, j) + y * a(k + 1, j), mass_x * mass(k, j) + mass_y * mass(k + 1, j));
    }
  }

private:
  void subtract(Index i, Index j, T x, long double of_x)
  {
    a(i, j) -= x;
    mass(i, j) += of_x;
    const double share = mass(i, j) > 0 ? double(std::abs(a(i, j)) / mass(i, j)) : 0;
    if (share > 1e-15)
      return;
    a(i, j) = 0;
    reference.noise = std::max(reference.noise, share);
  }
};

} // namespace

template <class T>
Reference reference_ldlt(DenseOf<T> matrix)
{
  const long double share = (1 + std::sqrt(17.0L)) / 8;
  Reference result;
  Remainder<T> rest(std::move(matrix), result);
  const DenseOf<T> &a = rest.a;
  const auto swap_both = [&](Index i, Index j) {
    rest.swap_rows(i, j);
    rest.swap_columns(i, j);
  };
  for (Index k = 0; k < a.n;) {
    Index diagonal = k, row = k, column = k;
    for (Index i = k; i < a.n; ++i) {
      if (std::abs(a(i, i)) > std::abs(a(diagonal, diagonal)))
        diagonal = i;
      for (Index j = k; j < i; ++j)
        if (row == column || std::abs(a(i, j)) > std::abs(a(row, column)))
          row = i, column = j;
    }
    if (row == column || std::abs(a(diagonal, diagonal)) >= share * std::abs(a(row, column))) {
      swap_both(k, diagonal);
      rest.count(real_part(a(k, k)), rest.mass(k, k));
      rest.eliminate_one(k);
      k += 1;
      continue;
    }
    swap_both(k, column);
    swap_both(k + 1, row);
    const long double sum = real_part(a(k, k) + a(k + 1, k + 1)), difference = real_part(a(k, k) - a(k + 1, k + 1));
    const long double root = std::hypot(difference, 2 * std::abs(a(k + 1, k)));
    const long double mass = std::max({rest.mass(k, k), rest.mass(k + 1, k), rest.mass(k + 1, k + 1)});
    rest.count((sum + root) / 2, mass); // one of either sign, neither much smaller than the largest entry
    rest.count((sum - root) / 2, mass);
    rest.eliminate_two(k);
    k += 2;
  }
  return result;
}

template <class T>
Reference reference_lu(DenseOf<T> matrix)
{
  Reference result;
  Remainder<T> rest(std::move(matrix), result);
  const DenseOf<T> &a = rest.a;
  for (Index k = 0; k < a.n; ++k) {
    Index row = k, column = k;
    for (Index i = k; i < a.n; ++i)
      for (Index j = k; j < a.n; ++j)
        if (std::abs(a(i, j)) > std::abs(a(row, column)))
          row = i, column = j;
    rest.swap_rows(k, row);
    rest.swap_columns(k, column);
    rest.count(std::abs(a(k, k)), rest.mass(k, k));
    rest.eliminate_one(k);
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
