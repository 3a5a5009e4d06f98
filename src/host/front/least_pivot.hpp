#ifndef TESSERA_HOST_FRONT_LEAST_PIVOT_HPP
#define TESSERA_HOST_FRONT_LEAST_PIVOT_HPP

#include "base/scaled.hpp"
#include "base/symmetry.hpp"
#include "factor/front/front_plan.hpp"
#include "factor/front/static_pivots.hpp"

#include <algorithm>

namespace tessera {

/// least_static_pivot() for a plan and the values of its matrix. row, column: [rows] scale factors in the order of the
/// matrix.
template <class T>
double least_pivot_of(const FrontPlan &plan, const std::vector<double> &row, const std::vector<double> &column,
                      const T *values)
{
  const Pattern &a = plan.matrix;
  double largest = 0;
  for (Index i = 0; i < a.rows; ++i)
    for (Offset p = a.start[i]; p < a.start[i + 1]; ++p)
      largest = std::max(largest, magnitude(scaled(values[stored_at<T>(plan.source[p])], row[i], column[a.column[p]])));
  return least_static_pivot(largest);
}

/// A pivot with the argument of d, or 1 where that is 0, and this magnitude.
inline Complex pivot_of_size(Complex d, double size)
{
  return d == Complex(0) ? Complex(size) : product(quotient(d, Complex(magnitude(d))), Complex(size));
}

} // namespace tessera
#endif
