#ifndef TESSERA_FACTOR_BILDLT_OPTIONS_HPP
#define TESSERA_FACTOR_BILDLT_OPTIONS_HPP

#include "base/types.hpp"
#include "tile/pivoting.hpp"

namespace tessera {

/// Of a block incomplete LDLᵀ.
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
  Offset max_entries =
      0; ///< entries that the factor may have in all, diagonal tiles included; 0: no limit. With more it stops
};

} // namespace tessera
#endif
