#ifndef TESSERA_BASE_TYPES_HPP
#define TESSERA_BASE_TYPES_HPP

#include <cstdint>
#include <vector>

namespace tessera {

using Index = std::int32_t;  ///< a row, a column or a block: at most 2^31 - 1 of them
using Offset = std::int64_t; ///< a position among stored entries: there may be more of them than rows

/// A loop over fewer rows is not worth waking a thread, which takes as long, and ten times that on a busy machine.
constexpr Index parallel_rows = 3000;

/// Pattern of a sparse matrix by rows (CSR): row i has the columns column[start[i]] .. column[start[i + 1] - 1],
/// ascending and without repetition.
struct Pattern {
  Index rows = 0;
  Index cols = 0;
  std::vector<Offset> start = {0}; ///< [rows + 1]
  std::vector<Index> column;       ///< [start[rows]]

  Offset entries() const { return start[rows]; }
};

/// A sparse matrix by rows: its pattern and the value of each stored entry. A symmetric matrix stores both triangles.
struct Matrix {
  Pattern pattern;
  std::vector<double> value; ///< [pattern.entries()]
};

} // namespace tessera
#endif
