static char help[] = "MATSOLVERTESSERA: every kind of solve, with vectors and dense matrices of every layout.\n\n";

#include "saddle_point.h"

/* Factors A without a PC. */
static PetscErrorCode CreateFactor(Mat A, Mat *F)
{
  MatFactorInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetFactor(A, "tessera", MAT_FACTOR_CHOLESKY, F));
  PetscCall(MatCholeskyFactorSymbolic(*F, A, NULL, &info));
  PetscCall(MatCholeskyFactorNumeric(*F, A, &info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By halves, which a backend may not have. */
static PetscErrorCode SolveHalves(Mat A, Mat F, Vec b, PetscBool definite)
{
  Vec x, y;
  PetscScalar left, right;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(MatForwardSolve(F, b, y));
  PetscCall(MatBackwardSolve(F, y, x));
  PetscCall(CheckSolution("MatForwardSolve and MatBackwardSolve", A, x, b, 1e-12));
  if (definite) { /* x = L^-T b, so that x'b = b'(L^-1 b) = y'b */
    PetscCall(MatBackwardSolve(F, b, x));
    PetscCall(VecDot(x, b, &left));
    PetscCall(VecDot(y, b, &right));
    PetscCall(
        Verdict("halves are transposes", (PetscBool)(PetscAbsScalar(left - right) <= 1e-12 * PetscAbsScalar(left))));
    PetscCall(VecDot(y, y, &left)); /* y'y = b' A^-1 b */
    PetscCall(MatSolve(F, b, x));
    PetscCall(VecDot(x, b, &right));
    PetscCall(
        Verdict("halves split the inverse", (PetscBool)(PetscAbsScalar(left - right) <= 1e-12 * PetscAbsScalar(left))));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveVectors(Mat A, Mat F, PetscBool definite)
{
  Vec b, x, y;
  PetscBool halves = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(SetRandom(b));
  PetscCall(MatSolve(F, b, x));
  PetscCall(CheckSolution("MatSolve", A, x, b, 1e-14));
  PetscCall(MatSolveTranspose(F, b, x));
  PetscCall(CheckSolution("MatSolveTranspose", A, x, b, 1e-14));
  PetscCall(VecSet(y, 1.0));
  PetscCall(MatSolveAdd(F, b, y, x));
  PetscCall(VecAXPY(x, -1.0, y));
  PetscCall(CheckSolution("MatSolveAdd", A, x, b, 1e-12));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-halves", &halves, NULL));
  if (halves)
    PetscCall(SolveHalves(A, F, b, definite));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest backward error of the columns of X. */
static PetscErrorCode LargestError(Mat A, Mat X, Mat B, PetscReal *largest)
{
  PetscInt columns;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(B, NULL, &columns));
  *largest = 0;
  for (PetscInt j = 0; j < columns; j++) {
    Vec b, x;
    PetscReal error = 0;

    PetscCall(MatDenseGetColumnVecRead(B, j, &b));
    PetscCall(MatDenseGetColumnVecRead(X, j, &x));
    PetscCall(BackwardError(A, x, b, &error));
    *largest = PetscMax(*largest, error);
    PetscCall(MatDenseRestoreColumnVecRead(X, j, &x));
    PetscCall(MatDenseRestoreColumnVecRead(B, j, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B and X are columns of larger matrices: what is around X must stay. */
static PetscErrorCode SolveColumns(Mat A, Mat F, PetscInt columns, PetscInt gap, PetscBool transposed)
{
  Mat wholeB, wholeX, B, X;
  PetscInt n;
  PetscReal largest, around = 0;
  PetscScalar *value;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatCreate(PETSC_COMM_SELF, &wholeB));
  PetscCall(MatSetSizes(wholeB, n + gap, columns, n + gap, columns));
  PetscCall(MatSetOptionsPrefix(wholeB, "columns_"));
  PetscCall(MatSetType(wholeB, MATDENSE));
  PetscCall(MatSetFromOptions(wholeB));
  PetscCall(MatSetUp(wholeB));
  for (PetscInt j = 0; j < columns; j++) {
    Vec b;

    PetscCall(MatDenseGetColumnVecWrite(wholeB, j, &b));
    PetscCall(SetRandom(b));
    PetscCall(VecScale(b, 1.0 + j));
    PetscCall(MatDenseRestoreColumnVecWrite(wholeB, j, &b));
  }
  PetscCall(MatDuplicate(wholeB, MAT_COPY_VALUES, &wholeX));
  PetscCall(MatDenseGetArray(wholeX, &value));
  for (PetscInt i = 0; i < (n + gap) * columns; i++)
    value[i] = 77.0;
  PetscCall(MatDenseRestoreArray(wholeX, &value));
  PetscCall(MatDenseGetSubMatrix(wholeB, 0, n, 0, columns, &B));
  PetscCall(MatDenseGetSubMatrix(wholeX, 0, n, 0, columns, &X));
  PetscCall(transposed ? MatMatSolveTranspose(F, B, X) : MatMatSolve(F, B, X));
  PetscCall(LargestError(A, X, B, &largest));
  PetscCall(MatDenseRestoreSubMatrix(wholeB, &B));
  PetscCall(MatDenseRestoreSubMatrix(wholeX, &X));
  PetscCall(MatDenseGetArray(wholeX, &value));
  for (PetscInt j = 0; j < columns; j++)
    for (PetscInt i = n; i < n + gap; i++)
      around = PetscMax(around, PetscAbsScalar(value[j * (n + gap) + i] - 77.0));
  PetscCall(MatDenseRestoreArray(wholeX, &value));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s of %" PetscInt_FMT " columns, %" PetscInt_FMT " apart: %s, around: %s\n",
                        transposed ? "MatMatSolveTranspose" : "MatMatSolve", columns, gap,
                        largest <= 1e-14 ? "yes" : "NO", around == 0 ? "yes" : "NO"));
  PetscCall(MatDestroy(&wholeB));
  PetscCall(MatDestroy(&wholeX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With solutions in place of the right-hand sides, as MatMatSolve() allows. */
static PetscErrorCode SolveInPlace(Mat A, Mat F, PetscInt columns)
{
  Mat B, X;
  PetscInt n;
  PetscReal largest;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_SELF, n, columns, n, columns, NULL, &B));
  PetscCall(MatSetOptionsPrefix(B, "columns_"));
  PetscCall(MatSetFromOptions(B));
  PetscCall(MatSetRandom(B, NULL));
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &X));
  PetscCall(MatMatSolve(F, X, X));
  PetscCall(LargestError(A, X, B, &largest));
  PetscCall(Verdict("MatMatSolve in place", (PetscBool)(largest <= 1e-14)));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (int definite = 0; definite < 2; definite++) {
    Mat A, F;

    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", definite ? "definite" : "indefinite"));
    PetscCall(CreateSaddlePoint(12, 0.1, definite ? 0 : 4, &A));
    PetscCall(MatSetOption(A, MAT_SPD, (PetscBool)definite));
    PetscCall(CreateFactor(A, &F));
    PetscCall(SolveVectors(A, F, (PetscBool)definite));
    PetscCall(SolveColumns(A, F, 1, 0, PETSC_FALSE));
    PetscCall(SolveColumns(A, F, 5, 0, PETSC_FALSE));
    PetscCall(SolveColumns(A, F, 40, 3, PETSC_FALSE));
    PetscCall(SolveColumns(A, F, 7, 2, PETSC_TRUE));
    PetscCall(SolveInPlace(A, F, 5));
    PetscCall(MatDestroy(&F));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double !complex

   testset:
      output_file: output/direct_solves.out
      test:
         args: -mat_tessera_backend {{auto host}}
      test:
         suffix: sbaij
         args: -mat_type sbaij
      test:
         suffix: dense
         args: -mat_type dense
      test:
         suffix: no_refinement
         args: -mat_tessera_refine_steps 0
   testset:
      output_file: output/direct_solves_whole.out
      args: -halves 0
      test:
         suffix: whole
      test:
         suffix: cuda
         requires: cuda
         args: -mat_type {{aij aijcusparse}} -columns_mat_type {{dense densecuda}}

TEST*/
