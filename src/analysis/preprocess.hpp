#ifndef TESSERA_ANALYSIS_PREPROCESS_HPP
#define TESSERA_ANALYSIS_PREPROCESS_HPP

#include "analysis/matching/costs.hpp"
#include "analysis/preprocessing.hpp"
#include "analysis/steps.hpp"

namespace tessera {

/// Scale factors and pairs of a symmetric matrix.
struct SymmetricPreprocessing {
  MatrixStatus status = MatrixStatus::usable; ///< if not usable, only faulty_row is of use besides
  Index faulty_row = -1;                      ///< first row with an infinity or a NaN
  Index structural_rank = -1;                 ///< known with Preprocessing::Matching only
  double matching_excess = 0;                 ///< of that matching: see Matching::excess
  std::vector<Index> column;  ///< [rows] matched to each row, -1: none; with Preprocessing::Matching only
  Index pairs = 0;            ///< that the matching proposes
  std::vector<double> scale;  ///< [rows] powers of two, of row and column
  std::vector<Index> partner; ///< [rows] the other row of its pair; itself without one
};

/// Scales a symmetric matrix (both triangles) and pairs its rows; these steps go to the clock. No pairs without
/// pair_rows.
SymmetricPreprocessing preprocess_symmetric(const Matrix &matrix, Preprocessing preprocessing, bool pair_rows,
                                            StepClock &clock);

/// Scale factors of a square matrix of any kind, and the column that each row is to have on the diagonal.
struct UnsymmetricPreprocessing {
  MatrixStatus status = MatrixStatus::usable; ///< if not usable, only faulty_row is of use besides
  Index faulty_row = -1;                      ///< first row with an infinity or a NaN
  Index structural_rank = 0;                  ///< rows whose entry (i, column[i]) is stored and not 0
  std::vector<double> row_scale, col_scale;   ///< [rows] powers of two
  std::vector<Index> column;                  ///< [rows] a permutation
};

/// Scales a square matrix and chooses its diagonal by its matching, for LU. Rows without a matched column get the
/// columns that are left, both in ascending order.
UnsymmetricPreprocessing preprocess_unsymmetric(const Matrix &matrix, StepClock &clock);

} // namespace tessera
#endif
