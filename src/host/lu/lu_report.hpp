#ifndef TESSERA_HOST_LU_LU_REPORT_HPP
#define TESSERA_HOST_LU_LU_REPORT_HPP

#include "factor/front/replan.hpp"
#include "factor/lu/lu_plan.hpp"
#include "host/lu/lu_front.hpp"

namespace tessera {

/// Counts what a complete LU factorization did.
template <class T>
DirectReport report_of(const LuPlan &plan, const LuStore<T> &store);

/// The determinant of a matrix by its complete factor.
template <class T>
ScaledProductOf<T> determinant_of(const LuPlan &plan, const LuStore<T> &store);

/// The pivots that it took.
template <class T>
PivotSequence pivots_of(const LuPlan &plan, const LuStore<T> &store);

} // namespace tessera
#endif
