#ifndef TESSERA_HOST_FRONT_SOLVE_MEASURE_ROOTS_HPP
#define TESSERA_HOST_FRONT_SOLVE_MEASURE_ROOTS_HPP

#include "host/front/solve/front_solve.hpp"
#include "host/front/solve/measure_left_out.hpp"

namespace tessera {

/// Measures what an L D Lᵀ or L D Lᴴ leaves to the roots of its trees, see DirectOptions::leaves_out, and makes pivots
/// of what is more than rounding: by eigenvalues where these are real, else by singular values. values: the caller's.
template <class T, Symmetry S>
MeasuredRoots measure_roots(const FrontPlan &plan, FrontStore<T> &store, FrontSolve<T, S> &solve, const T *values,
                            const DirectOptions &options);

} // namespace tessera
#endif
