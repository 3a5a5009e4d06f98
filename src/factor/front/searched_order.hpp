#ifndef TESSERA_FACTOR_FRONT_SEARCHED_ORDER_HPP
#define TESSERA_FACTOR_FRONT_SEARCHED_ORDER_HPP

#include "base/portable.hpp"
#include "factor/front/replan.hpp"

namespace tessera {

constexpr Index searched_panel = 32; ///< columns of a front among which a device searches pivots

/// Where a search has found a column's pivot, among those of its panel; of LU place() is the row of the panel. All bits
/// 0: there was no search.
struct SearchedPlace {
  std::uint8_t bits;

  static TESSERA_BOTH SearchedPlace at(int place, bool in_pair)
  {
    return {static_cast<std::uint8_t>(128 | (in_pair ? 64 : 0) | place)};
  }
  TESSERA_BOTH bool is_found() const { return bits != 0; }
  TESSERA_BOTH int place() const { return bits & 31; }
  TESSERA_BOTH bool in_pair() const { return bits & 64; }
};

/// [fronts] Columns of panels in which there was a search that takes longer than to know what it finds: of LU none of
/// fronts that a warp has in its registers. place: [rows].
std::vector<Index> searched_columns(const FrontPlan &plan, const std::vector<SearchedPlace> &place);

/// The pivots of a plan of LDLᵀ in the order in which searches in panels have found them, where there was one; else in
/// that of the plan. place: [rows]. A factorization of the same values with these pivots has no need to search.
PivotSequence searched_order(const FrontPlan &plan, const std::vector<SearchedPlace> &place);

} // namespace tessera
#endif
