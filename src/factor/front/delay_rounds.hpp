#ifndef TESSERA_FACTOR_FRONT_DELAY_ROUNDS_HPP
#define TESSERA_FACTOR_FRONT_DELAY_ROUNDS_HPP

#include "factor/front/replan.hpp"

#include <optional>

namespace tessera {

/// Delays the columns of one matrix that a factorization without delays could not eliminate, from one factorization to
/// the next: each gives the plan for another, until all columns have a pivot. That is threshold pivoting (Duff & Reid
/// 1983) for a factorization whose fronts do not change their sizes while it runs.
///
/// A column that fails is first tried again behind the others of its front, then at the end of its parent. After that
/// it passes 1, 3, 7, ... further ancestors by, so that a column that is good nowhere but at the root gets there soon.
class DelayRounds {
public:
  /// Where `failed` says so, [rows] in elimination order of the plan, the columns move. Columns of a front whose
  /// descendants have failed are not judged: their entries are not those of another factorization. Returns none where a
  /// column has no place left to be tried in.
  std::optional<PivotSequence> next(const FrontPlan &plan, const std::vector<std::uint8_t> &failed);

  /// Fronts that columns have moved up by, all together.
  Offset delayed() const { return delayed_; }

private:
  /// Where a column that failed in front s is to be tried, or -1.
  Index destination(const AssemblyTree &tree, Index s, Index column);

  std::vector<std::uint8_t> was_behind_; ///< [rows of the matrix] it has been tried behind its front's others
  std::vector<std::uint8_t> moves_;      ///< [rows of the matrix] how often it went up
  Offset delayed_ = 0;
};

} // namespace tessera
#endif
