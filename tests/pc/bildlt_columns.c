static char help[] =
    "PCBILDLT applied to several right-hand sides at a time: dense matrices on the host or on the GPU.\n\n";

#include <petscksp.h>

#include "grid.h"

/* A dense matrix of the kind that goes with A, its columns `leading` values apart. */
static PetscErrorCode CreateColumns(Mat A, PetscInt columns, PetscInt leading, Mat *X)
{
  PetscInt m;
  VecType type;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &m, NULL));
  PetscCall(MatGetVecType(A, &type));
  PetscCall(MatCreateDenseFromVecType(PETSC_COMM_SELF, type, m, columns, m, columns, leading, NULL, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Verdict(const char what[], PetscInt columns, PetscBool good)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%" PetscInt_FMT " columns, %s: %s\n", columns, what, good ? "yes" : "NO"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Z = M⁻¹ R by all columns, or by transposes of them, has the bits of an application to each. */
static PetscErrorCode RunApply(PC pc, Mat R, Mat Z, PetscBool transpose, PetscBool *same)
{
  PetscInt columns;
  Mat A;
  Vec one;

  PetscFunctionBeginUser;
  PetscCall(PCGetOperators(pc, &A, NULL));
  PetscCall(MatCreateVecs(A, &one, NULL));
  PetscCall(MatGetSize(R, NULL, &columns));
  if (transpose) {
    PetscCall(PCMatApplyTranspose(pc, R, Z));
  } else {
    PetscCall(PCMatApply(pc, R, Z));
  }
  *same = PETSC_TRUE;
  for (PetscInt j = 0; j < columns; j++) {
    Vec r, z;
    PetscReal difference, norm;

    PetscCall(MatDenseGetColumnVecRead(R, j, &r));
    PetscCall(PCApply(pc, r, one));
    PetscCall(MatDenseRestoreColumnVecRead(R, j, &r));
    PetscCall(VecNorm(one, NORM_2, &norm));
    PetscCall(MatDenseGetColumnVecRead(Z, j, &z));
    PetscCall(VecAXPY(one, -1.0, z));
    PetscCall(MatDenseRestoreColumnVecRead(Z, j, &z));
    PetscCall(VecNorm(one, NORM_INFINITY, &difference));
    if (difference != 0.0 || !(norm > 0.0))
      *same = PETSC_FALSE;
  }
  PetscCall(VecDestroy(&one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(KSP ksp, PetscInt columns, PetscInt padding)
{
  PC pc;
  Mat A, R, Z, C;
  PetscInt m;
  PetscReal rnorm, bnorm;
  PetscRandom random;
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(MatGetSize(A, &m, NULL));
  PetscCall(CreateColumns(A, columns, m + padding, &R));
  PetscCall(CreateColumns(A, columns, m + 2 * padding, &Z));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(MatSetRandom(R, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(RunApply(pc, R, Z, PETSC_FALSE, &same));
  PetscCall(Verdict("the same as one by one", columns, same));
  PetscCall(RunApply(pc, R, Z, PETSC_TRUE, &same));
  PetscCall(Verdict("transposed", columns, same));
  PetscCall(KSPMatSolve(ksp, R, Z));
  PetscCall(MatMatMult(A, Z, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatAXPY(C, -1.0, R, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(C, NORM_FROBENIUS, &rnorm));
  PetscCall(MatNorm(R, NORM_FROBENIUS, &bnorm));
  PetscCall(Verdict("solved", columns, (PetscBool)(rnorm <= 1e-10 * bnorm)));
  PetscCall(MatDestroy(&R));
  PetscCall(MatDestroy(&Z));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A failed factor makes no column look like a number. */
static PetscErrorCode RunFailed(KSP ksp)
{
  PC pc;
  Mat A, R, Z;
  PetscInt m;
  PetscBool numbers = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(MatGetSize(A, &m, NULL));
  PetscCall(MatScale(A, 0.0));
  PetscCall(CreateColumns(A, 3, m, &R));
  PetscCall(CreateColumns(A, 3, m, &Z));
  PetscCall(MatShift(R, 1.0));
  PetscCall(PCSetUp(pc));
  PetscCall(PCMatApply(pc, R, Z));
  for (PetscInt j = 0; j < 3; j++) {
    Vec z;
    PetscReal norm;

    PetscCall(MatDenseGetColumnVecRead(Z, j, &z));
    PetscCall(VecNorm(z, NORM_2, &norm));
    PetscCall(MatDenseRestoreColumnVecRead(Z, j, &z));
    if (!PetscIsInfOrNanReal(norm))
      numbers = PETSC_TRUE;
  }
  PetscCall(Verdict("of a failed factor no numbers", 3, (PetscBool)!numbers));
  PetscCall(MatDestroy(&R));
  PetscCall(MatDestroy(&Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;
  KSP ksp;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CreateGrid(23, -0.73, PETSC_FALSE, &A));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, "bildlt"));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(Run(ksp, 1, 0));
  PetscCall(Run(ksp, 7, 5));
  PetscCall(RunFailed(ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: !complex double

   testset:
      output_file: output/bildlt_columns_1.out
      test:
         suffix: 1
         args: -pc_bildlt_drop_tolerance 0 -pc_bildlt_block_size {{2 32}} -mat_type {{aij sbaij}}
      test:
         suffix: cuda
         requires: cuda
         args: -mat_type {{aij aijcusparse}} -pc_bildlt_backend {{auto cuda host}}

TEST*/
