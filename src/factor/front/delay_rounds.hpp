#ifndef TESSERA_FACTOR_FRONT_DELAY_ROUNDS_HPP
#define TESSERA_FACTOR_FRONT_DELAY_ROUNDS_HPP

#include "factor/front/replan.hpp"

#include <optional>

namespace tessera {

/// Delays the columns of one matrix that a factorization without delays could not eliminate, from one factorization to
/// the next: each gives the plan for another, until all columns have a pivot. That is threshold pivoting (Duff & Reid
/// 1983) for a factorization whose fronts do not change their sizes while it runs.
///
/// A column that fails is first tried again behind the others of its front, once for all columns of a front: where
/// others fail then, as many have no pivot there. Then it is tried at the end of its parent. After that it passes 1, 3,
/// 7, ... further ancestors by, so that a column that is good nowhere but at the root gets there soon. At a root
/// columns are tried behind the others again and again, as long as they become fewer now and then.
class DelayRounds {
public:
  /// most_stalls: at a root, so many times at most columns that fail may be no fewer than before.
  explicit DelayRounds(int most_stalls) : most_stalls_(most_stalls) {}

  /// Where `failed` says so, [rows] in elimination order of the plan, the columns move. Columns of a front whose
  /// descendants have failed are not judged: their entries are not those of another factorization. Returns none where a
  /// column has no place left to be tried in.
  std::optional<PivotSequence> next(const FrontPlan &plan, const std::vector<std::uint8_t> &failed);

  /// Fronts that columns have moved up by, all together.
  Offset delayed() const { return delayed_; }

private:
  /// Where these columns of front s are to be tried, each of them, or -1. many: all that failed there.
  std::vector<Index> destinations(const AssemblyTree &tree, Index s, const std::vector<Index> &columns, Index many);

  /// The same at root s.
  Index destination_at_root(const AssemblyTree &tree, Index s, const std::vector<Index> &columns, Index many);

  const int most_stalls_;
  int stalls_ = 0;
  std::vector<Index>
      tried_; ///< [fronts of the next plan] the fewest columns that failed when some were tried behind the others, or 0
  std::vector<std::uint8_t> moves_; ///< [rows of the matrix] how often it went up
  Offset delayed_ = 0;
};

} // namespace tessera
#endif
