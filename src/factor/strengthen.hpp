#ifndef TESSERA_FACTOR_STRENGTHEN_HPP
#define TESSERA_FACTOR_STRENGTHEN_HPP

#include "analysis/analysis.hpp"
#include "factor/options.hpp"

namespace tessera {

/// Drop tolerance for users who set none: nothing is dropped where the factor without dropping is cheap, counted
/// exactly by the symbolic factorization, and 1e-3 elsewhere.
double automatic_drop_tolerance(const Analysis &analysis, Offset matrix_entries);

/// What changed, or could not.
enum class Change {
  Factorization, ///< factor again with the changed FactorOptions
  Analysis,      ///< the AnalysisOptions changed: analyse again
  None           ///< there is nothing left to change
};

/// The next better factor: less dropping first, then more levels of fill, then rook pivoting.
Change strengthen(AnalysisOptions &analysis, FactorOptions &factor);

/// The next smaller factor, after one that exceeded the memory: more dropping.
Change weaken(FactorOptions &factor);

} // namespace tessera
#endif
