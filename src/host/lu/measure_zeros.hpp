#ifndef TESSERA_HOST_LU_MEASURE_ZEROS_HPP
#define TESSERA_HOST_LU_MEASURE_ZEROS_HPP

#include "host/lu/lu_solve.hpp"

namespace tessera {

/// Measures what is left at the roots of an LU factor where pivots are 0 as far as it can tell, and makes pivots of
/// what is more than rounding. The Schur complement of all other pivots is Yᵀ A X, where A X is 0 in all rows but these
/// and Aᵀ Y in all columns but these; with compensated sums it has an error of second order only.
///
/// values: the caller's. Measures roots with at most 16 such pivots.
template <class T>
void measure_zeros(const LuPlan &plan, LuStore<T> &store, LuSolve<T> &solve, const T *values,
                   const DirectOptions &options);

} // namespace tessera
#endif
