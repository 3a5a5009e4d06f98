#ifndef TESSERA_MAT_PLACE_HPP
#define TESSERA_MAT_PLACE_HPP

#include "seam/matrix.hpp"

/// Numbers of a matrix or vector in the memory where a factorization wants them. Numbers of the host that are wanted on
/// a GPU get there, and back, by way of a vector of PETSc's that is in both.
struct MatTesseraArray {
  const tessera::Place place;               ///< where they are wanted
  const bool written;                       ///< to be overwritten; else to be read
  PetscScalar *value = nullptr;             ///< in that place
  PetscInt leading = 0;                     ///< of several columns: how far one is from the next
  bool gaps = false;                        ///< between columns are numbers of others
  PetscScalar *own = nullptr;               ///< as the object has them
  PetscMemType memory = PETSC_MEMTYPE_HOST; ///< of `own`
  Vec copy = nullptr;                       ///< of `own`, if `value` is elsewhere
  TesseraMatValues values{};                ///< of a sparse matrix
};

PETSC_INTERN PetscErrorCode MatTesseraGetVec(Vec v, MatTesseraArray *array);
PETSC_INTERN PetscErrorCode MatTesseraRestoreVec(Vec v, MatTesseraArray *array);

/// The columns of a dense matrix. What is between columns stays as it is.
PETSC_INTERN PetscErrorCode MatTesseraGetDense(Mat B, MatTesseraArray *array);
PETSC_INTERN PetscErrorCode MatTesseraRestoreDense(Mat B, MatTesseraArray *array);

/// The values of a matrix that is to be factored, in the order that it stores them, to be read.
PETSC_INTERN PetscErrorCode MatTesseraGetValues(Mat A, MatTesseraArray *array);
PETSC_INTERN PetscErrorCode MatTesseraRestoreValues(Mat A, MatTesseraArray *array);

#endif
