#ifndef TESSERA_FACTOR_FRONT_RESCALE_HPP
#define TESSERA_FACTOR_FRONT_RESCALE_HPP

#include "factor/front/front_plan.hpp"

namespace tessera {

/// Whether the largest magnitude of a row is between 1/4 and 4, or 0.
bool is_scaled(double largest);

/// The magnitudes of the entries of a plan's matrix with these values, in the order that the plan was told of.
template <class T>
Matrix magnitudes_of(const FrontPlan &plan, const T *values);

/// Whether the scale factors of a plan go with these values of its matrix: the largest entry of every row that has one
/// is between 1/4 and 4 once it is scaled. Those of a matching or an equilibration leave entries between 1/2 and 2,
/// for the values that they were made of. values: in the order that the plan was told of.
template <class T>
bool scale_fits(const FrontPlan &plan, const T *values);

/// Renews the scale factors of a plan for other values of its matrix, by the preprocessing of its analysis, and
/// balances those of its pairs, and of those that the matching of these values would propose, as make_plan() does.
/// Order and pairs stay. A matrix with an infinity or a NaN leaves the plan as it is. Returns whether they are others
/// than before: the best ones may still not fit, by scale_fits(). The result is the same for every number of threads.
template <class T>
bool rescale(FrontPlan &plan, const T *values);

} // namespace tessera
#endif
