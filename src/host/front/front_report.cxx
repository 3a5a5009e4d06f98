#include "host/front/front_report.hpp"

#include "factor/front/determinant.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// The determinant of the 2x2 pivot in place k, over the square of `off`, which has its other entry without the
/// argument that does not matter.
template <class T>
T determinant_of_pair(const FrontColumns<T> &f, Index k, T off)
{
  return product(quotient(f.d[k], off), quotient(f.d[k + 1], off)) - T(1);
}

/// Adds the signs of the eigenvalues of the pivot in place k.
template <Symmetry S, class T>
void add_signs(const FrontColumns<T> &f, Index k, DirectReport &r)
{
  const double d = real_part(f.d[k]);
  if (f.off[k] == T(0)) {
    r.negative += d < 0;
    r.positive += d > 0;
    return;
  }
  const double det = real_part(determinant_of_pair(f, k, without_argument<S>(f.off[k])));
  const Index negative = det < 0 ? 1 : d < 0 ? 2 : 0;
  r.negative += negative;
  r.positive += 2 - negative;
}

template <Symmetry S, class T>
void add_pivots(const FrontColumns<T> &f, DirectReport &r)
{
  for (Index k = 0; k < f.eliminated; k += f.off[k] != T(0) ? 2 : 1) {
    const bool two = f.off[k] != T(0);
    r.largest = std::max({r.largest, magnitude(f.d[k]), magnitude(f.off[k]), two ? magnitude(f.d[k + 1]) : 0});
    r.one_by_one += !two;
    r.two_by_two += two;
    if constexpr (has_signs<T, S>)
      add_signs<S>(f, k, r);
  }
}

template <Symmetry S, class T>
void multiply_pivots(const FrontColumns<T> &f, ScaledProductOf<T> &determinant)
{
  for (Index k = 0; k < f.eliminated; k += f.off[k] != T(0) ? 2 : 1) {
    if (f.off[k] == T(0)) {
      determinant.times(f.d[k]);
      continue;
    }
    const T off = without_argument<S>(f.off[k]);
    determinant.times(determinant_of_pair(f, k, off));
    determinant.times(off);
    determinant.times(off);
  }
}

template <class T>
void multiply_definite(const FrontColumns<T> &f, ScaledProductOf<T> &determinant)
{
  for (Index k = 0; k < f.eliminated; ++k) {
    determinant.times(*f.at(k, k));
    determinant.times(*f.at(k, k));
  }
}

} // namespace

template <Symmetry S, class T>
DirectReport report_of(const FrontPlan &plan, const FrontStore<T> &store, FactorKind kind)
{
  DirectReport r;
  for (Index s = 0; s < plan.tree.fronts(); ++s) {
    const FrontColumns<T> &f = store[s];
    r.delayed += f.columns - f.eliminated;
    r.zero += f.zero;
    r.perturbed += f.perturbed;
    for (const UncertainPivot &pivot : f.uncertain)
      r.uncertain += std::max<Index>(f.d[pivot.place] != T(0) || f.off[pivot.place] != T(0), pivot.doubtful);
    r.entries += Offset(f.rows) * f.eliminated - Offset(f.eliminated) * (f.eliminated - 1) / 2;
    r.work += front_flops(f.columns, f.rows);
    for (Index k = 0; k < f.eliminated; ++k)
      r.flops += double(f.rows - k - 1) * double(f.rows - k - 1);
    if (kind == FactorKind::LDLT) {
      add_pivots<S>(f, r);
    } else {
      r.one_by_one += f.eliminated;
      r.positive += f.eliminated;
    }
  }
  return r;
}

template <Symmetry S, class T>
ScaledProductOf<T> determinant_of(const FrontPlan &plan, const FrontStore<T> &store, FactorKind kind)
{
  ScaledProductOf<T> scaled;
  for (Index s = 0; s < plan.tree.fronts(); ++s)
    kind == FactorKind::LLT ? multiply_definite(store[s], scaled) : multiply_pivots<S>(store[s], scaled);
  return unscaled_determinant(scaled, plan.scale_product, plan.scale_product);
}

namespace {

/// Whether the pair of pivots in places k and k + 1 is to be proposed as one 2x2 pivot: not if they are as good one
/// after the other, the larger one first. Then they are so for every method, but the pair may not: it may be definite,
/// or too far from [0 d; d 0] to be written as a product with that.
template <Symmetry S, class T>
bool is_proposed_pair(const FrontColumns<T> &f, Index k)
{
  constexpr double most_skew = 16; // of the larger diagonal entry over the one beside it: then L is small between them
  const double skew = std::max(magnitude(f.d[k]), magnitude(f.d[k + 1])) / magnitude(f.off[k]);
  if (!has_signs<T, S>)
    return skew <= most_skew;
  return skew <= most_skew && real_part(determinant_of_pair(f, k, without_argument<S>(f.off[k]))) < 0;
}

} // namespace

template <Symmetry S, class T>
PivotSequence pivots_of(const FrontPlan &plan, const FrontStore<T> &store)
{
  PivotSequence pivots;
  pivots.start.assign(1, 0);
  for (Index s = 0; s < plan.tree.fronts(); ++s) {
    const FrontColumns<T> &f = store[s];
    for (Index k = 0; k < f.eliminated; ++k) {
      if (f.off[k] == T(0)) {
        pivots.row.push_back(f.row[k]);
        pivots.pair.push_back(0);
        continue;
      }
      const bool pair = is_proposed_pair<S>(f, k), exchanged = !pair && magnitude(f.d[k]) < magnitude(f.d[k + 1]);
      pivots.row.insert(pivots.row.end(), {f.row[k + exchanged], f.row[k + !exchanged]});
      pivots.pair.insert(pivots.pair.end(), {std::uint8_t(pair), 0});
      ++k;
    }
    pivots.start.push_back(static_cast<Index>(pivots.row.size()));
  }
  return pivots;
}

template DirectReport report_of<Symmetry::Symmetric>(const FrontPlan &, const FrontStore<double> &, FactorKind);
template DirectReport report_of<Symmetry::Symmetric>(const FrontPlan &, const FrontStore<Complex> &, FactorKind);
template DirectReport report_of<Symmetry::Hermitian>(const FrontPlan &, const FrontStore<Complex> &, FactorKind);
template ScaledProductOf<double> determinant_of<Symmetry::Symmetric>(const FrontPlan &, const FrontStore<double> &,
                                                                     FactorKind);
template ScaledProductOf<Complex> determinant_of<Symmetry::Symmetric>(const FrontPlan &, const FrontStore<Complex> &,
                                                                      FactorKind);
template ScaledProductOf<Complex> determinant_of<Symmetry::Hermitian>(const FrontPlan &, const FrontStore<Complex> &,
                                                                      FactorKind);
template PivotSequence pivots_of<Symmetry::Symmetric>(const FrontPlan &, const FrontStore<double> &);
template PivotSequence pivots_of<Symmetry::Symmetric>(const FrontPlan &, const FrontStore<Complex> &);
template PivotSequence pivots_of<Symmetry::Hermitian>(const FrontPlan &, const FrontStore<Complex> &);

} // namespace tessera
