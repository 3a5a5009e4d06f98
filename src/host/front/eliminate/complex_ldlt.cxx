#include "host/front/eliminate/complex_ldlt.hpp"

#include "host/front/eliminate/inverse_pair.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

constexpr double smallest = std::numeric_limits<double>::min();
constexpr double rounding = std::numeric_limits<double>::epsilon();

} // namespace

template <Symmetry S>
template <Pivoting P>
PivotCounts ComplexLdlt<S>::run(std::uint32_t pairs)
{
  static_assert(P == Pivoting::none || P == Pivoting::rook);
  start();
  for (Index k = 0; k < n_;) {
    const Choice pivot = P == Pivoting::rook ? choose_rook(k) : choose_in_order(k, k + 1 < n_ && (pairs >> k & 1));
    exchange(k, pivot.first);
    if (pivot.second < 0) {
      eliminate_single(k++);
    } else {
      exchange(k + 1, pivot.second);
      eliminate_pair(k);
      k += 2;
    }
  }
  if (!is_finite())
    clear();
  counts_.one_by_one = n_ - 2 * counts_.two_by_two;
  return counts_;
}

template <Symmetry S>
void ComplexLdlt<S>::start()
{
  counts_ = {};
  std::iota(perm_, perm_ + n_, 0);
  for (Index j = 0; j < n_; ++j) {
    std::fill(&at(0, j), &at(0, j) + j, Complex(0));
    std::copy(a_ + std::ptrdiff_t(j) * leading_ + j, a_ + std::ptrdiff_t(j) * leading_ + n_, &at(j, j));
  }
}

/// A matched pair is a 2x2 pivot unless its off-diagonal entry is negligible or its smaller singular value is, against
/// rounding.
template <Symmetry S>
typename ComplexLdlt<S>::Choice ComplexLdlt<S>::choose_in_order(Index k, bool paired) const
{
  if (!paired)
    return {k, -1};
  const Complex a = at(k, k), b = without_argument<S>(at(k + 1, k)), c = at(k + 1, k + 1);
  const double most = std::max({magnitude(a), magnitude(b), magnitude(c)});
  const double det = magnitude(product(a / most, c / most) - product(b / most, b / most));
  return {k, magnitude(b) > rounding * most && det > rounding ? k + 1 : -1};
}

/// The first row whose diagonal entry is at least half of its largest; if there is none, the 2x2 pivot of the largest
/// entry of all. Entries of L are at most 2 after either.
template <Symmetry S>
typename ComplexLdlt<S>::Choice ComplexLdlt<S>::choose_rook(Index k) const
{
  Choice largest{k, -1};
  double most = 0;
  for (Index j = k; j < n_; ++j) {
    double most_of_row = 0;
    for (Index i = k; i < n_; ++i) {
      if (i == j)
        continue;
      const double x = magnitude(i > j ? at(i, j) : at(j, i));
      most_of_row = std::max(most_of_row, x);
      if (x > most) {
        most = x;
        largest = {std::min(i, j), std::max(i, j)};
      }
    }
    if (magnitude(at(j, j)) >= most_of_row / 2)
      return {j, -1};
  }
  return largest;
}

/// Exchanges rows and columns i <= j of what is left, and the rows of L.
template <Symmetry S>
void ComplexLdlt<S>::exchange(Index i, Index j) const
{
  if (i == j)
    return;
  for (Index k = 0; k < i; ++k)
    std::swap(at(i, k), at(j, k));
  std::swap(at(i, i), at(j, j));
  for (Index k = i + 1; k < j; ++k) {
    const Complex x = at(k, i);
    at(k, i) = mirrored<S>(at(j, k));
    at(j, k) = mirrored<S>(x);
  }
  at(j, i) = mirrored<S>(at(j, i));
  for (Index k = j + 1; k < n_; ++k)
    std::swap(at(k, i), at(k, j));
  std::swap(perm_[i], perm_[j]);
}

template <Symmetry S>
void ComplexLdlt<S>::eliminate_single(Index k)
{
  d_[k] = at(k, k);
  off_[k] = 0;
  at(k, k) = 1;
  if (magnitude(d_[k]) < smallest) {
    d_[k] = 0;
    ++counts_.zero;
    std::fill(&at(k, k) + 1, &at(0, k) + n_, Complex(0));
    return;
  }
  const Complex inverse = quotient(Complex(1), d_[k]);
  Complex x[most_rows], *const l = &at(0, k);
  for (Index i = k + 1; i < n_; ++i) {
    x[i] = l[i];
    l[i] = product(x[i], inverse);
  }
  for (Index j = k + 1; j < n_; ++j) {
    const Complex factor = mirrored<S>(x[j]);
    Complex *const s = &at(0, j);
    for (Index i = j; i < n_; ++i)
      s[i] -= product(l[i], factor);
    s[j] = on_diagonal<S>(s[j]);
  }
}

template <Symmetry S>
void ComplexLdlt<S>::eliminate_pair(Index k)
{
  d_[k] = at(k, k);
  d_[k + 1] = at(k + 1, k + 1);
  off_[k] = at(k + 1, k);
  off_[k + 1] = 0;
  ++counts_.two_by_two;
  at(k, k) = at(k + 1, k + 1) = 1;
  at(k + 1, k) = 0;
  const InversePair<Complex, S> inverse(d_[k], off_[k], d_[k + 1]);
  Complex x[most_rows], y[most_rows], *const l = &at(0, k), *const l_two = &at(0, k + 1);
  for (Index i = k + 2; i < n_; ++i) {
    x[i] = l[i];
    y[i] = l_two[i];
    l[i] = inverse.first_of_row(x[i], y[i]);
    l_two[i] = inverse.second_of_row(x[i], y[i]);
  }
  for (Index j = k + 2; j < n_; ++j) {
    const Complex factor = mirrored<S>(x[j]), factor_two = mirrored<S>(y[j]);
    Complex *const s = &at(0, j);
    for (Index i = j; i < n_; ++i)
      s[i] -= product(l[i], factor) + product(l_two[i], factor_two);
    s[j] = on_diagonal<S>(s[j]);
  }
}

template <Symmetry S>
bool ComplexLdlt<S>::is_finite() const
{
  bool finite = true;
  for (Index j = 0; j < n_; ++j) {
    finite &= tessera::is_finite(d_[j]) && tessera::is_finite(off_[j]);
    for (Index i = j + 1; i < n_; ++i)
      finite &= tessera::is_finite(at(i, j));
  }
  return finite;
}

/// Makes a bad matrix the factor of the zero matrix.
template <Symmetry S>
void ComplexLdlt<S>::clear()
{
  counts_ = {};
  counts_.zero = n_;
  counts_.nonfinite = 1;
  std::iota(perm_, perm_ + n_, 0);
  std::fill(d_, d_ + n_, Complex(0));
  std::fill(off_, off_ + n_, Complex(0));
  for (Index j = 0; j < n_; ++j) {
    std::fill(&at(0, j), &at(0, j) + n_, Complex(0));
    at(j, j) = 1;
  }
}

template PivotCounts ComplexLdlt<Symmetry::Symmetric>::run<Pivoting::none>(std::uint32_t);
template PivotCounts ComplexLdlt<Symmetry::Symmetric>::run<Pivoting::rook>(std::uint32_t);
template PivotCounts ComplexLdlt<Symmetry::Hermitian>::run<Pivoting::none>(std::uint32_t);
template PivotCounts ComplexLdlt<Symmetry::Hermitian>::run<Pivoting::rook>(std::uint32_t);

} // namespace tessera
