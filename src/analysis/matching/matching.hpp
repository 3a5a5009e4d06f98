#ifndef TESSERA_ANALYSIS_MATCHING_MATCHING_HPP
#define TESSERA_ANALYSIS_MATCHING_MATCHING_HPP

#include "analysis/matching/costs.hpp"

namespace tessera {

/// A maximum-product matching of the rows of a square matrix to its columns, and the scaling that comes with it.
///
/// With u = row_dual and v = col_dual (base-2 logarithms) every entry of the scaled matrix 2^u_i a_ij 2^v_j has
/// magnitude at most 1, and matched entries have magnitude 1, both up to the factor 2^(2^-20): the matching works with
/// logarithms rounded to multiples of 2^-19. These two properties prove that no other matching of the same rows and
/// columns has a larger product of magnitudes (linear programming duality).
///
/// Where that takes too long for a symmetric matrix, some matched entries are smaller, the others as said: then the
/// largest product of magnitudes is 2^excess times that of the matching at most.
///
/// In a structurally singular matrix the matching has maximum cardinality, and unmatched rows and columns are scaled
/// so that their largest entry has magnitude 1; the dual of an empty row or column is 0.
struct Matching {
  MatrixStatus status = MatrixStatus::usable; ///< if not usable, only faulty_row is set besides
  Index faulty_row = -1;                      ///< first row with an infinity or a NaN
  Index cardinality = 0;                      ///< number of matched rows: the structural rank
  double excess = 0;                          ///< 0: the matching is optimal; else a bound on how far it is from that
  std::vector<Index> column;                  ///< [rows] the column matched to each row, -1 for none
  std::vector<double> row_dual;               ///< [rows]
  std::vector<double> col_dual;               ///< [cols]
};

/// Maximum-product matching of a square matrix (Duff & Koster 2001). Stored zeros are not entries.
/// Multiplying the matrix by a number does not change the matching. For LU: see preprocess_unsymmetric.
Matching match(const Matrix &a);

/// Maximum-product matching of a symmetric matrix, both triangles stored, with equal row and column duals, so that
/// the scaled matrix is symmetric (Duff & Pralet 2005, section 2, take the mean of both; here they are equal all
/// along). It consists of single rows, pairs and odd cycles. If the matrix is structurally singular, unmatched rows are
/// also unmatched columns: the matching is one of a structurally nonsingular principal submatrix (as in section 2.2
/// there). A matrix with |a_ij|^2 <= |a_ii a_jj|, such as a positive definite one, is recognised in one pass: its
/// matching is the identity.
Matching match_symmetric(const Matrix &a);

} // namespace tessera
#endif
