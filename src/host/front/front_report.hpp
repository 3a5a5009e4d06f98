#ifndef TESSERA_HOST_FRONT_FRONT_REPORT_HPP
#define TESSERA_HOST_FRONT_FRONT_REPORT_HPP

#include "factor/front/replan.hpp"
#include "host/front/front_store.hpp"

namespace tessera {

/// Counts what a complete factorization did.
DirectReport report_of(const FrontPlan &plan, const FrontStore &store, FactorKind kind);

/// The determinant of a matrix by its complete factor.
ScaledProduct determinant_of(const FrontPlan &plan, const FrontStore &store, FactorKind kind);

/// The pivots that a complete factorization took.
PivotSequence pivots_of(const FrontPlan &plan, const FrontStore &store);

} // namespace tessera
#endif
