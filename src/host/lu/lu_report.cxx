#include "host/lu/lu_report.hpp"

#include "base/permute.hpp"
#include "factor/front/determinant.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

template <class T>
DirectReport report_of(const LuPlan &plan, const LuStore<T> &store)
{
  DirectReport r;
  for (Index s = 0; s < plan.fronts.tree.fronts(); ++s) {
    const LuFront<T> &f = store[s];
    const Index delayed = f.columns - f.eliminated;
    r.delayed += delayed;
    r.zero += f.zero;
    r.perturbed += f.perturbed;
    r.uncertain += f.uncertain;
    r.one_by_one += f.eliminated;
    r.entries += Offset(f.eliminated) * (2 * f.rows - f.eliminated);
    r.work += plan.fronts.flops_of(f.columns, f.rows);
    r.flops += plan.fronts.flops_of(f.eliminated, f.rows);
    for (Index k = 0; k < f.eliminated; ++k)
      r.largest = std::max(r.largest, magnitude(*f.at(k, k)));
  }
  return r;
}

template <class T>
ScaledProductOf<T> determinant_of(const LuPlan &plan, const LuStore<T> &store)
{
  const AssemblyTree &tree = plan.fronts.tree;
  ScaledProductOf<T> scaled;
  std::vector<Index> column_of(tree.rows());
  for (Index s = 0; s < tree.fronts(); ++s) {
    const LuFront<T> &f = store[s];
    for (Index k = 0; k < f.eliminated; ++k) {
      scaled.times(*f.at(k, k));
      column_of[tree.perm[f.row[k]]] = plan.column[f.column[k]];
    }
  }
  if (is_odd(column_of))
    scaled.times(-1);
  return unscaled_determinant(scaled, plan.fronts.scale_product, plan.column_scale_product);
}

template <class T>
PivotSequence pivots_of(const LuPlan &plan, const LuStore<T> &store)
{
  PivotSequence pivots;
  pivots.start.assign(1, 0);
  for (Index s = 0; s < plan.fronts.tree.fronts(); ++s) {
    const LuFront<T> &f = store[s];
    pivots.row.insert(pivots.row.end(), f.row, f.row + f.eliminated);
    pivots.column.insert(pivots.column.end(), f.column, f.column + f.eliminated);
    pivots.start.push_back(static_cast<Index>(pivots.row.size()));
  }
  pivots.pair.assign(pivots.row.size(), 0);
  return pivots;
}

template DirectReport report_of(const LuPlan &, const LuStore<double> &);
template DirectReport report_of(const LuPlan &, const LuStore<Complex> &);
template ScaledProduct determinant_of(const LuPlan &, const LuStore<double> &);
template ScaledProductOf<Complex> determinant_of(const LuPlan &, const LuStore<Complex> &);
template PivotSequence pivots_of(const LuPlan &, const LuStore<double> &);
template PivotSequence pivots_of(const LuPlan &, const LuStore<Complex> &);

} // namespace tessera
