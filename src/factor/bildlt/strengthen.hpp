#ifndef TESSERA_FACTOR_BILDLT_STRENGTHEN_HPP
#define TESSERA_FACTOR_BILDLT_STRENGTHEN_HPP

#include "analysis/analysis.hpp"
#include "factor/bildlt/options.hpp"
#include "factor/report.hpp"

namespace tessera {

/// Drop tolerance for users who set none: 1e-3, or nothing is dropped where that would save nothing or little. These
/// are complete factors that fit the memory and
/// - are cheap, counted exactly by the symbolic factorization;
/// - or cost no more than some tens of their applications, as many as dropping costs in iterations;
/// - or end dense: no two rows of the block are far from each other and hardly an entry is small.
/// With low_fill 1e-2: what few levels of fill leave out is more than that drops.
/// max_entries: entries that the factor may have, 0 for no limit.
double automatic_drop_tolerance(const Analysis &analysis, Offset matrix_entries, Offset max_entries);

/// Whether a factor with these options is the complete one.
bool keeps_all(const Analysis &analysis, const FactorOptions &options);

/// Perturbation for users who set none, relative as FactorOptions::perturbation. A factor that drops something is no
/// better for small pivots that are exact, but their large columns drown others: 1e-6. In one that keeps all, stored in
/// double precision, a pivot is replaced only where it may be rounding, as a numerical rank is found: below the
/// rounding of 1 times the rows, of which at least 64 are counted. Replacing it by 1e-6 changes a matrix whose smallest
/// eigenvalues are 1e-9 beyond recognition, and the pivot is harmless if its column is as small. exact: the factor
/// keeps all.
double automatic_perturbation(bool exact, Index rows);

/// Replaces more pivots, after a factorization with the perturbation of an exact factor that small ones have done harm
/// to: what they let grow was rounded to fewer than ten digits, and the probe has noticed. probe: the relative residual
/// of a probe solve, which the first application of an exact factor brings to rounding; negative if there was none.
/// Returns whether the options changed.
bool replace_more_pivots(const FactorReport &report, double probe, FactorOptions &factor);

/// What changed, or could not.
enum class Change {
  Factorization, ///< factor again with the changed FactorOptions
  Analysis,      ///< the AnalysisOptions changed: analyse again
  None           ///< there is nothing left to change
};

/// The next better factor: less dropping first, then more levels of fill, then the pairs whose rows were apart, then
/// rook pivoting; after low_fill at once the one that the automatic level takes where complete fill is not costly. A
/// factor that kept half of the complete one or more is followed by that, if it fits the memory. `made` and `report`
/// say what `factor` led to.
Change strengthen(const Analysis &made, const FactorReport &report, AnalysisOptions &analysis, FactorOptions &factor);

/// The next smaller factor, after one that exceeded the memory: more dropping.
Change weaken(FactorOptions &factor);

} // namespace tessera
#endif
