#ifndef TESSERA_SEAM_MATRIX_HPP
#define TESSERA_SEAM_MATRIX_HPP

#include "analysis/input/row_input.hpp"
#include "base/first_error.hpp"
#include "factor/operator.hpp"

#include <petscmat.h>

/// Values of a sequential matrix in the order that it stores them, to be read until TesseraMatRestoreValues().
struct TesseraMatValues {
  const PetscScalar *value;
  tessera::Place place;
  bool from_csr; ///< gotten from MatSeqAIJGetCSRAndMemType(), which wants nothing back
  bool from_sbaij;
  PetscObjectState state; ///< of the matrix
};

/// An error unless the matrix is square, has at most 2^31 - 1 rows and is of a type that a
/// preconditioner can read. type: of the preconditioner.
PETSC_INTERN PetscErrorCode TesseraMatCheck(Mat A, const char type[]);

/// Whether the values of the matrix are kept in device memory.
PETSC_INTERN PetscErrorCode TesseraMatOnDevice(Mat A, PetscBool *on_device);

/// The values, in device memory if that is `wanted` and the matrix keeps them there, else on the host.
PETSC_INTERN PetscErrorCode TesseraMatGetValues(Mat A, tessera::Place wanted, TesseraMatValues *values);
PETSC_INTERN PetscErrorCode TesseraMatRestoreValues(Mat A, TesseraMatValues *values);

/// The rows of a matrix of type aij, on the host. An error if it has an entry twice. What the C++ code throws is kept
/// in `error`.
PETSC_INTERN PetscErrorCode TesseraMatReadRows(Mat A, tessera::RowInput *input, tessera::FirstError *error);

/// Flags all columns of a dense matrix as VecFlag() does, so that no solver takes them for numbers. MatFlag() is not in
/// PETSc 3.25, whose MatSetInf() knows no dense matrices.
PETSC_INTERN PetscErrorCode TesseraMatFlag(Mat X);

#endif
