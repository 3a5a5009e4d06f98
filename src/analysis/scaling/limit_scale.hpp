#ifndef TESSERA_ANALYSIS_SCALING_LIMIT_SCALE_HPP
#define TESSERA_ANALYSIS_SCALING_LIMIT_SCALE_HPP

#include "base/types.hpp"

namespace tessera {

/// How far the scale factors of a matching may be from those of an equilibration: base-2 logarithms.
constexpr double most_apart_symmetric = 12, most_apart_general = 40;

/// Brings the scale factors of a symmetric maximum-product matching to within 2^12 of those of an equilibration, row by
/// row. By that no entry of the scaled matrix gets larger than 1, but for the tolerance of the equilibration.
///
/// Where an entry is matched that is nothing beside all others of its row, as may be in a matrix that is nearly
/// singular, factors are as far apart as that entry is small; along a chain of matched rows that adds up, past the
/// range of a double. Rounding errors of a factorization of the scaled matrix are, beside the entries of the matrix, as
/// large as the factors of row and column are small: more than refinement can mend, and than zero pivots can be told
/// by. With 2^12 they leave it seven digits.
///
/// symmetric: both triangles. log2_scale: [rows] as match_symmetric() returns them, overwritten; none, of a matrix that
/// is not finite, stay none.
void limit_scale(const Matrix &symmetric, std::vector<double> &log2_scale);

/// The same of the rows and columns of any square matrix, with 2^40: refinement mends more of LU, and with less
/// some matrices have many more delayed columns. log2_row, log2_col: as match() returns them, overwritten.
/// Factors of a matrix of 2^30 rows or more stay as they are: its equilibration would have too many.
void limit_scales(const Matrix &matrix, std::vector<double> &log2_row, std::vector<double> &log2_col);

} // namespace tessera
#endif
