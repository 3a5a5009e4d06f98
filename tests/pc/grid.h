#ifndef GRID_H
#define GRID_H

#include <petscmat.h>

/* Five-point Laplacian on an n x n grid plus shift I; with_corner adds two entries far from the diagonal. */
static PetscErrorCode CreateGrid(PetscInt n, PetscReal shift, PetscBool with_corner, Mat *A)
{
  PetscBool symmetric;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n * n, n * n, n * n, n * n));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(PetscObjectTypeCompare((PetscObject)*A, MATSEQSBAIJ, &symmetric));
  if (symmetric)
    PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  for (PetscInt i = 0; i < n * n; i++) {
    PetscCall(MatSetValue(*A, i, i, 4.0 + shift, INSERT_VALUES));
    if (i % n > 0) {
      PetscCall(MatSetValue(*A, i, i - 1, -1.0, INSERT_VALUES));
      PetscCall(MatSetValue(*A, i - 1, i, -1.0, INSERT_VALUES));
    }
    if (i >= n) {
      PetscCall(MatSetValue(*A, i, i - n, -1.0, INSERT_VALUES));
      PetscCall(MatSetValue(*A, i - n, i, -1.0, INSERT_VALUES));
    }
  }
  if (with_corner) {
    PetscCall(MatSetValue(*A, 0, n * n - 1, 0.5, INSERT_VALUES));
    PetscCall(MatSetValue(*A, n * n - 1, 0, 0.5, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Changes the values and changes them back, so that the next setup factors again. */
PETSC_UNUSED static PetscErrorCode TouchValues(Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(MatScale(A, -1.0));
  PetscCall(MatScale(A, -1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
