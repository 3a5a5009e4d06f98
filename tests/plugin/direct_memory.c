/* Factorizations and solves of MATSOLVERTESSERA, L D L^T or with -lu L U, in an address space that is limited more and
   more: one that gets no memory fails with MAT_FACTOR_OUTMEMORY, wherever in it that is, flags solutions and keeps
   little; a smaller matrix is factored then, and with memory there is the factor of before. With complex scalars the
   matrix is symmetric, not Hermitian. Prints what is wrong. For one thread: OpenBLAS asks for 128 MB at the first call
   of each thread, and tries for ever to get them. */
#include "address_space.h"

/* Of the larger matrix nearly all arrays are larger than what earlier work may have left free in the heap, which the
   limit would not keep from being used. */
enum { grid_width = 96, small_width = 8, limits = 24 };

static PetscErrorCode FactorSymbolic(Mat F, Mat A)
{
  MatFactorType type;

  PetscFunctionBeginUser;
  PetscCall(MatGetFactorType(F, &type));
  PetscCall(type == MAT_FACTOR_LU ? MatLUFactorSymbolic(F, A, NULL, NULL, NULL)
                                  : MatCholeskyFactorSymbolic(F, A, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FactorNumeric(Mat F, Mat A)
{
  MatFactorType type;

  PetscFunctionBeginUser;
  PetscCall(MatGetFactorType(F, &type));
  PetscCall(type == MAT_FACTOR_LU ? MatLUFactorNumeric(F, A, NULL) : MatCholeskyFactorNumeric(F, A, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors with so much memory; solves with all. */
static PetscErrorCode Factor(Mat F, Mat A, double bytes, Vec b, Vec x, MatFactorError *error)
{
  PetscReal norm;
  PetscBool solves;

  PetscFunctionBeginUser;
  PetscCall(Limit(bytes));
  PetscCall(FactorSymbolic(F, A));
  PetscCall(MatFactorGetError(F, error));
  if (!*error) {
    PetscCall(FactorNumeric(F, A));
    PetscCall(MatFactorGetError(F, error));
  }
  PetscCall(Limit(-1));
  PetscCall(Expect("a factorization fails for lack of memory or not at all",
                   (PetscBool)(*error == MAT_FACTOR_NOERROR || *error == MAT_FACTOR_OUTMEMORY)));
  PetscCall(MatAssembled(F, &solves)); /* where the analysis failed, PETSc lets nobody solve */
  if (!solves)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSolve(F, b, x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(Expect("a failed factorization flags solutions, and no other does",
                   (PetscBool)((*error == MAT_FACTOR_NOERROR) == !PetscIsInfOrNanReal(norm))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factorizations with less and less memory, each followed by one of a smaller matrix. Each is the first one of its
   factor: another would take the memory of the one before. */
static PetscErrorCode Sweep(MatFactorType type, Mat A, Mat small, Vec b, Vec x, Vec first, int *failures)
{
  double bytes = 45e6 * sizeof(PetscScalar) / sizeof(double);
  Mat F, G;
  MatFactorError error, of_small;
  Vec c, y;
  PetscBool same;

  PetscFunctionBeginUser;
  *failures = 0;
  PetscCall(MatCreateVecs(small, &y, &c));
  PetscCall(VecSet(c, 1.0));
  for (int k = 0; k < limits; k++, bytes *= 0.84) {
    PetscCall(MatGetFactor(A, MATSOLVERTESSERA, type, &F));
    PetscCall(Factor(F, A, bytes, b, x, &error));
    *failures += error != MAT_FACTOR_NOERROR;
    PetscCall(MatGetFactor(small, MATSOLVERTESSERA, type, &G));
    PetscCall(Factor(G, small, -1, c, y, &of_small));
    PetscCall(Expect("then a smaller matrix is factored", (PetscBool)(of_small == MAT_FACTOR_NOERROR)));
    PetscCall(MatDestroy(&G));
    PetscCall(FactorNumeric(F, A));
    PetscCall(MatSolve(F, b, x));
    PetscCall(VecEqual(x, first, &same));
    PetscCall(Expect("with memory the numeric factorization alone gives the bits of before", same));
    PetscCall(MatDestroy(&F));
  }
  PetscCall(VecDestroy(&c));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve for so many right-hand sides that there is no memory for it, and again with memory. */
static PetscErrorCode SolveMany(MatFactorType type, Mat A, PetscInt columns)
{
  Mat F, B, X;
  MatFactorError error;
  PetscReal norm;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(MatGetFactor(A, MATSOLVERTESSERA, type, &F));
  PetscCall(FactorSymbolic(F, A));
  PetscCall(FactorNumeric(F, A));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, columns, NULL, &B));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, columns, NULL, &X));
  PetscCall(MatShift(B, 1.0));
  PetscCall(Limit(20000));
  PetscCall(MatMatSolve(F, B, X));
  PetscCall(Limit(-1));
  PetscCall(MatNorm(X, NORM_FROBENIUS, &norm));
  PetscCall(Expect("a solve without memory flags its result", (PetscBool)PetscIsInfOrNanReal(norm)));
  PetscCall(MatFactorGetError(F, &error));
  PetscCall(Expect("the factor remains", (PetscBool)(error == MAT_FACTOR_NOERROR)));
  PetscCall(MatMatSolve(F, B, X));
  PetscCall(MatNorm(X, NORM_FROBENIUS, &norm));
  PetscCall(Expect("with memory it succeeds", (PetscBool)(norm > 0 && !PetscIsInfOrNanReal(norm))));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A, small, F;
  Vec b, x, first;
  MatFactorError error;
  MatFactorType type;
  PetscBool lu = PETSC_FALSE;
  double before, after;
  int failures, again;

  PetscFunctionBeginUser;
  mallopt(M_MMAP_THRESHOLD, 1 << 16); /* what is freed goes back to the system */
  mallopt(M_ARENA_MAX, 1);            /* threads take no address space beforehand */
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(TesseraInitializePackage());
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-lu", &lu, NULL));
  type = lu ? MAT_FACTOR_LU : MAT_FACTOR_CHOLESKY;
  PetscCall(CreateMatrix(grid_width, &A));
  PetscCall(CreateMatrix(small_width, &small));
#if PetscDefined(USE_COMPLEX)
  PetscCall(MatShift(A, 0.1 * PETSC_i));
  PetscCall(MatShift(small, 0.1 * PETSC_i));
#endif
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &first));
  PetscCall(VecSet(b, 1.0));
  PetscCall(MatGetFactor(A, MATSOLVERTESSERA, type, &F));
  PetscCall(Factor(F, A, -1, b, first, &error));
  PetscCall(Expect("a factorization with memory succeeds", (PetscBool)(error == MAT_FACTOR_NOERROR)));
  PetscCall(MatDestroy(&F));
  PetscCall(Sweep(type, A, small, b, x, first, &failures));
  PetscCall(Limit(-1));
  PetscCall(GetAddressSpace(&before));
  PetscCall(Sweep(type, A, small, b, x, first, &again));
  PetscCall(Limit(-1));
  PetscCall(GetAddressSpace(&after));
  PetscCall(Expect("factorizations fail at many limits", (PetscBool)(failures >= limits / 4)));
  PetscCall(Expect("factorizations succeed at many limits", (PetscBool)(failures <= 3 * limits / 4)));
  PetscCall(Expect("failed factorizations keep no memory", (PetscBool)(after < before + 2e6)));
  PetscCall(SolveMany(type, A, 40));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&first));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&small));
  PetscCall(PetscFinalize());
  return 0;
}
