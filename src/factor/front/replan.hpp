#ifndef TESSERA_FACTOR_FRONT_REPLAN_HPP
#define TESSERA_FACTOR_FRONT_REPLAN_HPP

#include "factor/front/front_plan.hpp"

namespace tessera {

/// Operations of a plan of found pivots, over those of the plan of the analysis, from which on it is dropped for that.
constexpr double most_plan_growth = 2;

/// The pivots that a factorization found, front by front, in their order.
struct PivotSequence {
  std::vector<Index> start;       ///< [fronts + 1]
  std::vector<Index> row;         ///< [rows] in the elimination order of the plan
  std::vector<std::uint8_t> pair; ///< [rows] 1: this row and the next one are a 2x2 pivot
  std::vector<Index> column;      ///< [rows] of the pivots of LU, in the same order; else empty
};

/// What becomes of 2x2 pivots that begin at an odd place of their front, where a panel could tear them apart.
enum class OddPairs {
  Reorder, ///< the first 1x1 pivot after such a one comes before it, or where there is none, the last one before comes
           ///< after all that follow: entries of L are others than they were
  Split    ///< the front ends before it, and its parent begins with it: the order stays
};

/// The fronts of a tree that have a pivot, with these as their own columns; without rows below.
AssemblyTree tree_of_pivots(const AssemblyTree &old, const PivotSequence &pivots, OddPairs odd = OddPairs::Reorder);

/// Whether these are the pivots that the plan proposes, each in its place.
bool are_proposed(const FrontPlan &plan, const PivotSequence &pivots);

/// The plan in which every column is a front's own where the factorization of `plan` has eliminated it, in that order
/// but for odd pairs: with the same values and threshold nothing is delayed. Fronts without a pivot are gone.
FrontPlan replan(const FrontPlan &plan, const PivotSequence &pivots, OddPairs odd = OddPairs::Reorder);

} // namespace tessera
#endif
