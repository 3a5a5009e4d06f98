#ifndef TESSERA_HOST_FRONT_SOLVE_CORRECT_PIVOTS_HPP
#define TESSERA_HOST_FRONT_SOLVE_CORRECT_PIVOTS_HPP

#include "host/front/front_columns.hpp"

namespace tessera {

/// What a pivot is known to be, [a b; b c] or a alone, of a Hermitian matrix [a b̄; b c] with real a and c, and
/// magnitudes of a and c that may be nothing but rounding.
template <class T>
struct MeasuredPivot {
  T a = 0, b = 0, c = 0;
  double rounding_a = 0, rounding_c = 0;
};

/// How many of its eigenvalues, or where these are not real its singular values, may be nothing but rounding: with rows
/// scaled so that it is 1.
template <Symmetry S, class T>
int zeros_of(const MeasuredPivot<T> &measured, bool two);

/// Corrects the pivot in place k of a front, 1x1 or 2x2, after its elimination: eigenvalues that may be nothing but
/// rounding become pivots that are 0, and where others have another sign than measured, the pivot gets the measured
/// value. A 2x2 pivot that keeps one eigenvalue becomes two 1x1 pivots. The front stays a factor of what it was one of,
/// but for changes of the size of what the pivot has wrong. Where eigenvalues are not real, singular values take their
/// place, and the pivot gets the measured value where it differs from that by as much as the smallest of them.
template <Symmetry S, class T>
void correct_pivot(FrontColumns<T> &front, Index k, const MeasuredPivot<T> &measured);

} // namespace tessera
#endif
