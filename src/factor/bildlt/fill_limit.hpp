#ifndef TESSERA_FACTOR_BILDLT_FILL_LIMIT_HPP
#define TESSERA_FACTOR_BILDLT_FILL_LIMIT_HPP

#include "analysis/tiles/block_structure.hpp"
#include "factor/bildlt/options.hpp"

namespace tessera {

/// Which columns of a block row are kept: those with scores above `score`, and the first `ties` of those equal to it.
struct ScoreCut {
  float score;
  Offset ties;

  /// Whether the next column, taken in ascending order, is kept.
  bool keeps(float x) { return x > score || (x == score && ties-- > 0); }
};

/// The cut that keeps the `most` columns of largest score out of those above the tolerance; of equal ones, the first.
/// score: [columns]. The score at the cut is found by bisection over the bits of the floats, whose order is that of
/// the scores, which are not negative.
ScoreCut cut_scores(const float *score, Index columns, float tolerance, Offset most);

/// Entries that block rows may keep above the diagonal tiles (FactorOptions::fill_ratio), handed out in block order
/// inside each level set, level by level (thesis 5.3.2 and Alg. 10, but with the same result for every number of
/// threads).
class FillLimit {
public:
  static constexpr Offset most = 1000000000000000000; ///< of a share, and of what is left over: sums fit an Offset

  FillLimit(const BlockStructure &structure, double fill_ratio);

  /// Entries that block row b may keep, before what earlier rows leave.
  Offset share(Index b) const;

  /// Columns that block row b may keep when it wants to keep `wanted`. To be called for all rows in order: what a row
  /// leaves of its own share is granted to later ones.
  Offset grant(Index b, Offset wanted);

private:
  const BlockStructure &structure_;
  double ratio_;
  double average_ = 0; ///< entries of A above the diagonal tile, over all block rows
  Offset leftover_ = 0;

  Offset entries_of_matrix(Index b) const;
};

} // namespace tessera
#endif
