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
  /// [entries] see mirror_images(); empty for a matrix with an entry that is stored twice, too
  std::vector<Offset> mirror;
};

/// Reads n rows: row i has columns column[start[i]] .. column[start[i + 1] - 1] in any order. T: double or Complex.
template <class T>
RowInput read_rows(Index n, const Offset *start, const Index *column, const T *value);

} // namespace tessera
#endif
