#ifndef TESSERA_BENCHMARKS_BACKWARD_ERROR_HPP
#define TESSERA_BENCHMARKS_BACKWARD_ERROR_HPP

#include "base/types.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

/// A x.
inline std::vector<double> product(const Matrix &a, const std::vector<double> &x)
{
  std::vector<double> b(a.pattern.rows, 0.0);
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      b[i] += a.value[p] * x[a.pattern.column[p]];
  return b;
}

/// ||b - A x|| / (||A|| ||x|| + ||b||), norms of the maximum.
inline double backward_error(const Matrix &a, const std::vector<double> &x, const std::vector<double> &b)
{
  double residual = 0, norm = 0, largest_x = 0, largest_b = 0;
  for (Index i = 0; i < a.pattern.rows; ++i) {
    double r = b[i], sum = 0;
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p) {
      r -= a.value[p] * x[a.pattern.column[p]];
      sum += std::abs(a.value[p]);
    }
    residual = std::max(residual, std::isfinite(r) ? std::abs(r) : INFINITY);
    norm = std::max(norm, sum);
    largest_x = std::max(largest_x, std::abs(x[i]));
    largest_b = std::max(largest_b, std::abs(b[i]));
  }
  return residual == 0 ? 0 : residual / (norm * largest_x + largest_b);
}

} // namespace tessera
#endif
