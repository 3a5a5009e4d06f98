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

/* Sets the diagonal of the first `edges` rows. */
static inline PetscErrorCode SetFirstDiagonal(Mat A, PetscInt edges, PetscReal value)
{
  PetscFunctionBeginUser;
  for (PetscInt e = 0; e < edges; e++)
    PetscCall(MatSetValue(A, e, e, value, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [I B'; B 0], a row of I for each of the `edges` of an n x n grid, a row of B for each node but the first, with -1 and
   1 where an edge begins and ends: of a minimum of sums of squares subject to sums of flows. */
static inline PetscErrorCode CreateNetwork(PetscInt n, PetscInt *edges, Mat *A)
{
  PetscInt e = 0;

  PetscFunctionBeginUser;
  *edges = 2 * n * (n - 1);
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, *edges + n * n - 1, *edges + n * n - 1, 5, NULL, A));
  for (PetscInt direction = 0; direction < 2; direction++)
    for (PetscInt i = 0; i < n * n; i++) {
      const PetscInt end[2] = {i, direction ? i + n : i + 1};

      if (direction ? end[1] >= n * n : end[1] % n == 0)
        continue;
      for (PetscInt k = 0; k < 2; k++) {
        const PetscInt row = *edges + end[k] - 1;

        if (end[k] == 0)
          continue;
        PetscCall(MatSetValue(*A, e, row, k ? 1.0 : -1.0, INSERT_VALUES));
        PetscCall(MatSetValue(*A, row, e, k ? 1.0 : -1.0, INSERT_VALUES));
      }
      e++;
    }
  PetscCall(SetFirstDiagonal(*A, *edges, 1.0));
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
