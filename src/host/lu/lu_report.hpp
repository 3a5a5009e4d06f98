#ifndef TESSERA_HOST_LU_LU_REPORT_HPP
#define TESSERA_HOST_LU_LU_REPORT_HPP

#include "factor/front/replan.hpp"
#include "factor/lu/lu_plan.hpp"
#include "host/lu/lu_front.hpp"

namespace tessera {

/// Counts what a complete LU factorization did.
DirectReport report_of(const LuPlan &plan, const LuStore &store);

/// The pivots that it took.
PivotSequence pivots_of(const LuPlan &plan, const LuStore &store);

} // namespace tessera
#endif
