/* The system that the programs of this folder solve, and what they say of the solution. */
#ifndef SADDLE_POINT_H
#define SADDLE_POINT_H

#include <petscksp.h>

/* [O K; K 0] with 2n rows, K = tridiag(-1, 3, -1) and O = diag(0, 1, 0, 1, ...): three quarters of the diagonal are
   zero, so that a factorization in the given order ends in its first row unless it pivots. n eigenvalues are positive
   and n are negative. The solution of A x = b is 1, 2, 3, ... */
static PetscErrorCode CreateSystem(PetscInt n, Mat *A, Vec *b, Vec *x)
{
  PetscInt first, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 2 * n, 2 * n, 4, NULL, 4, NULL, A));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt row = first; row < end; row++) {
    const PetscInt i = row % n, other = row < n ? n : 0;

    for (PetscInt j = PetscMax(i - 1, 0); j <= PetscMin(i + 1, n - 1); j++)
      PetscCall(MatSetValue(*A, row, other + j, i == j ? 3.0 : -1.0, INSERT_VALUES));
    PetscCall(MatSetValue(*A, row, row, row < n && i % 2 ? 1.0 : 0.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));

  PetscCall(MatCreateVecs(*A, x, b));
  for (PetscInt row = first; row < end; row++)
    PetscCall(VecSetValue(*x, row, row + 1, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(*x));
  PetscCall(VecAssemblyEnd(*x));
  PetscCall(MatMult(*A, *x, *b));
  PetscCall(VecZeroEntries(*x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves the system and prints the types that solved it; *solved is whether the true relative residual is below 1e-8.
 */
static PetscErrorCode Solve(KSP ksp, Vec b, Vec x, PetscBool *solved)
{
  PC pc;
  KSPType method;
  PCType preconditioner;
  MatSolverType solver = NULL;
  KSPConvergedReason reason;
  Mat A;
  Vec r;
  PetscReal residual, size;

  PetscFunctionBeginUser;
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAXPY(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, &residual));
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(VecDestroy(&r));

  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetType(ksp, &method));
  PetscCall(PCGetType(pc, &preconditioner));
  PetscCall(PCFactorGetMatSolverType(pc, &solver));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  *solved = (PetscBool)(reason > 0 && residual <= 1e-8 * size); /* false for NaN */
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %s %s: %s\n", method, preconditioner, solver ? solver : "none",
                        *solved ? "solved" : "NOT SOLVED"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
