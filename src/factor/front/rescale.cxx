#include "factor/front/rescale.hpp"

#include "analysis/matching/balance_pairs.hpp"
#include "analysis/preprocess.hpp"
#include "base/scaled.hpp"
#include "base/symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

/// [rows] the other row of the pair that a row is planned in; itself without one. Names are those of the matrix.
std::vector<Index> planned_partners(const AssemblyTree &tree)
{
  std::vector<Index> partner(tree.rows());
  std::iota(partner.begin(), partner.end(), 0);
  for (Index k = 0; k + 1 < tree.rows(); ++k)
    if (tree.pair[k])
      std::swap(partner[tree.perm[k]], partner[tree.perm[k + 1]]);
  return partner;
}

} // namespace

bool is_scaled(double largest)
{
  constexpr double most = 4;
  return largest == 0 || (largest <= most && largest >= 1 / most);
}

template <class T>
Matrix magnitudes_of(const FrontPlan &plan, const T *values)
{
  Matrix matrix{plan.matrix, std::vector<double>(plan.source.size())};
  for (std::size_t p = 0; p < plan.source.size(); ++p)
    matrix.value[p] = magnitude(values[stored_at<T>(plan.source[p])]);
  return matrix;
}

template Matrix magnitudes_of(const FrontPlan &, const double *);
template Matrix magnitudes_of(const FrontPlan &, const Complex *);

template <class T>
bool scale_fits(const FrontPlan &plan, const T *values)
{
  const Pattern &a = plan.matrix;
  const std::vector<double> scale = unpermuted_scale(plan);
  for (Index i = 0; i < a.rows; ++i) {
    double largest = 0;
    for (Offset p = a.start[i]; p < a.start[i + 1]; ++p)
      largest =
          std::max(largest, magnitude(scaled(values[stored_at<T>(plan.source[p])], scale[i], scale[a.column[p]])));
    if (!is_scaled(largest))
      return false;
  }
  return true;
}

template <class T>
bool rescale(FrontPlan &plan, const T *values)
{
  const Matrix matrix = magnitudes_of(plan, values);
  std::vector<StepTime> unused;
  StepClock clock(unused, nullptr);
  SymmetricPreprocessing now = preprocess_symmetric(matrix, plan.preprocessing, true, clock);
  if (now.status != MatrixStatus::usable)
    return false;
  // The scaling leaves open the factors of its own pairs, too, which the plan may take for single pivots.
  balance_pairs(matrix, planned_partners(plan.tree), now.scale);
  balance_pairs(matrix, now.partner, now.scale);
  const std::vector<double> before = plan.scale;
  set_scale(plan, now.scale);
  return plan.scale != before;
}

template bool scale_fits(const FrontPlan &, const double *);
template bool scale_fits(const FrontPlan &, const Complex *);
template bool rescale(FrontPlan &, const double *);
template bool rescale(FrontPlan &, const Complex *);

} // namespace tessera
