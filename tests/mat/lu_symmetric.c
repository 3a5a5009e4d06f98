static char help[] = "MATSOLVERTESSERA: LU of matrices that are symmetric, cease to be, and are so again.\n\n";

#include "saddle_point.h"

/* Whether x solves the transposed system. */
static PetscErrorCode CheckTransposed(Mat A, Vec x, Vec b)
{
  Mat transposed;

  PetscFunctionBeginUser;
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &transposed));
  PetscCall(CheckSolution("  solves transposed", transposed, x, b, 1e-14));
  PetscCall(MatDestroy(&transposed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors A, and shows what the factor is and what it is good for. */
static PetscErrorCode Factor(const char what[], Mat F, Mat A, PetscBool symbolic)
{
  PetscViewer viewer = PETSC_VIEWER_STDOUT_SELF;
  PetscBool forward, inertia;
  Vec x, b;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s:\n", what));
  if (symbolic)
    PetscCall(MatLUFactorSymbolic(F, A, NULL, NULL, NULL));
  PetscCall(MatLUFactorNumeric(F, A, NULL));
  PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
  PetscCall(MatView(F, viewer));
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(SetRandom(b));
  PetscCall(MatSolve(F, b, x));
  PetscCall(CheckSolution("  solves", A, x, b, 1e-14));
  PetscCall(MatSolveTranspose(F, b, x));
  PetscCall(CheckTransposed(A, x, b));
  PetscCall(MatHasOperation(F, MATOP_FORWARD_SOLVE, &forward));
  PetscCall(MatHasOperation(F, MATOP_GET_INERTIA, &inertia));
  PetscCall(Verdict("  has what LU has", (PetscBool)(!forward && !inertia)));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetEntry(Mat A, PetscInt i, PetscInt j, PetscScalar x)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetValue(A, i, j, x, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A value that is not finite is that, and no asymmetry. */
static PetscErrorCode FactorInfinity(Mat F, Mat A)
{
  MatFactorError error;

  PetscFunctionBeginUser;
  PetscCall(MatLUFactorSymbolic(F, A, NULL, NULL, NULL));
  PetscCall(SetEntry(A, 3, 4, 1 / (PetscReal)0));
  PetscCall(MatLUFactorNumeric(F, A, NULL));
  PetscCall(MatFactorGetError(F, &error));
  PetscCall(Verdict("an infinity fails", (PetscBool)(error == MAT_FACTOR_NUMERIC_ZEROPIVOT)));
  PetscCall(SetEntry(A, 3, 4, -1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A, F;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CreateSaddlePoint(9, 1.0, 3, &A));
  PetscCall(MatGetFactor(A, "tessera", MAT_FACTOR_LU, &F));
  PetscCall(Factor("symmetric", F, A, PETSC_TRUE));
  PetscCall(SetEntry(A, 5, 5, 7.0));
  PetscCall(Factor("with another diagonal", F, A, PETSC_FALSE));
  PetscCall(FactorInfinity(F, A));
  PetscCall(Factor("and finite again", F, A, PETSC_FALSE));
  PetscCall(SetEntry(A, 3, 4, -1.5));
  PetscCall(Factor("no longer symmetric", F, A, PETSC_FALSE));
  PetscCall(SetEntry(A, 3, 4, -1.0));
  PetscCall(Factor("symmetric again", F, A, PETSC_FALSE));
  PetscCall(Factor("analysed again", F, A, PETSC_TRUE));
  PetscCall(SetEntry(A, 3, 4, -1.0 - PETSC_MACHINE_EPSILON));
  PetscCall(Factor("but for the last bit", F, A, PETSC_TRUE));
  PetscCall(SetEntry(A, 3, 4, -1.0));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_FALSE));
  PetscCall(Factor("said not to be", F, A, PETSC_TRUE));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double

   testset:
      filter: grep -E "^[a-z].*:|direct solver:|:.*(yes|NO)"
      output_file: output/lu_symmetric.out
      test:
         args: -mat_tessera_reuse_pivots {{false true}} -mat_tessera_pivot_threshold {{0.01 0}}
      test:
         suffix: cuda
         requires: cuda
         args: -mat_type aijcusparse -mat_tessera_backend {{auto host cuda}}
   test:
      suffix: dense
      args: -mat_type dense
      filter: grep -E "direct solver:|:.*(yes|NO)" | sort -u

TEST*/
