#ifndef TESSERA_HOST_FRONT_FRONT_REPORT_HPP
#define TESSERA_HOST_FRONT_FRONT_REPORT_HPP

#include "host/front/front_store.hpp"

namespace tessera {

/// Counts what a complete factorization did.
DirectReport report_of(const FrontPlan &plan, const FrontStore &store, FactorKind kind);

} // namespace tessera
#endif
