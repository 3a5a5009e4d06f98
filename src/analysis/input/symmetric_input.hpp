#ifndef TESSERA_ANALYSIS_INPUT_SYMMETRIC_INPUT_HPP
#define TESSERA_ANALYSIS_INPUT_SYMMETRIC_INPUT_HPP

#include "base/symmetry.hpp"
#include "base/types.hpp"

namespace tessera {

/// A symmetric or Hermitian matrix with both triangles stored, and where each entry comes from in a caller's array of
/// values. An entry and its mirror image have one source, so the matrix is symmetric to the last bit, and stays so with
/// other values.
struct SymmetricInput {
  enum Status {
    Ok,
    Repeated,    ///< row `row` has column `column` twice
    Nonsymmetric ///< entries (row, column) and (column, row) differ
  } status = Ok;
  Symmetry symmetry = Symmetry::Symmetric; ///< of a complex matrix
  Index row = -1, column = -1;
  Matrix matrix;              ///< of a complex one the magnitudes
  std::vector<Offset> source; ///< [entries] see entry_at(); of a Hermitian matrix one of two mirror images has ~
};

/// Reads n rows that store both triangles: row i has columns column[start[i]] .. in any order. Entries are equal if
/// they differ by at most 1e-10 times the larger of the largest entries of their rows; one that is not stored counts as
/// 0. With check_symmetry false nothing is refused: an entry and its mirror image are believed to be equal.
///
/// Of two entries that are not equal to the last bit, as assembly leaves them, the one above the diagonal stands for
/// both, as if only the upper triangle were stored; where only one of the two is stored, that one. A value below the
/// diagonal that is not finite stands for both too, so that none is overlooked.
///
/// T: double or Complex. A complex matrix is symmetric or Hermitian. With check_symmetry it is what its values come
/// nearer to, Hermitian if they are both; without it what is `said`, but one that is said to be symmetric and has no
/// imaginary parts is Hermitian.
template <class T>
SymmetricInput read_full(Index n, const Offset *start, const Index *column, const T *value, bool check_symmetry,
                         Symmetry said = Symmetry::Symmetric);

/// Reads n block rows that store the upper triangle in square blocks, column-major in each; of the diagonal blocks,
/// the upper triangle counts. Block row i has the block columns column[start[i]] .. said: as without check_symmetry
/// above.
template <class T>
SymmetricInput read_upper_blocks(Index n, Index block_size, const Offset *start, const Index *column, const T *value,
                                 Symmetry said = Symmetry::Symmetric);

} // namespace tessera
#endif
