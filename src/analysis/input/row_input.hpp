#ifndef TESSERA_ANALYSIS_INPUT_ROW_INPUT_HPP
#define TESSERA_ANALYSIS_INPUT_ROW_INPUT_HPP

#include "base/types.hpp"

namespace tessera {

/// A square matrix of any kind, of a complex one the magnitudes, and where each entry comes from in a caller's array of
/// values.
struct RowInput {
  Index row = -1, column = -1; ///< an entry that is stored twice, or -1
  Matrix matrix;
  std::vector<Offset> source; ///< [entries]
  /// [entries] where the mirror image of each comes from, if the matrix is symmetric to the last bit; else empty
  std::vector<Offset> mirror;
};

/// Reads n rows: row i has columns column[start[i]] .. column[start[i + 1] - 1] in any order. T: double or Complex.
template <class T>
RowInput read_rows(Index n, const Offset *start, const Index *column, const T *value);

/// The first row of a pattern with an entry that is not equal to its mirror image, or -1. source, mirror: as in
/// RowInput.
template <class T>
Index first_asymmetric_row(const Pattern &pattern, const std::vector<Offset> &source, const std::vector<Offset> &mirror,
                           const T *value);

} // namespace tessera
#endif
