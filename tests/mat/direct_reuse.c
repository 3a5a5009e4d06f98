static char help[] =
    "MATSOLVERTESSERA: several factors alive, changed values and patterns, factorizations after a failure.\n\n";

#include "saddle_point.h"

static PetscBool lu = PETSC_FALSE; /* else Cholesky */

static PetscErrorCode SymbolicAgain(Mat A, Mat F)
{
  PetscFunctionBeginUser;
  PetscCall(lu ? MatLUFactorSymbolic(F, A, NULL, NULL, NULL) : MatCholeskyFactorSymbolic(F, A, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Symbolic(Mat A, Mat *F)
{
  PetscFunctionBeginUser;
  PetscCall(MatGetFactor(A, "tessera", lu ? MAT_FACTOR_LU : MAT_FACTOR_CHOLESKY, F));
  PetscCall(SymbolicAgain(A, *F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Numeric(Mat F, Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(lu ? MatLUFactorNumeric(F, A, NULL) : MatCholeskyFactorNumeric(F, A, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether F solves systems with A, and has this many negative eigenvalues. */
static PetscErrorCode Check(const char what[], Mat F, Mat A, PetscInt expected)
{
  Vec x, b;
  PetscReal error = 0;
  PetscInt negative = expected;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(SetRandom(b));
  PetscCall(MatSolve(F, b, x));
  PetscCall(BackwardError(A, x, b, &error));
  if (!lu)
    PetscCall(MatGetInertia(F, &negative, NULL, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: solves %s, inertia %s\n", what, error <= 1e-14 ? "yes" : "NO",
                        negative == expected ? "yes" : "NO"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors, and prints the failure that is expected, and that results are flagged. */
static PetscErrorCode Fail(const char what[], Mat F, Mat A)
{
  Vec x, b;
  Mat B, X;
  MatFactorError error;
  PetscBool halves;
  PetscReal one, half, many;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(Numeric(F, A));
  PetscCall(MatFactorGetError(F, &error));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(SetRandom(b));
  PetscCall(MatSolve(F, b, x));
  PetscCall(VecNorm(x, NORM_INFINITY, &one));
  PetscCall(VecSet(x, 0.0));
  PetscCall(MatHasOperation(F, MATOP_FORWARD_SOLVE, &halves)); /* which a backend may not have */
  if (halves)
    PetscCall(MatForwardSolve(F, b, x));
  else
    PetscCall(VecFlag(x, PETSC_TRUE));
  PetscCall(VecNorm(x, NORM_INFINITY, &half));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, 3, NULL, &B));
  PetscCall(MatShift(B, 1.0));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  PetscCall(MatMatSolve(F, B, X));
  PetscCall(MatNorm(X, NORM_FROBENIUS, &many));
  PetscCall(
      PetscPrintf(PETSC_COMM_SELF, "%s: %s, flagged %s\n", what, PCFailedReasons[error],
                  PetscIsInfOrNanReal(one) && PetscIsInfOrNanReal(half) && PetscIsInfOrNanReal(many) ? "yes" : "NO"));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets entry (i, j) and its mirror image. */
static PetscErrorCode Set(Mat A, PetscInt i, PetscInt j, PetscReal value)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetValue(A, i, j, value, INSERT_VALUES));
  PetscCall(MatSetValue(A, j, i, value, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of A with its rows in reverse: as many entries in another pattern. */
static PetscErrorCode Reverse(Mat A, Mat *B)
{
  IS is;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n, n - 1, -1, &is));
  PetscCall(MatPermute(A, is, is, B));
  PetscCall(MatSetOption(*B, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a solve says where there is no factor. */
static PetscErrorCode Refuse(const char what[], Mat F, Mat A)
{
  Vec b, x;
  PetscErrorCode error;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: ", what));
  PetscCall(PetscPushErrorHandler(PrintError, NULL));
  error = MatSolve(F, b, x);
  PetscCall(PetscPopErrorHandler());
  PetscCall(Verdict("is an error", (PetscBool)(error == PETSC_ERR_ARG_WRONGSTATE)));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ChangePattern(Mat A, Mat F)
{
  Mat B;
  KSP ksp;
  PC pc;
  PetscErrorCode error;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(Numeric(F, B));
  PetscCall(Check("another matrix of the same pattern", F, B, 4));
  PetscCall(MatDestroy(&B));
  PetscCall(Reverse(A, &B));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "as many entries elsewhere: "));
  PetscCall(PetscPushErrorHandler(PrintError, NULL));
  error = Numeric(F, B);
  PetscCall(PetscPopErrorHandler());
  PetscCall(Verdict("is an error", (PetscBool)(error == PETSC_ERR_ARG_WRONGSTATE)));
  PetscCall(SymbolicAgain(B, F));
  PetscCall(Refuse("a solve before the factorization", F, B));
  PetscCall(Numeric(F, B));
  PetscCall(Check("analysed again", F, B, 4));
  PetscCall(MatDestroy(&B));

  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, lu ? PCLU : PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, "tessera"));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(Set(A, 0, 30, 0.25));
  PetscCall(PCSetUp(pc));
  PetscCall(PCFactorGetMatrix(pc, &B));
  PetscCall(Check("a PC and a new entry", B, A, 4));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factor of a sparse matrix that has been analysed again as a dense one; D: another dense one of its values. */
static PetscErrorCode BecomeDense(Mat A, Mat *F, Mat *D)
{
  Mat analysed;

  PetscFunctionBeginUser;
  PetscCall(Symbolic(A, F));
  PetscCall(MatConvert(A, MATSEQDENSE, MAT_INITIAL_MATRIX, &analysed));
  PetscCall(SymbolicAgain(analysed, *F));
  PetscCall(MatDuplicate(analysed, MAT_COPY_VALUES, D));
  PetscCall(MatDestroy(&analysed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A, B, D, F, G;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-lu", &lu, NULL));
  PetscCall(CreateSaddlePoint(12, 0.1, 4, &A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(Set(B, 0, 0, -40.0));
  PetscCall(Symbolic(A, &F));
  PetscCall(Symbolic(A, &G));
  PetscCall(Numeric(F, A));
  PetscCall(Set(A, 0, 0, -40.0));
  PetscCall(Numeric(G, A));
  PetscCall(Check("the second of two factors", G, B, 5));
  PetscCall(Set(A, 0, 0, 4.1));
  PetscCall(Check("the first of two factors", F, A, 4));
  PetscCall(MatDestroy(&G));
  PetscCall(Check("the other one destroyed", F, A, 4));
  PetscCall(BecomeDense(A, &G, &D));
  PetscCall(Numeric(G, D));
  PetscCall(Check("one that was of a sparse matrix, of a dense one", G, D, 4));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&D));

  PetscCall(Set(A, 0, 0, NAN));
  PetscCall(Fail("a NaN", F, A));
  PetscCall(Symbolic(A, &G));
  PetscCall(Fail("a NaN in the analysis", G, A));
  PetscCall(MatFactorClearError(G));
  PetscCall(Refuse("a failure that is not looked at", G, A));
  PetscCall(Set(A, 0, 0, 4.1));
  PetscCall(Numeric(F, A));
  PetscCall(Check("after a failure", F, A, 4));
  PetscCall(Numeric(G, A));
  PetscCall(Check("after a failed analysis", G, A, 4));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(MatScale(B, 0.0));
  PetscCall(Fail("zeros", F, B));
  PetscCall(ChangePattern(A, F));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double !complex

   testset:
      output_file: output/direct_reuse.out
      test:
      test:
         suffix: cuda
         requires: cuda
         args: -mat_type aijcusparse
      test:
         suffix: lu
         args: -lu
         filter: sed s/MatLU/MatCholesky/

TEST*/
