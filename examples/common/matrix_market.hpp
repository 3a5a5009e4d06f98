#ifndef EXAMPLES_MATRIX_MARKET_HPP
#define EXAMPLES_MATRIX_MARKET_HPP

#include "csr.hpp"
#include <string>
#include <vector>

namespace examples {

/// Reads a sparse matrix from the text of a Matrix Market file: coordinate; real, integer or pattern (values 1);
/// general, symmetric or skew-symmetric (both triangles are stored). `file` is named in messages. `symmetric` tells
/// whether the header says symmetric. Raises PETSC_ERR_FILE_UNEXPECTED with file name and line number for anything
/// malformed, out of range, not finite, truncated or too long.
PetscErrorCode ParseMatrixMarket(const std::string &file, const std::string &text, Csr *a, PetscBool *symmetric);

/// Reads one column from the text of a Matrix Market file: array; real or integer; general. Errors as above.
PetscErrorCode ParseMatrixMarketVector(const std::string &file, const std::string &text, std::vector<PetscScalar> *x);

/// Writes a whole matrix, with 17 digits so that reading it gives the same bits; of a symmetric one the lower triangle.
PetscErrorCode WriteMatrixMarket(const std::string &file, const Csr &a, PetscBool symmetric);

/// Writes a vector as an array of one column, with 17 digits.
PetscErrorCode WriteMatrixMarketVector(const std::string &file, PetscInt count, const PetscScalar *x);

} // namespace examples
#endif
