#include "host/front/solve/factored_inverse.hpp"

#include "host/front/blas.hpp"
#include "host/front/parallel_chunks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace tessera {
namespace {

using blas::Diagonal;
using blas::Form;
using blas::Side;
using blas::Triangle;

constexpr int together = 64; ///< columns, whatever the number of threads

/// f(begin, end) for some columns at a time, by all threads.
template <class F>
void for_columns(int m, const F &f)
{
  for_each_chunk((m + together - 1) / together, m > 2 * together,
                 [&](Index chunk) { f(chunk * together, std::min((chunk + 1) * together, m)); });
}

/// The inverse of a triangle with a diagonal of 1.
std::vector<double> inverse_of_triangle(Triangle triangle, int m, const std::vector<double> &t)
{
  std::vector<double> a(std::size_t(m) * m);
  for (int k = 0; k < m; ++k)
    a[std::size_t(k) * (m + 1)] = 1;
  for_columns(m, [&](int begin, int end) { // of the others these have nothing in the rows before, or after
    const bool is_lower = triangle == Triangle::lower;
    const int first = is_lower ? begin : 0, last = is_lower ? m : end;
    blas::solve_triangle(Side::left, triangle, Form::given, Diagonal::unit, last - first, end - begin,
                         &t[std::size_t(first) * (m + 1)], m, &a[std::size_t(begin) * m + first], m);
  });
  return a;
}

/// The rows of L⁻¹ Pᵀ, one behind the other, of P L. row: [m] of the matrix in the k-th row of L.
std::vector<double> rows_of_inverse(int m, const std::vector<double> &l, const std::vector<int> &row)
{
  const std::vector<double> inverse = inverse_of_triangle(Triangle::lower, m, l);
  std::vector<double> rows(inverse.size());
  for (int j = 0; j < m; ++j)
    for (int i = j; i < m; ++i)
      rows[std::size_t(i) * m + row[j]] = inverse[std::size_t(j) * m + i];
  return rows;
}

/// The factors of LAPACK's sytrf: P L D Lᵀ Pᵀ.
struct SymmetricFactors {
  std::vector<double> l;         ///< [m, m] unit lower triangle, without its diagonal; what is above is of no use
  std::vector<double> d, beside; ///< [m] diagonal of D, and what is below it
  std::vector<int> row;          ///< [m] of the matrix in the k-th row of L
};

/// What sytrf leaves, with the exchanges of each step made in the columns before it as well. `row`: as of sytrf.
SymmetricFactors unpack(int m, std::vector<double> a, const std::vector<int> &row)
{
  SymmetricFactors f{std::move(a), std::vector<double>(m), std::vector<double>(m), std::vector<int>(m)};
  std::iota(f.row.begin(), f.row.end(), 0);
  const auto at = [m](int i, int j) { return std::size_t(j) * m + i; };
  for (int k = 0; k < m; ++k) {
    const bool two = row[k] < 0;
    const int last = k + two, other = std::abs(row[k]) - 1;
    for (int j = 0; j < k; ++j)
      std::swap(f.l[at(last, j)], f.l[at(other, j)]);
    std::swap(f.row[last], f.row[other]);
    f.d[k] = f.l[at(k, k)];
    if (two) {
      f.beside[k] = std::exchange(f.l[at(last, k)], 0.0);
      f.d[last] = f.l[at(last, last)];
    }
    k = last;
  }
  return f;
}

/// Rotates two vectors of m numbers so that [a b; b c] becomes diagonal. Returns its eigenvalues.
std::pair<double, double> rotate(double a, double b, double c, int m, double *x, double *y)
{
  const double theta = (c - a) / (2 * b), t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(1.0, theta)),
               cosine = 1 / std::hypot(1.0, t), sine = t * cosine;
  for (int i = 0; i < m; ++i) {
    const double u = x[i], v = y[i];
    x[i] = cosine * u - sine * v;
    y[i] = sine * u + cosine * v;
  }
  return {a - t * b, c + t * b};
}

} // namespace

bool FactoredInverse::has_norm_below_one() const
{
  const int m = int(value.size());
  const std::vector<double> &other = left_vectors();
  std::vector<double> scaled = right, sum(right.size()), of_row(m), of_column(m);
  for (std::size_t k = 0; k < scaled.size(); ++k)
    scaled[k] /= value[k / m];
  for_columns(m, [&](int begin, int end) {
    blas::subtract_product(m, end - begin, m, scaled.data(), m, &other[begin], m, Form::transposed,
                           &sum[std::size_t(begin) * m], m);
  });
  for (std::size_t k = 0; k < sum.size(); ++k) {
    of_row[k % m] += std::abs(sum[k]);
    of_column[k / m] += std::abs(sum[k]);
  }
  const auto largest = [](const std::vector<double> &x) {
    return std::accumulate(x.begin(), x.end(), 0.0, [](double a, double b) { return b > a || b != b ? b : a; });
  };
  return std::sqrt(largest(of_row)) * std::sqrt(largest(of_column)) < 1; // false for NaN
}

std::optional<FactoredInverse> invert_symmetric(int m, std::vector<double> a)
{
  std::vector<int> row(m);
  if (!blas::factor_symmetric(m, a.data(), m, row.data()))
    return {};
  const SymmetricFactors f = unpack(m, std::move(a), row);
  FactoredInverse x{f.d, rows_of_inverse(m, f.l, f.row), {}};
  for (int k = 0; k + 1 < m; ++k)
    if (f.beside[k] != 0)
      std::tie(x.value[k], x.value[k + 1]) =
          rotate(f.d[k], f.beside[k], f.d[k + 1], m, &x.right[std::size_t(k) * m], &x.right[std::size_t(k + 1) * m]);
  return x;
}

std::optional<Offset> count_negative_eigenvalues(int m, std::vector<double> a)
{
  std::vector<int> row(m);
  if (!blas::factor_symmetric(m, a.data(), m, row.data()))
    return {};
  Offset negative = 0;
  for (int k = 0; k < m; ++k) {
    const double *const d = &a[std::size_t(k) * (m + 1)];
    if (!std::isfinite(d[0]))
      return {};
    if (row[k] > 0) {
      negative += d[0] < 0;
      continue;
    }
    const double beside = d[1], other = d[m + 1]; // of a pair, whose determinant is negative
    if (!std::isfinite(beside) || !std::isfinite(other))
      return {};
    ++negative;
    ++k;
  }
  return negative;
}

std::optional<FactoredInverse> invert_any(int m, std::vector<double> a)
{
  std::vector<int> row(m), order(m);
  if (!blas::factor_lu(m, a.data(), m, row.data()))
    return {};
  FactoredInverse x{std::vector<double>(m), {}, {}};
  std::iota(order.begin(), order.end(), 0);
  for (int k = 0; k < m; ++k) {
    x.is_odd = x.is_odd != (row[k] != k + 1);
    std::swap(order[k], order[row[k] - 1]);
    x.value[k] = a[std::size_t(k) * (m + 1)];
  }
  x.left = rows_of_inverse(m, a, order);
  for (std::size_t k = 0; k < a.size(); ++k) // of U with a diagonal of 1
    a[k] /= x.value[k % m];
  x.right = inverse_of_triangle(Triangle::upper, m, a);
  return x;
}

} // namespace tessera
