#ifndef TESSERA_BENCHMARKS_ANY_PLAN_HPP
#define TESSERA_BENCHMARKS_ANY_PLAN_HPP

#include "factor/front/make_plan.hpp"
#include "factor/lu/make_lu_plan.hpp"

#include <numeric>

namespace tessera {

/// A plan of either kind, of a matrix whose values the caller stores in their order.
struct AnyPlan {
  PlanResult symmetric;
  LuPlanResult lu;

  AnyPlan(const Matrix &a, const PlanOptions &options, bool of_lu)
  {
    std::vector<Offset> source(a.value.size());
    std::iota(source.begin(), source.end(), 0);
    if (of_lu)
      lu = make_lu_plan(a, source, options);
    else
      symmetric = make_plan(a, source, options);
  }

  const FrontPlan &fronts(bool of_lu) const { return of_lu ? lu.plan.fronts : symmetric.plan; }
  const std::vector<StepTime> &steps(bool of_lu) const { return of_lu ? lu.steps : symmetric.steps; }
};

} // namespace tessera
#endif
