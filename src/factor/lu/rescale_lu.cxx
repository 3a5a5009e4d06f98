#include "factor/lu/rescale_lu.hpp"

#include "analysis/preprocess.hpp"
#include "base/scaled.hpp"
#include "factor/front/rescale.hpp"

#include <algorithm>

namespace tessera {

template <class T>
bool scale_fits(const LuPlan &plan, const T *values)
{
  const Pattern &a = plan.fronts.matrix;
  const std::vector<double> row = unpermuted_scale(plan.fronts), column = unpermuted_column_scale(plan);
  std::vector<double> largest_of_column(a.cols, 0.0);
  for (Index i = 0; i < a.rows; ++i) {
    double largest = 0;
    for (Offset p = a.start[i]; p < a.start[i + 1]; ++p) {
      const double x = magnitude(scaled(values[plan.fronts.source[p]], row[i], column[a.column[p]]));
      largest = std::max(largest, x);
      largest_of_column[a.column[p]] = std::max(largest_of_column[a.column[p]], x);
    }
    if (!is_scaled(largest))
      return false;
  }
  return std::all_of(largest_of_column.begin(), largest_of_column.end(), is_scaled);
}

template <class T>
bool rescale(LuPlan &plan, const T *values)
{
  std::vector<StepTime> unused;
  StepClock clock(unused, nullptr);
  const UnsymmetricPreprocessing now = preprocess_unsymmetric(magnitudes_of(plan.fronts, values), clock);
  if (now.status != MatrixStatus::usable)
    return false;
  const std::vector<double> rows = plan.fronts.scale, columns = plan.column_scale;
  set_scale(plan, now.row_scale, now.col_scale);
  return plan.fronts.scale != rows || plan.column_scale != columns;
}

template bool scale_fits(const LuPlan &, const double *);
template bool scale_fits(const LuPlan &, const Complex *);
template bool rescale(LuPlan &, const double *);
template bool rescale(LuPlan &, const Complex *);

} // namespace tessera
