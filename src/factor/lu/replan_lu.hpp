#ifndef TESSERA_FACTOR_LU_REPLAN_LU_HPP
#define TESSERA_FACTOR_LU_REPLAN_LU_HPP

#include "factor/front/replan.hpp"
#include "factor/lu/lu_plan.hpp"

namespace tessera {

/// Whether each front has eliminated its own rows and columns. Their order in the front makes no difference to the
/// work.
bool are_proposed(const LuPlan &plan, const PivotSequence &pivots);

/// The plan in which the row and the column of every pivot are a front's own where the factorization of `plan` has
/// eliminated them: with the same values and threshold no front has a column to delay. Fronts without a pivot are gone.
LuPlan replan(const LuPlan &plan, const PivotSequence &pivots);

} // namespace tessera
#endif
