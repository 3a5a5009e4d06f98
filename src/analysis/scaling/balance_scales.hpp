#ifndef TESSERA_ANALYSIS_SCALING_BALANCE_SCALES_HPP
#define TESSERA_ANALYSIS_SCALING_BALANCE_SCALES_HPP

#include "base/types.hpp"

namespace tessera {

/// Gives row and column i of a square matrix the same scale factor, the geometric mean of both, where by these no entry
/// gets larger than 1.014, and the largest one of each row and column is at least 1/2. That is so for entries a_ij and
/// a_ji whose magnitudes differ by at most 3 %: those of a symmetric matrix, and of one that is so but for signs.
/// Factors whose quotients are within 2^12 of each other stay.
///
/// The scale factors of a maximum-product matching are not unique. Those of a general matching may multiply the rows of
/// a symmetric matrix by 2^50 times what its columns are multiplied by, or by 2^-50; pivots that are large by them are
/// nothing beside the entries of the other triangle. With the means the matching stays optimal: its transpose is one,
/// too, so that factors of rows and columns may be exchanged.
///
/// log2_row, log2_col: [rows] base-2 logarithms, as match() returns them for a finite matrix, overwritten.
void balance_scales(const Matrix &matrix, std::vector<double> &log2_row, std::vector<double> &log2_col);

} // namespace tessera
#endif
