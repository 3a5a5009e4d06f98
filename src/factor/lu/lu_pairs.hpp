#ifndef TESSERA_FACTOR_LU_LU_PAIRS_HPP
#define TESSERA_FACTOR_LU_LU_PAIRS_HPP

#include "analysis/preprocess.hpp"
#include "factor/lu/lu_plan.hpp"

#include <optional>

namespace tessera {

/// A matrix whose rows and columns LU may eliminate as LDLᵀ does those of a symmetric one: pairs of rows together with
/// the columns of the same numbers. What is left of a pair's diagonal has its pivots beside it, in the same front.
struct LuPairs {
  RowColumnPairs columns; ///< of each row the column of its number, but in diagonal blocks that have not all of these
  Matrix means;           ///< on symmetrized_blocks() of those: sqrt |a_ij a_ji| beside the diagonal, a_ii on it
  SymmetricPreprocessing ready; ///< of `means`
};

/// Finds such pairs where a matching moves columns. A permutation of the columns gives a symmetric pattern up: each row
/// then meets what its own column met and what its new one does, and factors take up to ten times the operations.
///
/// A diagonal block of n rows keeps the given columns where the best matching that has a_ji wherever it has a_ij, by
/// their means (Duff & Pralet 2005), is worse by a factor of 2^(n / 2) in the product of its entries: pivots would be
/// delayed. None is returned where pairs are no matter: few of the entries are in rows that get another column, or the
/// pattern has no more entries with the given ones.
///
/// given: the matched columns of all rows, and diagonal blocks; symmetrized: symmetrized_blocks() of those.
std::optional<LuPairs> find_lu_pairs(const Matrix &matrix, const RowColumnPairs &given, const Pattern &symmetrized);

} // namespace tessera
#endif
