#ifndef TESSERA_TESTS_SUPPORT_BACKWARD_ERROR_HPP
#define TESSERA_TESTS_SUPPORT_BACKWARD_ERROR_HPP

#include "base/scalar.hpp"
#include "base/types.hpp"
#include "support/larger.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::test {

/// A x. AnyMatrix: of real or complex values.
template <class AnyMatrix, class T = double>
std::vector<T> product(const AnyMatrix &a, const std::vector<T> &x)
{
  std::vector<T> b(a.pattern.rows, 0.0);
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      b[i] += a.value[p] * x[a.pattern.column[p]];
  return b;
}

/// max |b - A x| / (||A|| ||x|| + ||b||), in the maximum norm; infinite where x is not finite.
template <class AnyMatrix, class T = double>
double backward_error(const AnyMatrix &a, const std::vector<T> &x, const std::vector<T> &b)
{
  double residual = 0, norm = 0, size_x = 0, size_b = 0;
  const std::vector<T> ax = product(a, x);
  for (Index i = 0; i < a.pattern.rows; ++i) {
    double sum = 0;
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      sum += std::abs(a.value[p]);
    norm = std::max(norm, sum);
    if (!is_finite(x[i]))
      return INFINITY;
    size_x = std::max(size_x, std::abs(x[i]));
    size_b = std::max(size_b, std::abs(b[i]));
    residual = larger(residual, std::abs(b[i] - ax[i]));
  }
  return residual == 0 ? 0 : residual / (norm * size_x + size_b);
}

/// The largest |A x|_i / (|A| |x|)_i, to a few units of rounding.
template <class AnyMatrix, class T = double>
double singular_within(const AnyMatrix &a, const std::vector<T> &x)
{
  double most = 0;
  const std::vector<T> ax = product(a, x);
  for (Index i = 0; i < a.pattern.rows; ++i) {
    double magnitudes = 0;
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      magnitudes += std::abs(a.value[p] * x[a.pattern.column[p]]);
    if (magnitudes > 0)
      most = std::max(most, std::abs(ax[i]) / magnitudes);
  }
  return most;
}

} // namespace tessera::test
#endif
