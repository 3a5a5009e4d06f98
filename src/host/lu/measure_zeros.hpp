#ifndef TESSERA_HOST_LU_MEASURE_ZEROS_HPP
#define TESSERA_HOST_LU_MEASURE_ZEROS_HPP

#include "host/lu/lu_solve.hpp"

namespace tessera {

constexpr Offset most_measured = 256; ///< zero pivots of a root

/// What was measured of pivots that are 0 as far as an LU factor can tell.
struct MeasuredRoots {
  Offset measured = 0;  ///< pivots
  Offset uncertain = 0; ///< of those that are still 0: more than rounding of entries and errors explain
  bool known = true;    ///< false: some could not be measured, or the roots of their blocks have another rank than was
                        ///< measured
};

/// Measures what is left at the roots of diagonal blocks where no pivot was found, see SchurOfZeros, and makes pivots
/// of what is more than rounding, by singular values.
///
/// values: the caller's. Measures roots with at most 16 such pivots, and with up to most_measured where the matrix is
/// small.
template <class T>
MeasuredRoots measure_zeros(const LuPlan &plan, LuStore<T> &store, LuSolve<T> &solve, const T *values,
                            const DirectOptions &options);

} // namespace tessera
#endif
