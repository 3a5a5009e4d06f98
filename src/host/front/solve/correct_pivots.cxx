#include "host/front/solve/correct_pivots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {
namespace {

struct Eigenvalues {
  double low, high;
};

/// Of [a b; b c], or of [a b̄; b c] with the magnitude of b.
Eigenvalues eigenvalues(double a, double b, double c)
{
  const double middle = (a + c) / 2, radius = std::hypot((a - c) / 2, b);
  const double far = middle < 0 ? middle - radius : middle + radius;
  const double near = far == 0 ? 0 : a / far * c - b / far * b;
  return {std::min(near, far), std::max(near, far)};
}

/// Of the complex symmetric [a b; b c], by the sum of their squares and their product.
struct SingularValues {
  double low, high;

  SingularValues(Complex a, Complex b, Complex c)
  {
    const double most = std::max({magnitude(a), magnitude(b), magnitude(c)});
    low = high = 0;
    if (most == 0)
      return;
    a /= most;
    b /= most;
    c /= most;
    const double squares = squared_magnitude(a) + 2 * squared_magnitude(b) + squared_magnitude(c),
                 det = magnitude(product(a, c) - product(b, b));
    const double largest =
        std::sqrt((squares + std::sqrt(std::max((squares - 2 * det) * (squares + 2 * det), 0.0))) / 2);
    high = largest * most;
    low = det / largest * most;
  }
};

/// A measured 2x2 pivot in units of what may be rounding, whose roots are r and s.
template <class T>
struct ScaledPair {
  double r, s;
  T a, b, c;

  explicit ScaledPair(const MeasuredPivot<T> &m)
  {
    // Where squares underflow nothing is said to be rounding.
    constexpr double least = std::numeric_limits<double>::denorm_min();
    r = std::sqrt(std::max(m.rounding_a, least));
    s = std::sqrt(std::max(m.rounding_c, least));
    a = m.a / r / r;
    b = m.b / r / s;
    c = m.c / s / s;
  }
};

/// Eigenvalues of [a b̄; b c], or singular values, without their signs.
template <Symmetry S, class T>
auto values_of(T a, T b, T c)
{
  if constexpr (has_signs<T, S>)
    return eigenvalues(real_part(a), real_part(without_argument<S>(b)), real_part(c));
  else
    return SingularValues(a, b, c);
}

/// Whether the 2x2 pivot in place k of a front has eigenvalues of other signs than these.
template <Symmetry S, class T>
bool is_wrong(const FrontColumns<T> &front, Index k, const ScaledPair<T> &scaled)
{
  const T d = front.d[k], off = front.off[k], d_two = front.d[k + 1];
  const auto measured = values_of<S>(scaled.a, scaled.b, scaled.c);
  if constexpr (has_signs<T, S>) {
    const Eigenvalues before = values_of<S>(d, off, d_two);
    return (before.low < 0) != (measured.low < 0) || (before.high < 0) != (measured.high < 0);
  } else {
    const double r = scaled.r, s = scaled.s;
    const double difference = std::max(
        {magnitude(scaled.a - d / r / r), magnitude(scaled.b - off / r / s), magnitude(scaled.c - d_two / s / s)});
    return !(difference < measured.low);
  }
}

/// Whether a 1x1 pivot has another sign than measured, or where there are no signs, is not even near that.
template <Symmetry S, class T>
bool is_wrong(T d, T measured)
{
  if constexpr (has_signs<T, S>)
    return !(real_part(d) * real_part(measured) > 0);
  else
    return !(magnitude(d - measured) < magnitude(measured));
}

/// Makes the pivot of column k one that is 0.
template <class T>
void make_zero(FrontColumns<T> &front, Index k)
{
  std::fill(front.at(k + 1, k), front.at(0, k) + front.rows, T(0));
  front.d[k] = front.off[k] = 0;
  ++front.zero;
}

template <Symmetry S, class T>
void correct_single(FrontColumns<T> &front, Index k, const MeasuredPivot<T> &measured)
{
  T &d = front.d[k];
  front.zero -= d == T(0);
  if (magnitude(measured.a) <= measured.rounding_a)
    make_zero(front, k);
  else if (is_wrong<S>(d, measured.a))
    d = measured.a;
}

/// Exchanges the rows of a 2x2 pivot.
template <class T>
void exchange_rows(FrontColumns<T> &front, Index k)
{
  for (Index j = 0; j < k; ++j)
    std::swap(*front.at(k, j), *front.at(k + 1, j));
  std::swap_ranges(front.at(0, k) + k + 2, front.at(0, k) + front.rows, front.at(0, k + 1) + k + 2);
  std::swap(front.row[k], front.row[k + 1]);
}

/// Makes a 2x2 pivot of rank one, with d and b in its first column, two 1x1 pivots, d and 0.
template <class T>
void split(FrontColumns<T> &front, Index k, T d, T b)
{
  const T l = quotient(b, d);
  for (Index i = k + 2; i < front.rows; ++i)
    *front.at(i, k) += product(*front.at(i, k + 1), l);
  *front.at(k + 1, k) = l;
  front.d[k] = d;
  front.off[k] = 0;
  make_zero(front, k + 1);
}

template <Symmetry S, class T>
void correct_pair(FrontColumns<T> &front, Index k, const MeasuredPivot<T> &m)
{
  const ScaledPair<T> scaled(m);
  const int zeros = zeros_of<S>(m, true);
  if (zeros == 2) {
    make_zero(front, k);
    make_zero(front, k + 1);
  } else if (zeros == 1 && magnitude(scaled.a) >= magnitude(scaled.c)) {
    split(front, k, m.a, m.b);
  } else if (zeros == 1) {
    exchange_rows(front, k);
    split(front, k, m.c, mirrored<S>(m.b));
  } else if (is_wrong<S>(front, k, scaled)) {
    front.d[k] = m.a;
    front.off[k] = m.b;
    front.d[k + 1] = m.c;
  }
}

} // namespace

template <Symmetry S, class T>
int zeros_of(const MeasuredPivot<T> &m, bool two)
{
  if (!two)
    return magnitude(m.a) <= m.rounding_a;
  const ScaledPair<T> scaled(m);
  const auto values = values_of<S>(scaled.a, scaled.b, scaled.c);
  return (std::abs(values.low) <= 1) + (std::abs(values.high) <= 1);
}

template <Symmetry S, class T>
void correct_pivot(FrontColumns<T> &front, Index k, const MeasuredPivot<T> &measured)
{
  front.off[k] != T(0) ? correct_pair<S>(front, k, measured) : correct_single<S>(front, k, measured);
}

template int zeros_of<Symmetry::Symmetric>(const MeasuredPivot<double> &, bool);
template int zeros_of<Symmetry::Symmetric>(const MeasuredPivot<Complex> &, bool);
template int zeros_of<Symmetry::Hermitian>(const MeasuredPivot<Complex> &, bool);
template void correct_pivot<Symmetry::Symmetric>(FrontColumns<double> &, Index, const MeasuredPivot<double> &);
template void correct_pivot<Symmetry::Symmetric>(FrontColumns<Complex> &, Index, const MeasuredPivot<Complex> &);
template void correct_pivot<Symmetry::Hermitian>(FrontColumns<Complex> &, Index, const MeasuredPivot<Complex> &);

} // namespace tessera
