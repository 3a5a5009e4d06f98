static char help[] =
    "Complex symmetric systems, A = A^T, that are not Hermitian. Every Krylov method is to give the same verdicts.\n\
  -problem (helmholtz|saddle)   -n <size>   -shift <s>: precondition with A + s i I, or A + s diag(I, -I)\n\
  -at_most <k>: iterations that are good enough   -small: what becomes of breakdowns instead\n\n";

#include <petscksp.h>

/* Five-point Laplacian on an n x n grid less (0.7 - 0.02 i) I, with absorbing boundaries: eigenvalues with real parts
   of both signs and imaginary parts of one. Plus s i I. */
static PetscErrorCode SetHelmholtz(Mat A, PetscInt n, PetscReal s)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt neighbour[4] = {i >= n ? i - n : -1, i % n > 0 ? i - 1 : -1, i % n < n - 1 ? i + 1 : -1,
                                   i + n < n * n ? i + n : -1};
    PetscScalar diagonal = 4.0 - 0.7 + (0.02 + s) * PETSC_i;

    for (PetscInt j = 0; j < 4; j++) {
      if (neighbour[j] >= 0) {
        PetscCall(MatSetValue(A, i, neighbour[j], -1.0, INSERT_VALUES));
      } else {
        diagonal += -0.5 + 0.6 * PETSC_i;
      }
    }
    PetscCall(MatSetValue(A, i, i, diagonal, INSERT_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [H + s I, B^T; B, -s I] with n + n/2 rows: H tridiagonal, three entries in a row of B, all of them complex. */
static PetscErrorCode SetSaddle(Mat A, PetscInt n, PetscReal s)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    if (i < n) {
      PetscCall(MatSetValue(A, i, i, 2.5 + s + 0.1 * (i % 7) + 0.4 * PETSC_i, INSERT_VALUES));
      if (i > 0)
        PetscCall(MatSetValue(A, i, i - 1, -1.0 + 0.3 * PETSC_i, INSERT_VALUES));
      if (i + 1 < n)
        PetscCall(MatSetValue(A, i, i + 1, -1.0 + 0.3 * PETSC_i, INSERT_VALUES));
    } else {
      const PetscInt k = i - n;
      const PetscInt column[3] = {2 * k, 2 * k + 1, (2 * k + n / 3 + 2) % n};
      const PetscScalar value[3] = {1.0 + 0.5 * PETSC_i, -2.0 * PETSC_i, 0.5};

      PetscCall(MatSetValue(A, i, i, -s, INSERT_VALUES));
      for (PetscInt j = 0; j < 3; j++) {
        PetscCall(MatSetValue(A, i, column[j], value[j], INSERT_VALUES));
        PetscCall(MatSetValue(A, column[j], i, value[j], INSERT_VALUES));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMatrix(PetscBool saddle, PetscInt n, PetscReal s, Mat *A)
{
  const PetscInt N = saddle ? n + n / 2 : n * n;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, N, N, 12, NULL, 12, NULL, A));
  PetscCall(saddle ? SetSaddle(*A, n, s) : SetHelmholtz(*A, n, s));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Verdict(const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s\n", what, good ? "yes" : "NO"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r = b - A x and its norm */
static PetscErrorCode Residual(Mat A, Vec b, Vec x, Vec r, PetscReal *norm)
{
  PetscFunctionBeginUser;
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residual and error of what the solve gave back, against what the solver says of itself. */
static PetscErrorCode Judge(KSP ksp, Mat A, Vec b, Vec x, Vec solution, PetscInt most)
{
  KSPConvergedReason reason;
  PetscInt its;
  PetscBool sqmr;
  PetscReal rnorm, bnorm, said, error;
  Vec r;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecNorm(b, NORM_2, &bnorm));
  PetscCall(Residual(A, b, x, r, &rnorm));
  PetscCall(VecWAXPY(r, -1.0, x, solution));
  PetscCall(VecNorm(r, NORM_INFINITY, &error));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetResidualNorm(ksp, &said));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, "sqmr", &sqmr));
  PetscCall(Verdict("converged", (PetscBool)(reason > 0)));
  PetscCall(Verdict("||b - A x|| <= 1e-8 ||b||", (PetscBool)(rnorm <= 1e-8 * bnorm)));
  PetscCall(Verdict("error < 1e-6", (PetscBool)(error < 1e-6)));
  PetscCall(Verdict("few iterations", (PetscBool)(its <= most)));
  PetscCall(Verdict("sqmr: the residual norm reported is the true one",
                    (PetscBool)(!sqmr || PetscAbsReal(said - rnorm) <= 1e-3 * rnorm + 1e-14 * bnorm)));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(Mat A, Mat P, PetscInt most)
{
  KSP ksp;
  Vec solution, b, x;
  PetscRandom random;
  Mat transpose;
  PetscBool symmetric, hermitian;

  PetscFunctionBeginUser;
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &transpose));
  PetscCall(MatEqual(A, transpose, &symmetric));
  PetscCall(MatConjugate(transpose));
  PetscCall(MatEqual(A, transpose, &hermitian));
  PetscCall(Verdict("symmetric and not Hermitian", (PetscBool)(symmetric && !hermitian)));
  PetscCall(MatDestroy(&transpose));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &solution));
  PetscCall(PetscRandomCreate(PETSC_COMM_WORLD, &random));
  PetscCall(VecSetRandom(solution, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(MatMult(A, solution, b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, P));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, 2000));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPGMRESSetRestart(ksp, 400));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Judge(ksp, A, b, x, solution, most));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&solution));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define ROWS 2

/* A small dense system and an initial guess, without a preconditioner. NAN gives a part that is not a number. */
static PetscErrorCode RunSmall(const char name[], const PetscScalar a[ROWS * ROWS], const PetscScalar right[ROWS],
                               const PetscScalar guess[ROWS])
{
  KSP ksp;
  PC pc;
  Mat A;
  Vec b, x, r;
  PetscReal before, after, said;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, ROWS, ROWS, ROWS, NULL, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  for (PetscInt i = 0; i < ROWS; i++) {
    for (PetscInt j = 0; j < ROWS; j++)
      PetscCall(MatSetValue(A, i, j, a[i * ROWS + j], INSERT_VALUES));
    PetscCall(VecSetValue(b, i, right[i], INSERT_VALUES));
    PetscCall(VecSetValue(x, i, guess[i], INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(Residual(A, b, x, r, &before));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, "sqmr"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  PetscCall(KSPSetTolerances(ksp, 1e-12, 1e-13, PETSC_CURRENT, 100));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Residual(A, b, x, r, &after));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetResidualNorm(ksp, &said));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s", name, reason > 0 ? "CONVERGED" : KSPConvergedReasons[reason]));
  if (reason != KSP_DIVERGED_NANORINF) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, ", residual %s",
                          after <= 1e-12 * PetscMax(before, 10.0) ? "small"
                          : after <= before * (1.0 + 1e-14)       ? "not larger than at first"
                                                                  : "GREW"));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, " and %s",
                          PetscAbsReal(after - said) <= 1e-13 * before + 1e-15 ? "as reported" : "NOT AS REPORTED"));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the bilinear form x^T y a vector may be orthogonal to itself. */
static PetscErrorCode RunBreakdowns(void)
{
  const PetscScalar zero[ROWS] = {0.0, 0.0};
  const PetscScalar diagonal[] = {1.0, 0.0, 0.0, 2.0}, cancelling[] = {1.0, 0.0, 0.0, 0.5 * PETSC_i};
  const PetscScalar nilpotent[] = {1.0, PETSC_i, PETSC_i, -1.0}, nothing[] = {0.0, 0.0, 0.0, 0.0};
  const PetscScalar hermitian[] = {2.0, PETSC_i, -PETSC_i, 3.0}, nan[] = {1.0, 0.0, 0.0, 1.0 + NAN * PETSC_i};
  const PetscScalar isotropic[] = {1.0, PETSC_i}, along[] = {1.0, 1.0 + PETSC_i},
                    range[] = {1.0 + PETSC_i, -1.0 + PETSC_i};
  const PetscScalar unit[] = {1.0, 0.0}, guess[] = {2.0 - PETSC_i, 1.0}, solution[] = {1.0, 0.5 * PETSC_i};

  PetscFunctionBeginUser;
  PetscCall(RunSmall("rho is zero", diagonal, isotropic, zero));
  PetscCall(RunSmall("rho is zero, from a guess", diagonal, isotropic, guess));
  PetscCall(RunSmall("sigma is zero", cancelling, along, zero));
  PetscCall(RunSmall("the guess is the solution", diagonal, isotropic, solution));
  PetscCall(RunSmall("singular and consistent", nilpotent, range, zero));
  PetscCall(RunSmall("singular and inconsistent", nilpotent, unit, zero));
  PetscCall(RunSmall("zero matrix", nothing, isotropic, zero));
  PetscCall(RunSmall("Hermitian", hermitian, along, zero));
  PetscCall(RunSmall("NaN in the matrix", nan, unit, zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A, P;
  const char *problems[] = {"helmholtz", "saddle"};
  PetscInt problem = 0, n = 20, most = 2000;
  PetscReal shift = 0.0;
  PetscBool small = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetEList(NULL, NULL, "-problem", problems, 2, &problem, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-shift", &shift, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-at_most", &most, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-small", &small, NULL));
  if (small) {
    PetscCall(RunBreakdowns());
  } else {
    PetscCall(CreateMatrix((PetscBool)problem, n, 0.0, &A));
    PetscCall(CreateMatrix((PetscBool)problem, n, shift, &P));
    PetscCall(Solve(A, P, most));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&P));
  }
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: complex

   # Bounds are a third above what the recurrence takes, which is within a third of what gmres does.
   testset:
      output_file: output/complex_symmetric_1.out
      args: -ksp_type {{sqmr gmres}} -ksp_norm_type unpreconditioned
      test:
         suffix: 1
         args: -problem helmholtz -pc_type {{none jacobi}} -at_most 180
      test:
         suffix: saddle
         args: -problem saddle -n 60 -pc_type none -at_most 90
      test:
         suffix: cholesky
         args: -problem helmholtz -shift 0.3 -pc_type cholesky -at_most 40
      test:
         suffix: icc
         args: -problem helmholtz -shift 0.3 -pc_type icc -at_most 105
      test:
         suffix: saddle_cholesky
         args: -problem saddle -n 60 -shift 0.05 -pc_type cholesky -pc_factor_mat_ordering_type natural -at_most 10
      test:
         suffix: tessera
         args: -problem helmholtz -shift 0.3 -pc_type cholesky -pc_factor_mat_solver_type tessera -at_most 40
      test:
         suffix: saddle_tessera
         args: -problem saddle -n 60 -shift 0.05 -pc_type cholesky -pc_factor_mat_solver_type tessera -at_most 10
      test:
         suffix: sor
         args: -problem helmholtz -pc_type sor -pc_sor_symmetric -at_most 105
      test:
         suffix: mpi
         nsize: 2
         args: -problem helmholtz -pc_type {{none jacobi}} -at_most 180
      test:
         suffix: bjacobi
         nsize: 2
         args: -problem helmholtz -shift 0.1 -pc_type bjacobi -sub_pc_type cholesky -at_most 45

   test:
      suffix: small
      args: -small

TEST*/
