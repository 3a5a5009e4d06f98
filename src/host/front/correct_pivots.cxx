#include "host/front/correct_pivots.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

struct Eigenvalues {
  double low, high;
};

/// Of [a b; b c].
Eigenvalues eigenvalues(double a, double b, double c)
{
  const double middle = (a + c) / 2, radius = std::hypot((a - c) / 2, b);
  const double far = middle < 0 ? middle - radius : middle + radius;
  const double near = far == 0 ? 0 : a / far * c - b / far * b;
  return {std::min(near, far), std::max(near, far)};
}

/// Makes the pivot of column k one that is 0.
void make_zero(FrontColumns &front, Index k)
{
  std::fill(front.at(k + 1, k), front.at(0, k) + front.rows, 0.0);
  front.d[k] = front.off[k] = 0;
  ++front.zero;
}

void correct_single(FrontColumns &front, Index k, const MeasuredPivot &measured)
{
  double &d = front.d[k];
  front.zero -= d == 0;
  if (std::abs(measured.a) <= measured.rounding_a)
    make_zero(front, k);
  else if (!(d * measured.a > 0))
    d = measured.a;
}

/// Exchanges the rows of a 2x2 pivot.
void exchange_rows(FrontColumns &front, Index k)
{
  for (Index j = 0; j < k; ++j)
    std::swap(*front.at(k, j), *front.at(k + 1, j));
  std::swap_ranges(front.at(0, k) + k + 2, front.at(0, k) + front.rows, front.at(0, k + 1) + k + 2);
  std::swap(front.row[k], front.row[k + 1]);
}

/// Makes a 2x2 pivot [d b; b .] with one eigenvalue two 1x1 pivots, d and 0.
void split(FrontColumns &front, Index k, double d, double b)
{
  const double l = b / d;
  for (Index i = k + 2; i < front.rows; ++i)
    *front.at(i, k) += *front.at(i, k + 1) * l;
  *front.at(k + 1, k) = l;
  front.d[k] = d;
  front.off[k] = 0;
  make_zero(front, k + 1);
}

void correct_pair(FrontColumns &front, Index k, const MeasuredPivot &m)
{
  // in units of what may be rounding
  const double r = std::sqrt(m.rounding_a), s = std::sqrt(m.rounding_c);
  const double a = m.a / r / r, c = m.c / s / s;
  const Eigenvalues measured = eigenvalues(a, m.b / r / s, c),
                    before = eigenvalues(front.d[k], front.off[k], front.d[k + 1]);
  const int zeros = (std::abs(measured.low) <= 1) + (std::abs(measured.high) <= 1);
  if (zeros == 2) {
    make_zero(front, k);
    make_zero(front, k + 1);
  } else if (zeros == 1 && std::abs(a) >= std::abs(c)) {
    split(front, k, m.a, m.b);
  } else if (zeros == 1) {
    exchange_rows(front, k);
    split(front, k, m.c, m.b);
  } else if ((before.low < 0) != (measured.low < 0) || (before.high < 0) != (measured.high < 0)) {
    front.d[k] = m.a;
    front.off[k] = m.b;
    front.d[k + 1] = m.c;
  }
}

} // namespace

void correct_pivot(FrontColumns &front, Index k, const MeasuredPivot &measured)
{
  front.off[k] != 0 ? correct_pair(front, k, measured) : correct_single(front, k, measured);
}

} // namespace tessera
