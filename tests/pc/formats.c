static char help[] =
    "One system in every format that the factorizations read: their factors are to have the same bits.\n\
  -mat_block_size <bs>: of the symmetric format\n\n";

#include <petscksp.h>

#include "grid.h"

/* The same matrix from arrays of the caller's, the columns of each row backwards. *start and *column are to be freed
   after the matrix. */
static PetscErrorCode CreateFromArrays(Mat A, PetscInt **start, PetscInt **column, PetscScalar **value, Mat *B)
{
  PetscInt n, at = 0;
  MatInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(PetscMalloc3(n + 1, start, (PetscInt)info.nz_used, column, (PetscInt)info.nz_used, value));
  (*start)[0] = 0;
  for (PetscInt i = 0; i < n; i++) {
    PetscInt entries;
    const PetscInt *columns;
    const PetscScalar *values;

    PetscCall(MatGetRow(A, i, &entries, &columns, &values));
    for (PetscInt k = entries - 1; k >= 0; k--) {
      (*column)[at] = columns[k];
      (*value)[at++] = values[k];
    }
    PetscCall(MatRestoreRow(A, i, &entries, &columns, &values));
    (*start)[i + 1] = at;
  }
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, *start, *column, *value, B));
  PetscCall(MatSetOption(*B, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Verdict(const char format[], const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %s: %s\n", format, what, good ? "yes" : "NO"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Equal(Mat X, Mat Y, PetscBool *equal)
{
  Mat difference;
  PetscReal norm, size;

  PetscFunctionBeginUser;
  PetscCall(MatNorm(Y, NORM_FROBENIUS, &size));
  PetscCall(MatDuplicate(X, MAT_COPY_VALUES, &difference));
  PetscCall(MatAXPY(difference, -1.0, Y, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(difference, NORM_FROBENIUS, &norm));
  *equal = (PetscBool)(norm == 0.0 && size > 0.0);
  PetscCall(MatDestroy(&difference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Z = M⁻¹ R by all columns at a time; *one_by_one: an application to each column gives the same bits. */
static PetscErrorCode Apply(PC pc, Mat R, Mat Z, PetscBool *one_by_one)
{
  Mat Y;
  PetscInt columns;

  PetscFunctionBeginUser;
  PetscCall(PCMatApply(pc, R, Z));
  PetscCall(MatDuplicate(R, MAT_DO_NOT_COPY_VALUES, &Y));
  PetscCall(MatGetSize(R, NULL, &columns));
  for (PetscInt j = 0; j < columns; j++) {
    Vec r, y;

    PetscCall(MatDenseGetColumnVecRead(R, j, &r));
    PetscCall(MatDenseGetColumnVecWrite(Y, j, &y));
    PetscCall(PCApply(pc, r, y));
    PetscCall(MatDenseRestoreColumnVecWrite(Y, j, &y));
    PetscCall(MatDenseRestoreColumnVecRead(R, j, &r));
  }
  PetscCall(Equal(Z, Y, one_by_one));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors A and solves with it. *Z = M⁻¹ R is made if it is NULL, else compared with. */
static PetscErrorCode Run(const char format[], Mat A, Mat R, Mat *Z)
{
  KSP ksp;
  PC pc;
  Mat here;
  Vec b, x;
  PetscBool same;
  PetscReal rnorm, bnorm;
  PetscInt its;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, "sqmr"));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, 100));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(MatDuplicate(R, MAT_DO_NOT_COPY_VALUES, &here));
  PetscCall(Apply(pc, R, here, &same));
  PetscCall(Verdict(format, "all columns at a time give the bits of one by one", same));
  if (*Z) {
    PetscCall(Equal(here, *Z, &same));
    PetscCall(Verdict(format, "the same bits as in the first format", same));
    PetscCall(MatDestroy(&here));
  } else {
    *Z = here;
  }
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(A, x, b));
  PetscCall(VecNorm(b, NORM_2, &bnorm));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(KSPGetResidualNorm(ksp, &rnorm));
  PetscCall(Verdict(format, "solved", (PetscBool)(rnorm <= 1e-10 * bnorm)));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const MatType types[] = {MATSEQSBAIJ, MATSEQAIJPERM, MATSEQAIJCRL, MATSEQAIJSELL};
  Mat grid, symmetric, A, B, R, Z = NULL;
  PetscInt bs = 1, *start, *column;
  PetscScalar *value;
  PetscRandom random;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-mat_block_size", &bs, NULL));
  PetscCall(CreateGrid(24, -0.1, PETSC_TRUE, &grid));
  PetscCall(MatSetOption(grid, MAT_SYMMETRIC, PETSC_TRUE));
  /* through the symmetric format, so that all have the zeros that its blocks store */
  PetscCall(MatSetBlockSize(grid, bs));
  PetscCall(MatConvert(grid, MATSEQSBAIJ, MAT_INITIAL_MATRIX, &symmetric));
  PetscCall(MatConvert(symmetric, MATSEQAIJ, MAT_INITIAL_MATRIX, &A));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, 24 * 24, 5, NULL, &R));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(MatSetRandom(R, random));
  PetscCall(PetscRandomDestroy(&random));

  PetscCall(Run(MATSEQAIJ, A, R, &Z));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(types); i++) {
    PetscCall(MatConvert(A, types[i], MAT_INITIAL_MATRIX, &B));
    PetscCall(Run(types[i], B, R, &Z));
    PetscCall(MatDestroy(&B));
  }
  PetscCall(CreateFromArrays(A, &start, &column, &value, &B));
  PetscCall(Run("arrays", B, R, &Z));
  PetscCall(MatDestroy(&B));
  PetscCall(PetscFree3(start, column, value));

  PetscCall(MatDestroy(&grid));
  PetscCall(MatDestroy(&symmetric));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&R));
  PetscCall(MatDestroy(&Z));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: !complex double

   testset:
      output_file: output/formats_1.out
      args: -mat_block_size {{1 2}}
      test:
         suffix: 1
         args: -pc_type bildlt -ksp_max_it 3
      test:
         suffix: jldlt
         args: -pc_type jldlt -ksp_max_it 40

TEST*/
