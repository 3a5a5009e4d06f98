#include "host/front/front_report.hpp"

#include "factor/front/determinant.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// The determinant of the 2x2 pivot in place k, over off².
double determinant_of_pair(const FrontColumns &f, Index k)
{
  return f.d[k] / f.off[k] * (f.d[k + 1] / f.off[k]) - 1;
}

void add_pivots(const FrontColumns &f, DirectReport &r)
{
  for (Index k = 0; k < f.eliminated; k += f.off[k] != 0 ? 2 : 1) {
    r.largest = std::max({r.largest, std::abs(f.d[k]), std::abs(f.off[k])});
    if (f.off[k] == 0) {
      ++r.one_by_one;
      r.negative += f.d[k] < 0;
      r.positive += f.d[k] > 0;
      continue;
    }
    ++r.two_by_two;
    const Index negative = determinant_of_pair(f, k) < 0 ? 1 : f.d[k] < 0 ? 2 : 0;
    r.negative += negative;
    r.positive += 2 - negative;
    r.largest = std::max(r.largest, std::abs(f.d[k + 1]));
  }
}

void multiply_pivots(const FrontColumns &f, ScaledProduct &determinant)
{
  for (Index k = 0; k < f.eliminated; k += f.off[k] != 0 ? 2 : 1) {
    if (f.off[k] == 0) {
      determinant.times(f.d[k]);
      continue;
    }
    determinant.times(determinant_of_pair(f, k));
    determinant.times(f.off[k]);
    determinant.times(f.off[k]);
  }
}

void multiply_definite(const FrontColumns &f, ScaledProduct &determinant)
{
  for (Index k = 0; k < f.eliminated; ++k) {
    determinant.times(*f.at(k, k));
    determinant.times(*f.at(k, k));
  }
}

} // namespace

DirectReport report_of(const FrontPlan &plan, const FrontStore &store, FactorKind kind)
{
  DirectReport r;
  for (Index s = 0; s < plan.tree.fronts(); ++s) {
    const FrontColumns &f = store[s];
    r.delayed += f.columns - f.eliminated;
    r.zero += f.zero;
    for (const UncertainPivot &pivot : f.uncertain)
      r.uncertain += f.d[pivot.place] != 0 || f.off[pivot.place] != 0;
    r.entries += Offset(f.rows) * f.eliminated - Offset(f.eliminated) * (f.eliminated - 1) / 2;
    r.work += front_flops(f.columns, f.rows);
    for (Index k = 0; k < f.eliminated; ++k)
      r.flops += double(f.rows - k - 1) * double(f.rows - k - 1);
    if (kind == FactorKind::LDLT) {
      add_pivots(f, r);
    } else {
      r.one_by_one += f.eliminated;
      r.positive += f.eliminated;
    }
  }
  return r;
}

ScaledProduct determinant_of(const FrontPlan &plan, const FrontStore &store, FactorKind kind)
{
  ScaledProduct scaled;
  for (Index s = 0; s < plan.tree.fronts(); ++s)
    kind == FactorKind::LLT ? multiply_definite(store[s], scaled) : multiply_pivots(store[s], scaled);
  return unscaled_determinant(scaled, plan.scale_product, plan.scale_product);
}

PivotSequence pivots_of(const FrontPlan &plan, const FrontStore &store)
{
  PivotSequence pivots;
  pivots.start.assign(1, 0);
  for (Index s = 0; s < plan.tree.fronts(); ++s) {
    const FrontColumns &f = store[s];
    pivots.row.insert(pivots.row.end(), f.row, f.row + f.eliminated);
    pivots.start.push_back(static_cast<Index>(pivots.row.size()));
    for (Index k = 0; k < f.eliminated; ++k)
      pivots.pair.push_back(f.off[k] != 0);
  }
  return pivots;
}

} // namespace tessera
