#ifndef TESSERA_HOST_FRONT_FRONT_REPORT_HPP
#define TESSERA_HOST_FRONT_FRONT_REPORT_HPP

#include "factor/front/replan.hpp"
#include "host/front/front_store.hpp"

namespace tessera {

/// Counts what a complete factorization did. Eigenvalues of D have signs where the matrix is real or Hermitian; else
/// they are counted as neither negative nor positive.
template <Symmetry S, class T>
DirectReport report_of(const FrontPlan &plan, const FrontStore<T> &store, FactorKind kind);

/// The determinant of a matrix by its complete factor.
template <Symmetry S, class T>
ScaledProductOf<T> determinant_of(const FrontPlan &plan, const FrontStore<T> &store, FactorKind kind);

/// The pivots that a complete factorization took, as a plan may propose them: pairs that are as good as two 1x1 pivots
/// are these, the larger one first.
template <Symmetry S, class T>
PivotSequence pivots_of(const FrontPlan &plan, const FrontStore<T> &store);

} // namespace tessera
#endif
