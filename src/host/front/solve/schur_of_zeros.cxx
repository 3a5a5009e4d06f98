#include "host/front/solve/schur_of_zeros.hpp"

#include "host/front/blas.hpp"
#include "host/front/measured_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {
namespace {

// Where squares underflow nothing is said to be rounding.
constexpr double least_rounding = std::numeric_limits<double>::denorm_min();

bool all_finite(const std::vector<double> &x)
{
  return std::all_of(x.begin(), x.end(), [](double y) { return std::isfinite(y); });
}

bool all_finite(const SchurOfZeros &schur)
{
  return all_finite(schur.product) && all_finite(schur.error) && all_finite(schur.squares) &&
         all_finite(schur.row_root) && all_finite(schur.column_root);
}

/// Factors of rows and of columns, whose products are what may be rounding, or more.
struct Rounding {
  std::vector<double> row, column;
};

/// That of the diagonal: of a symmetric matrix the others are at most as much.
Rounding of_diagonal(const std::vector<double> &rounding, std::size_t m)
{
  std::vector<double> root(m);
  for (std::size_t k = 0; k < m; ++k)
    root[k] = std::sqrt(std::max(rounding[k * m + k], least_rounding));
  return {root, root};
}

/// The largest entries of the rows, or of the columns, of a matrix.
std::vector<double> largest_entries(const std::vector<double> &a, std::size_t m, bool of_rows)
{
  std::vector<double> largest(m, 0.0);
  for (std::size_t k = 0; k < m * m; ++k) {
    double &x = largest[of_rows ? k % m : k / m];
    x = std::max(x, a[k]);
  }
  return largest;
}

/// That of all entries, equilibrated until the largest of each row and column is near 1 (Ruiz 2001), and at most 1;
/// next to nothing of rows and columns without any.
Rounding of_all(std::vector<double> rounding, std::size_t m)
{
  constexpr int steps = 30; // each halves the logarithm of what is not
  Rounding factors{std::vector<double>(m, 1.0), std::vector<double>(m, 1.0)};
  for (int step = 0; step < 2 * steps; ++step) {
    const bool of_rows = step % 2 == 0;
    const std::vector<double> largest = largest_entries(rounding, m, of_rows);
    for (std::size_t k = 0; k < m * m; ++k)
      rounding[k] = rounding[k] > 0 ? rounding[k] / std::sqrt(largest[of_rows ? k % m : k / m]) : 0;
    for (std::size_t k = 0; k < m; ++k)
      (of_rows ? factors.row : factors.column)[k] *= largest[k] > 0 ? std::sqrt(largest[k]) : 1;
  }
  const std::vector<double> row = largest_entries(rounding, m, true), column = largest_entries(rounding, m, false);
  for (std::size_t k = 0; k < m; ++k) {
    factors.row[k] = row[k] > 0 ? factors.row[k] : std::sqrt(least_rounding);
    factors.column[k] = column[k] > 0 ? factors.column[k] * column[k] : std::sqrt(least_rounding);
  }
  return factors;
}

/// [m, m] where what may be rounding is 1.
std::vector<double> scaled(std::vector<double> a, const Rounding &rounding)
{
  constexpr double most = 0x1p400;
  const std::size_t m = rounding.row.size();
  for (std::size_t k = 0; k < m * m; ++k)
    a[k] = std::clamp(a[k] / rounding.row[k % m] / rounding.column[k / m], -most, most);
  return a;
}

void add_value(MeasuredZeros &measured, double value, const double *right, const double *left, const Rounding &rounding)
{
  measured.negative += value < -1;
  if (std::abs(value) <= 1) {
    ++measured.zero;
    return;
  }
  measured.value.push_back(value);
  for (std::size_t k = 0; k < rounding.row.size(); ++k) {
    measured.right.push_back(right[k] / rounding.column[k]);
    measured.left.push_back(left[k] / rounding.row[k]);
  }
}

/// Of a symmetric matrix.
MeasuredZeros measure_symmetric(const std::vector<double> &product, const Rounding &rounding)
{
  const std::size_t m = rounding.row.size();
  std::vector<double> a = scaled(product, rounding), value(m);
  MeasuredZeros measured;
  measured.known = blas::eigenvalues(int(m), a.data(), int(m), value.data());
  for (std::size_t q = 0; q < m; ++q) {
    measured.determinant.times(value[q]);
    measured.determinant.times(rounding.row[q]);
    measured.determinant.times(rounding.column[q]);
    add_value(measured, value[q], &a[q * m], &a[q * m], rounding);
  }
  return measured;
}

/// Of any matrix.
MeasuredZeros measure_any(const std::vector<double> &product, const Rounding &rounding)
{
  const std::size_t m = rounding.row.size();
  std::vector<double> a = scaled(product, rounding), factor = a, value(m), left(m * m), right_rows(m * m), right(m);
  std::vector<int> row(m);
  MeasuredZeros measured;
  blas::factor_lu(int(m), factor.data(), int(m), row.data());
  measured.known = blas::singular_values(int(m), a.data(), value.data(), left.data(), right_rows.data());
  for (std::size_t q = 0; q < m; ++q) {
    measured.determinant.times(row[q] == int(q) + 1 ? factor[q * m + q] : -factor[q * m + q]);
    measured.determinant.times(rounding.row[q]);
    measured.determinant.times(rounding.column[q]);
    for (std::size_t k = 0; k < m; ++k)
      right[k] = right_rows[k * m + q];
    add_value(measured, value[q], right.data(), &left[q * m], rounding);
  }
  return measured;
}

/// factors: of what may be rounding, [m, m]; measure: with them.
template <class Factors, class Measure>
MeasuredZeros judge(const SchurOfZeros &schur, const Factors &factors, const Measure &measure)
{
  if (!all_finite(schur))
    return {};
  const std::size_t m = schur.rows();
  std::vector<double> by_mass(m * m), by_entries(m * m), corrected(m * m);
  for (std::size_t k = 0; k < m * m; ++k) {
    by_mass[k] = measured_rounding(schur.squares[k], schur.row_root[k % m] * schur.column_root[k / m]);
    by_entries[k] = measured_rounding(schur.squares[k], 0) + std::abs(schur.error[k]) / 4;
    corrected[k] = schur.product[k] - schur.error[k];
  }
  MeasuredZeros measured = measure(schur.product, factors(by_mass, m));
  const MeasuredZeros explained = measure(corrected, factors(by_entries, m));
  measured.known = measured.known && explained.known;
  measured.uncertain = std::max<Offset>(measured.zero - explained.zero, 0);
  return measured;
}

} // namespace

MeasuredZeros judge_zeros(const SchurOfZeros &schur)
{
  return judge(schur, of_diagonal, measure_symmetric);
}

MeasuredZeros judge_singular_values(const SchurOfZeros &schur)
{
  return judge(schur, of_all, measure_any);
}

} // namespace tessera
