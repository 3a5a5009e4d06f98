#ifndef TESSERA_HOST_FRONT_SOLVE_MEASURE_PIVOTS_HPP
#define TESSERA_HOST_FRONT_SOLVE_MEASURE_PIVOTS_HPP

#include "host/front/solve/front_solve.hpp"

namespace tessera {

/// Measures the uncertain pivots of a factor L D Lᵀ again and corrects them (correct_pivot). With v = L⁻ᵀ e_k and the
/// matrix A itself, pivot d_k is vᵀ A v (Rayleigh's quotient); with L⁻ᴴ and vᴴ for L D Lᴴ. The elimination's d_k has
/// all rounding errors of the eliminations before it, which grow with the matrix; an error of v enters vᵀ A v by its
/// square only, and the product is computed with twice the digits. What may be nothing but rounding is
/// measured_rounding(). That is a bound, from the mass of a pivot, of what errors of v may make of it. They make rᵀ
/// A₁₁⁻¹ r of it, where r is A v in the rows before k and A₁₁ the part of A there: a pivot that is taken for 0 by the
/// bound alone, while that is something else, stays uncertain. So does one with more than rounding beside it, of up to
/// 128 columns of a front at a time.
///
/// values: the caller's, of the matrix that was factored. Measures at least 64 columns, where there are as many, and
/// then until that took more than `most` additions and multiplications; pivots that are left stay uncertain.
template <class T, Symmetry S>
void measure_pivots(const FrontPlan &plan, FrontStore<T> &store, FrontSolve<T, S> &solve, const T *values, double most);

} // namespace tessera
#endif
