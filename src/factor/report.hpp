#ifndef TESSERA_FACTOR_REPORT_HPP
#define TESSERA_FACTOR_REPORT_HPP

#include "base/portable.hpp"
#include "base/types.hpp"

#include <string>

namespace tessera {

/// Pivots of many tiles.
struct PivotSums {
  Offset one_by_one = 0, two_by_two = 0; ///< pivots; a 2x2 counts once
  Offset zero = 0;                       ///< pivots that are 0: the matrix is singular as far as the factor goes
  Offset perturbed = 0;                  ///< pivots that were too small and were replaced
  Offset negative = 0, positive = 0;     ///< eigenvalues of D by sign, perturbed ones included

  /// Adds the pivots of a tile, or other sums.
  template <class Counts>
  TESSERA_BOTH void add_pivots(const Counts &counts)
  {
    one_by_one += counts.one_by_one;
    two_by_two += counts.two_by_two;
    zero += counts.zero;
    perturbed += counts.perturbed;
    negative += counts.negative;
    positive += counts.positive;
  }
};

/// What a factorization did, as far as all of them have it: one that has more to say has a report of its own, with this
/// one in it. Counts of pivots are exact. one_by_one + 2 two_by_two = rows = negative + positive + zero.
struct FactorReport : PivotSums {
  enum Status {
    Complete,
    NonFinite,  ///< an entry of A, or of the factor by overflow, is an infinity or a NaN
    OverBudget, ///< stopped when more memory than allowed would have been taken
  } status = Complete;
  Offset entries = 0; ///< entries of the factor, one triangle and D
  double growth = 0;  ///< largest entry of a matrix left to factor, over the largest of A or its norm
};

/// Which count of two reports differs, in words; empty where none does. Of factorizations that did not succeed only
/// the status is compared: how far each came depends on the order of its work.
std::string difference(const FactorReport &one, const FactorReport &other);

} // namespace tessera
#endif
