#ifndef TESSERA_FACTOR_FRONT_SINGULAR_DISTANCE_HPP
#define TESSERA_FACTOR_FRONT_SINGULAR_DISTANCE_HPP

#include "base/portable.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {

/// What was measured of a solution x of A x = b.
struct MeasuredSolution {
  double error;           ///< scaled backward error, see RefinementOptions
  double singular_within; ///< see SingularDistance; -1 of a solution of 0
};

/// How far A is from a singular matrix at most, as solutions tell: any vector x is a null vector of a matrix whose
/// entries differ from those of A by a part of each, and the least such part is the largest |A x|_i / (|A| |x|)_i of
/// all rows i (Oettli & Prager 1964, with a right-hand side of zero). Solutions that are large beside their right-hand
/// side make it small. It does not depend on the scale of rows and columns.
struct SingularDistance {
  double least = -1;        ///< of all solutions; -1: none was measured
  bool is_rounding = false; ///< as one of them shows, A may be singular but for rounding: of its entries, for those of
                            ///< a null vector are rounded as well, and it is not found to the last digit; or of the
                            ///< solve, by whose errors solutions have no correct digits then

  /// Takes another solution.
  void take(const MeasuredSolution &x)
  {
    constexpr double of_entries = 8 * std::numeric_limits<double>::epsilon(), most = 1e-13;
    if (x.singular_within >= 0)
      take(SingularDistance{x.singular_within, x.singular_within <= std::max(of_entries, std::min(2 * x.error, most))});
  }

  /// Takes what other solutions tell.
  void take(const SingularDistance &other)
  {
    if (other.least >= 0 && !(least >= 0 && least <= other.least))
      least = other.least;
    is_rounding = is_rounding || other.is_rounding;
  }
};

/// |A x|_i over (|A| |x|)_i for a row. Infinite where nothing is known of it.
TESSERA_BOTH inline double part_of_magnitudes(double product, double magnitudes)
{
  if (magnitudes == 0)
    return 0;
  return std::isfinite(magnitudes) ? product / magnitudes : INFINITY;
}

} // namespace tessera
#endif
