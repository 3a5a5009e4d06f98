#ifndef TESSERA_TILE_PIVOTING_HPP
#define TESSERA_TILE_PIVOTING_HPP

#include <cstdint>

namespace tessera {

/// How LDLᵀ chooses its pivots.
enum class Pivoting {
  none,          ///< the given order; 1x1, and 2x2 where two rows are a matched pair
  bunch_kaufman, ///< partial pivoting: at most two columns looked at per step (Bunch & Kaufman 1977)
  rook, ///< bounded Bunch-Kaufman: an entry that is (up to a factor 2) largest in its row and its column, so that
        ///< |L| is bounded, by 2 (Ashcraft, Grimes & Lewis 1998). All rows are searched at the same time
  full  ///< the largest entry of all (Bunch & Parlett 1971): ldlt_full
};

/// What the pivots of one tile were. one_by_one + 2 two_by_two = n = negative + positive + zero.
struct PivotCounts {
  std::int32_t one_by_one;
  std::int32_t two_by_two;
  std::int32_t perturbed; ///< pivots (1x1 or 2x2) replaced because they were below delta
  std::int32_t zero;      ///< 1x1 pivots that are 0 in D; their columns of L are unit vectors
  std::int32_t negative;  ///< negative eigenvalues of D
  std::int32_t positive;  ///< positive eigenvalues of D
  std::int32_t nonfinite; ///< 1 if the tile had a NaN or an infinity or grew one: L and D are of the zero matrix
};

} // namespace tessera
#endif
