#ifndef TESSERA_ANALYSIS_MATCHING_SYMMETRIC_PAIRS_HPP
#define TESSERA_ANALYSIS_MATCHING_SYMMETRIC_PAIRS_HPP

#include "analysis/matching/matching.hpp"
#include "base/bunch_kaufman.hpp"

namespace tessera {

/// Splits the cycles of a symmetric matrix's matching (from match_symmetric) into 1x1 and 2x2 pivots and returns each
/// row's partner: itself for a 1x1. Unmatched rows are 1x1.
///
/// - A cycle of two rows is a pair.
/// - A longer even cycle has two divisions into pairs; both have the same product of matched entries (1, as scaled), so
///   the larger product of the determinants |a_ii a_jj - a_ij^2| of the scaled 2x2 blocks decides.
/// - An odd cycle leaves one row out, again for the largest product of determinants, that row's diagonal among them;
///   one with a nonzero diagonal if there is any.
///   (Duff & Pralet 2005, section 3; Hagemann & Schenk 2006, section 3.)
/// - A pair is given up for two 1x1 pivots if both scaled diagonals reach diagonal_threshold: both rows may then be
///   pivots wherever the ordering puts them, in any order. One large diagonal is not enough, because the other row
///   might come first. A threshold above 1 keeps all pairs.
///
/// Ties go to the division that starts at the cycle's lowest row. Linear in the rows, but for one search of the
/// diagonal in each row of a cycle.
std::vector<Index> find_pairs(const Matrix &symmetric, const Matching &matching,
                              double diagonal_threshold = bunch_kaufman_constant<double>);

/// How many pairs there are among rows with these partners.
Index count_pairs(const std::vector<Index> &partner);

} // namespace tessera
#endif
