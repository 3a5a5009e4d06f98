#ifndef TESSERA_HOST_FRONT_CORRECT_PIVOTS_HPP
#define TESSERA_HOST_FRONT_CORRECT_PIVOTS_HPP

#include "host/front/front_columns.hpp"

namespace tessera {

/// What a pivot is known to be, [a b; b c] or a alone, and magnitudes of a and c that may be nothing but rounding.
struct MeasuredPivot {
  double a = 0, b = 0, c = 0;
  double rounding_a = 0, rounding_c = 0;
};

/// Corrects the pivot in place k of a front, 1x1 or 2x2, after its elimination: eigenvalues that may be nothing but
/// rounding become pivots that are 0, and where others have another sign than measured, the pivot gets the measured
/// value. A 2x2 pivot that keeps one eigenvalue becomes two 1x1 pivots. The front stays a factor of what it was one of,
/// but for changes of the size of what the pivot has wrong.
void correct_pivot(FrontColumns &front, Index k, const MeasuredPivot &measured);

} // namespace tessera
#endif
