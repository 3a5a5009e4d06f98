#ifndef TESSERA_FACTOR_OPTIONS_HPP
#define TESSERA_FACTOR_OPTIONS_HPP

#include "analysis/types.hpp"
#include "tile/pivoting.hpp"

namespace tessera {

struct FactorOptions {
  Pivoting pivoting = Pivoting::rook;
  double perturbation = 1e-6; ///< pivots below this, relative to the largest entry of the scaled matrix, are replaced
  double drop_tolerance = 0;  ///< columns of tiles with all entries at most this times their row's norm are dropped
  /// Entries that a block row may keep above its diagonal tile, relative to the entries of A there (for a row in which
  /// A has none: to the average over all block rows); 0: no limit. Of more, the columns with the largest entries
  /// relative to their rows' norms are kept, of equal ones the first. What a row leaves of its share is granted to
  /// later rows, in the order of the level sets and in block order inside a level, so that the ratio holds for the
  /// whole factor above the diagonal tiles (thesis 5.3.2 and Alg. 10). Rows are then computed level by level.
  double fill_ratio = 0;
  Offset max_entries = 0; ///< entries that the factor may have in all; 0: no limit
};

/// What a factorization did. Counts of pivots are exact.
struct FactorReport {
  enum Status {
    Complete,
    NonFinite,  ///< an entry of A, or of the factor by overflow, is an infinity or a NaN
    OverBudget, ///< stopped when more than max_entries would have been kept
  } status = Complete;
  Offset one_by_one = 0, two_by_two = 0; ///< pivots; a 2x2 counts once
  Offset zero = 0;                       ///< pivots that are 0: the matrix is singular as far as the factor goes
  Offset perturbed = 0;                  ///< pivots that were too small and were replaced
  Offset negative = 0, positive = 0;     ///< eigenvalues of D by sign, perturbed ones included
  Offset entries = 0;                    ///< stored entries of the factor
  double growth = 0;                     ///< largest entry of a diagonal tile before its factorization, over A's
};

} // namespace tessera
#endif
