static char help[] = "What KSPSQMR makes of systems that it cannot solve in the ordinary way.\n\n";

#include <petscksp.h>

#define LARGEST 8

/* A dense symmetric system of at most LARGEST rows with a diagonal preconditioner M, and the initial guess. */
typedef struct {
  const char *name;
  PetscInt n;
  PetscReal a[LARGEST * LARGEST];
  PetscReal m[LARGEST];
  PetscReal b[LARGEST];
  PetscReal x[LARGEST];
  PetscInt max_it; /* 0: 200 */
} Case;

#define NOT_A_NUMBER (-12345.0) /* becomes a NaN in the matrix or vector */

static const Case cases[] = {
    /* q' A q = 0 at once */
    {"sigma is zero", 2, {0, 1, 1, 0}, {1, 1}, {1, 0}, {0, 0}},
    {"sigma is zero, from a guess", 2, {0, 1, 1, 0}, {1, 1}, {4, 3}, {3, 3}},
    {"sigma is zero, three rows", 3, {1, 0, 1, 0, -1, 1, 1, 1, 2}, {1, 1, 1}, {1, 1, 0}, {0, 0, 0}},
    /* the leading 2 x 2 block of the Lanczos matrix is singular */
    {"sigma is zero in the second step", 3, {1, 1, 0, 1, 1, 1, 0, 1, 0}, {1, 1, 1}, {1, 0, 0}, {0, 0, 0}},
    /* r' M^{-1} r = 0 at once */
    {"rho is zero", 2, {1, 0, 0, 2}, {1, -1}, {1, 1}, {0, 0}},
    {"rho is zero, zero diagonal", 2, {0, 1, 1, 0}, {1, -1}, {1, 1}, {0, 0}},
    /* the first iterate is worse than the guess, by 14 per cent */
    {"one iteration", 2, {1, 2, 2, 7}, {1, -1}, {1, 0.5}, {0, 0}, 1},
    {"singular and consistent", 3, {1, -1, 0, -1, 2, -1, 0, -1, 1}, {1, 1, 1}, {1, 1, -2}, {0, 0, 0}},
    {"singular and inconsistent", 3, {1, -1, 0, -1, 2, -1, 0, -1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}},
    {"zero matrix", 2, {0, 0, 0, 0}, {1, 1}, {1, 2}, {0, 0}},
    {"zero right-hand side from a guess", 2, {2, 1, 1, -3}, {1, 1}, {0, 0}, {1, 1}},
    {"the guess is the solution", 2, {2, 1, 1, -3}, {1, 1}, {3, -2}, {1, 1}},
    {"NaN in the matrix", 2, {NOT_A_NUMBER, 1, 1, 2}, {1, 1}, {1, 1}, {0, 0}},
    {"NaN in the right-hand side", 2, {2, 1, 1, 2}, {1, 1}, {1, NOT_A_NUMBER}, {0, 0}},
    {"NaN in the preconditioner", 2, {2, 1, 1, 2}, {1, NOT_A_NUMBER}, {1, 1}, {0, 0}},
    {"one row", 1, {-3}, {-1}, {6}, {0}},
    {"no rows", 0, {0}, {0}, {0}, {0}},
};

/* A residual may be small or exactly zero by the last bit of a product: which of the tolerances it meets says nothing.
 */
static const char *Outcome(KSPConvergedReason reason)
{
  return reason > 0 ? "converged" : KSPConvergedReasons[reason];
}

static PetscScalar Value(PetscReal v)
{
  return v == NOT_A_NUMBER ? (PetscScalar)NAN : (PetscScalar)v;
}

static PetscErrorCode CreateVector(PetscInt n, const PetscReal value[], Vec *v)
{
  PetscFunctionBeginUser;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, v));
  for (PetscInt i = 0; i < n; i++)
    PetscCall(VecSetValue(*v, i, Value(value[i]), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(*v));
  PetscCall(VecAssemblyEnd(*v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMatrix(PetscInt n, const PetscReal value[], Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, n, NULL, A));
  for (PetscInt i = 0; i < n * n; i++)
    PetscCall(MatSetValue(*A, i / n, i % n, Value(value[i]), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ResidualNorm(Mat A, Vec b, Vec x, PetscReal *norm)
{
  Vec r;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, norm));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M z = r with a diagonal M, NaN and signs as they are. */
static PetscErrorCode ApplyDiagonal(PC pc, Vec r, Vec z)
{
  Vec m;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &m));
  PetscCall(VecPointwiseDivide(z, r, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(const Case *c)
{
  KSP ksp;
  PC pc;
  Mat A;
  Vec m, b, x;
  PetscReal before, after, said;
  KSPConvergedReason reason;
  PetscInt its;
  PetscInt history;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(c->n, c->a, &A));
  PetscCall(CreateVector(c->n, c->m, &m));
  PetscCall(CreateVector(c->n, c->b, &b));
  PetscCall(CreateVector(c->n, c->x, &x));
  PetscCall(ResidualNorm(A, b, x, &before));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, "sqmr"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_CURRENT, PETSC_CURRENT, c->max_it ? c->max_it : 200));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  PetscCall(KSPSetResidualHistory(ksp, NULL, PETSC_DECIDE, PETSC_TRUE));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, m));
  PetscCall(PCShellSetApply(pc, ApplyDiagonal));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(ResidualNorm(A, b, x, &after));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(KSPGetResidualNorm(ksp, &said));
  PetscCall(KSPGetResidualHistory(ksp, NULL, &history));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s", c->name, Outcome(reason)));
  if (reason > 0)
    PetscCall(
        PetscPrintf(PETSC_COMM_SELF, ", residual %s", after <= 1e-12 * PetscMax(before, 10.0) ? "small" : "NOT SMALL"));
  if (reason < 0 && reason != KSP_DIVERGED_NANORINF) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, ", residual %s",
                          after <= before * (1 + 1e-14) ? "not larger than at first" : "GREW"));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, " and %s",
                          PetscAbsReal(after - said) <= 1e-13 * before ? "as reported" : "NOT AS REPORTED"));
  }
  if (reason != KSP_DIVERGED_NANORINF)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, ", %s",
                          history == its + 1 ? "one entry of history an iteration" : "WRONG HISTORY"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&m));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A singular system with its null space attached, and with a right-hand side that has a part in it. */
static PetscErrorCode RunNullSpace(void)
{
  const PetscReal a[9] = {1, -1, 0, -1, 2, -1, 0, -1, 1}, one[3] = {1, 2, 5}, zero[3] = {0, 0, 0};
  KSP ksp;
  Mat A;
  MatNullSpace constants;
  Vec b, x;
  PetscScalar sum;
  PetscBool orthogonal;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(3, a, &A));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, NULL, &constants));
  PetscCall(MatSetNullSpace(A, constants));
  PetscCall(MatNullSpaceDestroy(&constants));
  PetscCall(CreateVector(3, one, &b));
  PetscCall(CreateVector(3, zero, &x));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, "sqmr"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(VecSum(x, &sum));
  orthogonal = (PetscBool)(PetscAbsScalar(sum) < 1e-12);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "null space: %s, solution %s to it\n", Outcome(reason),
                        orthogonal ? "orthogonal" : "NOT ORTHOGONAL"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that says it is not symmetric is an error, not a wrong answer. */
static PetscErrorCode RunNonsymmetric(void)
{
  const PetscReal a[4] = {1, 2, 0, 1};
  KSP ksp;
  Mat A;
  PetscErrorCode error;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(2, a, &A));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_FALSE));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, "sqmr"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  error = KSPSetUp(ksp);
  PetscCall(PetscPopErrorHandler());
  PetscCall(
      PetscPrintf(PETSC_COMM_SELF, "nonsymmetric: %s\n", error == PETSC_ERR_ARG_INCOMP ? "refused" : "NOT REFUSED"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tolerances that cannot be reached, on matrices with eigenvalues of both signs from 1 to the condition number: the
   solve is to end by itself, and to report what it has. */
static PetscErrorCode RunIllConditioned(void)
{
  const PetscInt n = 200;

  PetscFunctionBeginUser;
  for (PetscReal condition = 1e1; condition < 1e13; condition *= 1e2) {
    KSP ksp;
    PC pc;
    Mat A;
    Vec b, x, d;
    PetscReal bnorm, after, said;
    KSPConvergedReason reason;

    PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &d));
    for (PetscInt i = 0; i < n; i++)
      PetscCall(
          VecSetValue(d, i, (i % 2 ? -1.0 : 1.0) * PetscPowReal(condition, (PetscReal)i / (n - 1)), INSERT_VALUES));
    PetscCall(VecAssemblyBegin(d));
    PetscCall(VecAssemblyEnd(d));
    PetscCall(MatCreateDiagonal(d, &A));
    PetscCall(VecDuplicate(d, &b));
    PetscCall(VecDuplicate(d, &x));
    PetscCall(VecSet(b, 1.0));
    PetscCall(VecNorm(b, NORM_2, &bnorm));
    PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
    PetscCall(KSPSetType(ksp, "sqmr"));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetTolerances(ksp, 1e-18, PETSC_CURRENT, PETSC_CURRENT, 5000));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCNONE));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(ResidualNorm(A, b, x, &after));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(KSPGetResidualNorm(ksp, &said));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "condition %.0e: %s, residual %s and %s\n", (double)condition,
                          reason < 0 ? "not converged" : "CONVERGED",
                          after <= bnorm ? "not larger than at first" : "GREW",
                          PetscAbsReal(after - said) <= 1e-10 * after ? "as reported" : "NOT AS REPORTED"));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&A));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(cases); i++)
    PetscCall(Run(&cases[i]));
  PetscCall(RunNullSpace());
  PetscCall(RunNonsymmetric());
  PetscCall(RunIllConditioned());
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   test:

TEST*/
