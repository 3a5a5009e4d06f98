#ifndef TESSERA_HOST_LU_MEASURE_ZEROS_HPP
#define TESSERA_HOST_LU_MEASURE_ZEROS_HPP

#include "host/front/solve/measure_left_out.hpp"
#include "host/lu/lu_solve.hpp"

namespace tessera {

/// Measures what is left at the roots of diagonal blocks where no pivot was found, and makes pivots of what is more
/// than rounding, by singular values. values: the caller's.
template <class T>
MeasuredRoots measure_zeros(const LuPlan &plan, LuStore<T> &store, LuSolve<T> &solve, const T *values,
                            const DirectOptions &options);

} // namespace tessera
#endif
