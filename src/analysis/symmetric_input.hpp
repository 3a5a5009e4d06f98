#ifndef TESSERA_ANALYSIS_SYMMETRIC_INPUT_HPP
#define TESSERA_ANALYSIS_SYMMETRIC_INPUT_HPP

#include "analysis/types.hpp"

namespace tessera {

/// A symmetric matrix with both triangles stored, and where each entry comes from in a caller's array of values.
struct SymmetricInput {
  enum Status {
    Ok,
    Repeated,    ///< row `row` has column `column` twice
    Nonsymmetric ///< entries (row, column) and (column, row) differ
  } status = Ok;
  Index row = -1, column = -1;
  Matrix matrix;
  std::vector<Offset> source; ///< [entries]
};

/// Reads n rows that store both triangles: row i has columns column[start[i]] .. in any order. An entry whose mirror
/// image is not stored must be 0. Entries are equal if they differ by at most 1e-10 times the larger of the largest
/// entries of their rows. With check_symmetry false nothing is compared: an
/// entry and its mirror image are believed to be equal, and what is stored of them stands for both.
SymmetricInput read_full(Index n, const Index *start, const Index *column, const double *value, bool check_symmetry);

/// Reads n block rows that store the upper triangle in square blocks, column-major in each; of the diagonal blocks,
/// the upper triangle counts. Block row i has the block columns column[start[i]] ..
SymmetricInput read_upper_blocks(Index n, Index block_size, const Index *start, const Index *column,
                                 const double *value);

} // namespace tessera
#endif
