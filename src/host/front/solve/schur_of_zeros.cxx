#include "host/front/solve/schur_of_zeros.hpp"

#include "host/front/blas.hpp"
#include "host/front/measured_rounding.hpp"
#include "host/front/solve/factored_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>

namespace tessera {
namespace {

// Where squares underflow nothing is said to be rounding.
constexpr double least_rounding = std::numeric_limits<double>::denorm_min();

template <class T>
bool all_finite(const std::vector<T> &x)
{
  return std::all_of(x.begin(), x.end(), [](T y) { return is_finite(y); });
}

template <class T>
bool all_finite(const SchurOfZerosOf<T> &schur)
{
  return all_finite(schur.product) && all_finite(schur.error) && all_finite(schur.squares) &&
         all_finite(schur.row_root) && all_finite(schur.column_root);
}

/// Factors of rows and of columns, whose products are what may be rounding, or more.
struct Rounding {
  std::vector<double> row, column;
};

/// That of the diagonal: of a symmetric matrix without errors the others are at most as much.
Rounding of_diagonal(const std::vector<double> &rounding, std::size_t m)
{
  std::vector<double> root(m);
  for (std::size_t k = 0; k < m; ++k)
    root[k] = std::sqrt(std::max(rounding[k * m + k], least_rounding));
  return {root, root};
}

/// The largest entries of the rows and of the columns of a matrix, each divided by its factors.
Rounding largest_entries(const std::vector<double> &a, const Rounding &factors)
{
  const std::size_t m = factors.row.size();
  Rounding largest{std::vector<double>(m, 0.0), std::vector<double>(m, 0.0)};
  for (std::size_t j = 0; j < m; ++j) {
    double of_column = 0;
    for (std::size_t i = 0; i < m; ++i) {
      const double x = a[j * m + i] / factors.row[i] / factors.column[j];
      largest.row[i] = std::max(largest.row[i], x);
      of_column = std::max(of_column, x);
    }
    largest.column[j] = of_column;
  }
  return largest;
}

/// Multiplies factors by roots of the largest entries. Returns whether these were near 1.
bool multiply_by_roots(const std::vector<double> &largest, std::vector<double> &factor)
{
  constexpr double near = 0x1p-6;
  bool all_near = true;
  for (std::size_t k = 0; k < factor.size(); ++k)
    if (largest[k] > 0) {
      all_near = all_near && std::abs(largest[k] - 1) <= near;
      factor[k] *= std::sqrt(largest[k]);
    }
  return all_near;
}

/// That of all entries, equilibrated until the largest of each row and column is near 1 (Ruiz 2001), and at most 1;
/// next to nothing of rows and columns without any.
Rounding of_all(const std::vector<double> &rounding, std::size_t m)
{
  constexpr int most_steps = 30; // each halves the logarithm of what is not 1
  Rounding factors{std::vector<double>(m, 1.0), std::vector<double>(m, 1.0)};
  for (int step = 0; step < most_steps; ++step) {
    const Rounding largest = largest_entries(rounding, factors);
    const bool rows = multiply_by_roots(largest.row, factors.row),
               columns = multiply_by_roots(largest.column, factors.column);
    if (rows && columns)
      break;
  }
  const Rounding largest = largest_entries(rounding, factors);
  for (std::size_t k = 0; k < m; ++k) {
    factors.row[k] = largest.row[k] > 0 ? factors.row[k] : std::sqrt(least_rounding);
    factors.column[k] = largest.column[k] > 0 ? factors.column[k] * largest.column[k] : std::sqrt(least_rounding);
  }
  return factors;
}

double limited(double x)
{
  constexpr double most = 0x1p400;
  return std::clamp(x, -most, most);
}
Complex limited(Complex x)
{
  return {limited(x.real()), limited(x.imag())};
}

/// The same of a symmetric matrix.
Rounding of_all_symmetric(const std::vector<double> &rounding, std::size_t m)
{
  Rounding factors = of_all(rounding, m);
  for (std::size_t k = 0; k < m; ++k)
    factors.row[k] = factors.column[k] = std::sqrt(factors.row[k]) * std::sqrt(factors.column[k]);
  return factors;
}

/// [m, m] where what may be rounding is 1.
template <class T>
std::vector<T> scaled(std::vector<T> a, const Rounding &rounding)
{
  const std::size_t m = rounding.row.size();
  for (std::size_t k = 0; k < m * m; ++k)
    a[k] = limited(a[k] / rounding.row[k % m] / rounding.column[k / m]);
  return a;
}

template <class T>
MeasuredZerosOf<T> begin_measured(const Rounding &rounding)
{
  MeasuredZerosOf<T> measured;
  measured.row = rounding.row;
  measured.column = rounding.column;
  return measured;
}

/// Which vectors are wanted of eigenvalues or singular values that are not zero.
enum class Wanted { Nothing, WithoutZeros, All }; ///< WithoutZeros: all of them, where nothing is zero; else nothing

/// Takes the eigenvalues or singular values.
template <class T>
void take_values(const std::vector<double> &value, MeasuredZerosOf<T> &measured)
{
  measured.zero = std::count_if(value.begin(), value.end(), [](double x) { return std::abs(x) <= 1; });
  measured.negative = std::count_if(value.begin(), value.end(), [](double x) { return x < -1; });
  for (const double x : value)
    measured.largest = std::max(measured.largest, std::abs(x));
}

/// Whether vectors are needed, of what is not zero.
template <class T>
bool needs_vectors(Wanted wanted, const MeasuredZerosOf<T> &measured)
{
  return wanted == Wanted::All ? measured.zero < Offset(measured.row.size())
                               : wanted == Wanted::WithoutZeros && measured.zero == 0;
}

/// sign A + times I.
template <class T>
std::vector<T> beside_identity(std::vector<T> a, std::size_t m, double sign, double times)
{
  for (T &x : a)
    x *= sign;
  for (std::size_t k = 0; k < m; ++k)
    a[k * (m + 1)] += times;
  return a;
}

/// Whether no eigenvalue of a symmetric or Hermitian matrix is above 1, by magnitude: I - A and I + A have Cholesky
/// factors.
template <class T>
bool has_small_eigenvalues(const std::vector<T> &a, std::size_t m)
{
  for (const double sign : {-1.0, 1.0}) {
    std::vector<T> b = beside_identity(a, m, sign, 1);
    if (blas::factor_definite(int(m), b.data(), int(m)) != 0)
      return false;
  }
  return true;
}

/// Whether no singular value of a matrix is above 1: I - Aᴴ A has a Cholesky factor.
template <class T>
bool has_small_singular_values(const std::vector<T> &a, std::size_t m)
{
  std::vector<T> b = beside_identity(std::vector<T>(m * m), m, 1, 1);
  const int n = int(m);
  blas::subtract_transposed_product(blas::Form::adjoint, n, n, n, a.data(), n, a.data(), n, b.data(), n);
  return blas::factor_definite(n, b.data(), n) == 0;
}

/// Takes a matrix of which norms, or factors, show that all eigenvalues or singular values are zero, which takes less
/// time than these. Returns whether they do. has_small_values(a, m): by factors.
template <class T, class HasSmallValues>
bool take_nothing(const std::vector<T> &a, const HasSmallValues &has_small_values, MeasuredZerosOf<T> &measured)
{
  const std::size_t m = measured.row.size();
  double squares = 0; // of the eigenvalues, or singular values
  for (const T &x : a)
    squares += std::norm(x);
  if (!(squares <= 1) && !(squares <= double(m) && has_small_values(a, m)))
    return false;
  measured.known = true;
  measured.zero = Offset(m);
  measured.largest = 1;
  return true;
}

/// The vectors of an eigenvalue or singular value, if that is not zero.
template <class T>
void add_vectors(MeasuredZerosOf<T> &measured, double value, const T *right, const T *left)
{
  if (std::abs(value) <= 1)
    return;
  measured.value.push_back(value);
  for (std::size_t k = 0; k < measured.row.size(); ++k) {
    measured.right.push_back(right[k] / measured.column[k]);
    measured.left.push_back(left[k] / measured.row[k]);
  }
}

/// The largest norm of a column of a matrix, which its norm is about.
double largest_column(const std::vector<double> &a, std::size_t m)
{
  double largest = 0;
  for (std::size_t k = 0; k < m; ++k)
    largest = std::max(largest, std::inner_product(&a[k * m], &a[k * m] + m, &a[k * m], 0.0));
  return std::sqrt(largest);
}

/// Takes the factors of a matrix of which nothing is zero. a: as it was factored.
void take_inverse(const FactoredInverse &inverse, const std::vector<double> &a, MeasuredZeros &measured)
{
  const std::size_t m = measured.row.size();
  const std::vector<double> &left = inverse.left_vectors();
  measured.value = inverse.value;
  measured.largest = largest_column(a, m);
  measured.right.resize(m * m);
  measured.left.resize(m * m);
  for (std::size_t q = 0; q < m; ++q) {
    measured.determinant.times(q == 0 && inverse.is_odd ? -inverse.value[q] : inverse.value[q]);
    measured.determinant.times(measured.row[q]);
    measured.determinant.times(measured.column[q]);
    for (std::size_t k = 0; k < m; ++k) {
      measured.right[q * m + k] = inverse.right[q * m + k] / measured.column[k];
      measured.left[q * m + k] = left[q * m + k] / measured.row[k];
    }
  }
}

/// Counts eigenvalues by Sylvester's law of inertia, of A - I and A + I, which takes less time than they do. Returns
/// whether it could.
bool count_by_inertia(const std::vector<double> &a, MeasuredZeros &measured)
{
  const std::size_t m = measured.row.size();
  const auto count_below = [&](double value) {
    return count_negative_eigenvalues(int(m), beside_identity(a, m, 1, -value));
  };
  const std::optional<Offset> negative = count_below(-1), below_one = negative ? count_below(1) : negative;
  if (!below_one || *below_one < *negative)
    return false;
  measured.known = true;
  measured.zero = *below_one - *negative;
  measured.negative = *negative;
  return true;
}

/// Counts eigenvalues of a symmetric or Hermitian matrix.
template <class T>
void count_eigenvalues(const std::vector<T> &given, MeasuredZerosOf<T> &measured)
{
  const int m = int(measured.row.size());
  if constexpr (std::is_same_v<T, double>)
    if (count_by_inertia(given, measured))
      return;
  std::vector<T> a = given;
  std::vector<double> value(m);
  measured.known = blas::eigenvalues(blas::Vectors::none, m, a.data(), m, value.data());
  take_values(value, measured);
}

/// Counts singular values.
template <class T>
void count_singular_values(std::vector<T> a, MeasuredZerosOf<T> &measured)
{
  const int m = int(measured.row.size());
  std::vector<T> none(1);
  std::vector<double> value(m);
  measured.known = blas::singular_values(blas::Vectors::none, m, a.data(), value.data(), none.data(), none.data());
  take_values(value, measured);
}

/// Counts by the factors of a real matrix, or else by count(a, measured), and takes the factors where nothing is zero.
/// invert(m, a): its factors. Returns whether vectors of eigenvalues or singular values are needed.
template <class T, class Invert, class Count>
bool take_counts(const std::vector<T> &a, Wanted wanted, const Invert &invert, const Count &count,
                 MeasuredZerosOf<T> &measured)
{
  std::optional<FactoredInverse> inverse;
  if constexpr (std::is_same_v<T, double>)
    if (wanted != Wanted::Nothing)
      inverse = invert(int(measured.row.size()), a);
  measured.known = inverse && inverse->has_norm_below_one();
  if (measured.known)
    measured.negative = inverse->negative_eigenvalues();
  else
    count(a, measured);
  if (!measured.known || !needs_vectors(wanted, measured))
    return false;
  if constexpr (std::is_same_v<T, double>)
    if (inverse && measured.zero == 0) {
      take_inverse(*inverse, a, measured);
      return false;
    }
  return true;
}

/// Of a symmetric or Hermitian matrix. Vectors take most of the time; often all is zero, or nothing.
template <class T>
MeasuredZerosOf<T> measure_symmetric(const std::vector<T> &product, const Rounding &rounding, Wanted wanted)
{
  const int m = int(rounding.row.size());
  std::vector<T> a = scaled(product, rounding), left(m);
  std::vector<double> value(m);
  MeasuredZerosOf<T> measured = begin_measured<T>(rounding);
  if (take_nothing(a, has_small_eigenvalues<T>, measured) ||
      !take_counts(a, wanted, invert_symmetric, count_eigenvalues<T>, measured))
    return measured;
  measured.known = blas::eigenvalues(blas::Vectors::all, m, a.data(), m, value.data());
  take_values(value, measured);
  for (int q = 0; q < m; ++q) {
    measured.determinant.times(value[q]);
    measured.determinant.times(rounding.row[q]);
    measured.determinant.times(rounding.column[q]);
    const T *const right = &a[std::size_t(q) * m];
    std::transform(right, right + m, left.begin(), [](T x) { return conjugate(x); });
    add_vectors(measured, value[q], right, left.data());
  }
  return measured;
}

/// Of any matrix.
template <class T>
MeasuredZerosOf<T> measure_any(const std::vector<T> &product, const Rounding &rounding, Wanted wanted)
{
  const std::size_t m = rounding.row.size();
  std::vector<T> a = scaled(product, rounding), factor = a, left(m * m), right_rows(m * m), right(m);
  std::vector<double> value(m);
  std::vector<int> row(m);
  MeasuredZerosOf<T> measured = begin_measured<T>(rounding);
  if (take_nothing(a, has_small_singular_values<T>, measured) ||
      !take_counts(a, wanted, invert_any, count_singular_values<T>, measured))
    return measured;
  blas::factor_lu(int(m), factor.data(), int(m), row.data());
  measured.known =
      blas::singular_values(blas::Vectors::all, int(m), a.data(), value.data(), left.data(), right_rows.data());
  take_values(value, measured);
  for (std::size_t q = 0; q < m; ++q) {
    measured.determinant.times(row[q] == int(q) + 1 ? factor[q * m + q] : -factor[q * m + q]);
    measured.determinant.times(rounding.row[q]);
    measured.determinant.times(rounding.column[q]);
    for (std::size_t k = 0; k < m; ++k) {
      right[k] = conjugate(right_rows[k * m + q]);
      left[q * m + k] = conjugate(left[q * m + k]);
    }
    add_vectors(measured, value[q], right.data(), &left[q * m]);
  }
  return measured;
}

/// factors: of what may be rounding, [m, m], without errors of U and V and with them; measure: with such factors.
template <class T, class Factors, class Measure>
MeasuredZerosOf<T> judge(const SchurOfZerosOf<T> &schur, const Factors &factors, const Factors &factors_with_errors,
                         const Measure &measure)
{
  if (!all_finite(schur))
    return {};
  const std::size_t m = schur.rows();
  std::vector<double> by_mass(m * m), by_entries(m * m);
  std::vector<T> corrected(m * m);
  for (std::size_t k = 0; k < m * m; ++k)
    by_mass[k] = measured_rounding(schur.squares[k], schur.row_root[k % m] * schur.column_root[k / m]);
  const Wanted wanted = schur.error.empty() ? Wanted::WithoutZeros : Wanted::All;
  MeasuredZerosOf<T> measured = measure(schur.product, factors(by_mass, m), wanted);
  if (schur.error.empty() || (measured.known && measured.zero == 0))
    return measured;
  for (std::size_t k = 0; k < m * m; ++k) {
    by_entries[k] = measured_rounding(schur.squares[k], 0) + magnitude(schur.error[k]);
    corrected[k] = schur.product[k] - schur.error[k];
  }
  const MeasuredZerosOf<T> explained = measure(corrected, factors_with_errors(by_entries, m), Wanted::Nothing);
  measured.known = measured.known && explained.known;
  measured.uncertain = std::max<Offset>(measured.zero - explained.zero, 0);
  return measured;
}

} // namespace

template <class T>
MeasuredZerosOf<T> judge_zeros(const SchurOfZerosOf<T> &schur)
{
  return judge(schur, of_diagonal, of_all_symmetric, measure_symmetric<T>);
}

template <class T>
MeasuredZerosOf<T> judge_singular_values(const SchurOfZerosOf<T> &schur)
{
  return judge(schur, of_all, of_all, measure_any<T>);
}

template <class T>
bool has_small_errors(const SchurOfZerosOf<T> &schur)
{
  constexpr double part = 0x1p-6;
  const std::size_t m = schur.rows();
  std::vector<double> by_entries(m * m);
  std::transform(schur.squares.begin(), schur.squares.end(), by_entries.begin(),
                 [](double squares) { return measured_rounding(squares, 0); });
  const Rounding rounding = of_all(by_entries, m);
  bool small = true;
  for (std::size_t k = 0; k < m * m; ++k)
    small = small && magnitude(schur.error[k]) <= part * rounding.row[k % m] * rounding.column[k / m];
  return small;
}

template <class T>
std::vector<T> without_zeros(const SchurOfZerosOf<T> &schur, const MeasuredZerosOf<T> &measured)
{
  if (measured.zero == 0)
    return schur.product;
  // S Z S with Z, the sum of all x_q y_qᵀ / λ_q
  const int m = int(schur.rows()), kept = int(measured.value.size());
  std::vector<T> right(std::size_t(m) * kept), left(std::size_t(m) * kept), sum(std::size_t(m) * m);
  blas::subtract_product(m, kept, m, schur.product.data(), m, measured.right.data(), m, blas::Form::given, right.data(),
                         m);
  blas::subtract_transposed_product(blas::Form::transposed, m, kept, m, schur.product.data(), m, measured.left.data(),
                                    m, left.data(), m);
  for (std::size_t k = 0; k < right.size(); ++k)
    right[k] /= -measured.value[k / m]; // the other one has the wrong sign, and the product is subtracted
  blas::subtract_product(m, m, kept, right.data(), m, left.data(), m, blas::Form::transposed, sum.data(), m);
  return sum;
}

template <class T>
double rounding_without_zeros(const MeasuredZerosOf<T> &measured)
{
  return std::min(64 * std::numeric_limits<double>::epsilon() * double(measured.row.size()) * measured.largest, 1.0);
}

template MeasuredZerosOf<double> judge_zeros(const SchurOfZerosOf<double> &);
template MeasuredZerosOf<Complex> judge_zeros(const SchurOfZerosOf<Complex> &);
template MeasuredZerosOf<double> judge_singular_values(const SchurOfZerosOf<double> &);
template MeasuredZerosOf<Complex> judge_singular_values(const SchurOfZerosOf<Complex> &);
template bool has_small_errors(const SchurOfZerosOf<double> &);
template bool has_small_errors(const SchurOfZerosOf<Complex> &);
template std::vector<double> without_zeros(const SchurOfZerosOf<double> &, const MeasuredZerosOf<double> &);
template std::vector<Complex> without_zeros(const SchurOfZerosOf<Complex> &, const MeasuredZerosOf<Complex> &);
template double rounding_without_zeros(const MeasuredZerosOf<double> &);
template double rounding_without_zeros(const MeasuredZerosOf<Complex> &);

} // namespace tessera
