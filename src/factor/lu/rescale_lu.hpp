#ifndef TESSERA_FACTOR_LU_RESCALE_LU_HPP
#define TESSERA_FACTOR_LU_RESCALE_LU_HPP

#include "factor/lu/lu_plan.hpp"

namespace tessera {

/// Whether the scale factors of a plan go with these values of its matrix: the largest entry of every row and of every
/// column that has one is between 1/4 and 4 once it is scaled. values: in the order that the plan was told of.
template <class T>
bool scale_fits(const LuPlan &plan, const T *values);

/// Renews the scale factors of a plan for other values of its matrix by another matching, of which nothing else is
/// taken. A matrix with an infinity or a NaN leaves the plan as it is. Returns whether they are others than before. The
/// result is the same for every number of threads.
template <class T>
bool rescale(LuPlan &plan, const T *values);

} // namespace tessera
#endif
