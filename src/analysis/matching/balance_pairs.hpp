#ifndef TESSERA_ANALYSIS_MATCHING_BALANCE_PAIRS_HPP
#define TESSERA_ANALYSIS_MATCHING_BALANCE_PAIRS_HPP

#include "base/types.hpp"

namespace tessera {

/// Brings the scale factors of the two rows of a pair closer to each other: one is multiplied by the power of two that
/// divides the other, so that the entry that couples them stays as it is. An entry of the row that is multiplied gets
/// no larger than 1 by that. The scaling of a maximum-product matching is one of many, and its search may end where one
/// factor is small and the other large for no entry's sake; the rounding errors of a factorization of the scaled matrix
/// are then far larger than the entries of the matrix, in rows with small factors.
///
/// symmetric: both triangles. partner: [rows] as find_pairs returns it. scale: [rows] powers of two, overwritten. Goes
/// up to 8 times through the entries of the rows in pairs.
void balance_pairs(const Matrix &symmetric, const std::vector<Index> &partner, std::vector<double> &scale);

} // namespace tessera
#endif
