static char help[] =
    "Solves generated symmetric indefinite systems. Every Krylov method is to give the same verdicts.\n\
  -problem (saddle|helmholtz)   -n <size>   -shift <s>: precondition with A + s diag(I, -I)\n\
  -nest: A as a matrix of blocks   -positive: Jacobi with absolute values   -zero_rhs   -random_guess\n\n";

#include <petscksp.h>

/* Saddle point matrix [H + s I, B'; B, -s I] with n + n/2 rows: H tridiagonal and definite, three entries in a row of
   B. For s > 0 it is quasi-definite: indefinite, and with an LDL' factorization without pivoting. */
static PetscErrorCode SetSaddle(Mat A, PetscInt n, PetscReal s)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    if (i < n) {
      PetscCall(MatSetValue(A, i, i, 2.5 + s + 0.1 * (i % 7), INSERT_VALUES));
      if (i > 0)
        PetscCall(MatSetValue(A, i, i - 1, -1.0, INSERT_VALUES));
      if (i + 1 < n)
        PetscCall(MatSetValue(A, i, i + 1, -1.0, INSERT_VALUES));
    } else {
      const PetscInt k = i - n;
      const PetscInt column[3] = {2 * k, 2 * k + 1, (2 * k + n / 3 + 2) % n};
      const PetscScalar value[3] = {1.0, -2.0, 0.5};

      PetscCall(MatSetValue(A, i, i, -s, INSERT_VALUES));
      for (PetscInt j = 0; j < 3; j++) {
        PetscCall(MatSetValue(A, i, column[j], value[j], INSERT_VALUES));
        PetscCall(MatSetValue(A, column[j], i, value[j], INSERT_VALUES));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Five-point Laplacian on an n x n grid less 0.7 I, with some negative eigenvalues, plus s I. */
static PetscErrorCode SetHelmholtz(Mat A, PetscInt n, PetscReal s)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    PetscCall(MatSetValue(A, i, i, 4.0 - 0.7 + s, INSERT_VALUES));
    if (i >= n)
      PetscCall(MatSetValue(A, i, i - n, -1.0, INSERT_VALUES));
    if (i + n < n * n)
      PetscCall(MatSetValue(A, i, i + n, -1.0, INSERT_VALUES));
    if (i % n > 0)
      PetscCall(MatSetValue(A, i, i - 1, -1.0, INSERT_VALUES));
    if (i % n < n - 1)
      PetscCall(MatSetValue(A, i, i + 1, -1.0, INSERT_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMatrix(PetscBool saddle, PetscInt n, PetscReal s, Mat *A)
{
  const PetscInt N = saddle ? n + n / 2 : n * n;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, N, N, 12, NULL, 12, NULL, A));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(saddle ? SetSaddle(*A, n, s) : SetHelmholtz(*A, n, s));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces a saddle point matrix by the MATNEST of its four blocks, whose vectors are of type VECNEST. */
static PetscErrorCode ConvertToNest(PetscInt n, Mat *A)
{
  Mat block[4], nest;
  IS part[2];
  PetscInt begin, end, middle;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  middle = PetscMin(PetscMax(begin, n), end);
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, middle - begin, begin, 1, &part[0]));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, end - middle, middle, 1, &part[1]));
  for (PetscInt i = 0; i < 4; i++)
    PetscCall(MatCreateSubMatrix(*A, part[i / 2], part[i % 2], MAT_INITIAL_MATRIX, &block[i]));
  PetscCall(MatCreateNest(PETSC_COMM_WORLD, 2, NULL, 2, NULL, block, &nest));
  for (PetscInt i = 0; i < 4; i++)
    PetscCall(MatDestroy(&block[i]));
  PetscCall(ISDestroy(&part[0]));
  PetscCall(ISDestroy(&part[1]));
  PetscCall(MatDestroy(A));
  *A = nest;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Verdict(const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s\n", what, good ? "yes" : "NO"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residual and error of what the solve gave back, against what the solver says of itself. */
static PetscErrorCode Judge(KSP ksp, Mat A, Vec b, Vec guess, Vec x, Vec solution)
{
  KSPConvergedReason reason;
  KSPNormType normtype;
  Vec r;
  PetscReal rnorm, scale, bnorm, error, said;
  PetscBool sqmr;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, guess, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, &rnorm));
  PetscCall(VecNorm(b, NORM_2, &bnorm));
  scale = PetscMax(rnorm, bnorm);
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, &rnorm));
  PetscCall(VecWAXPY(r, -1.0, x, solution));
  PetscCall(VecNorm(r, NORM_INFINITY, &error));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetNormType(ksp, &normtype));
  PetscCall(KSPGetResidualNorm(ksp, &said));
  PetscCall(Verdict("converged", (PetscBool)(reason > 0)));
  PetscCall(Verdict("||b - A x|| <= 1e-8 max(||b||, ||b - A x0||)", (PetscBool)(rnorm <= 1e-8 * scale)));
  PetscCall(Verdict("error < 1e-6", (PetscBool)(error < 1e-6)));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, "sqmr", &sqmr));
  if (normtype == KSP_NORM_UNPRECONDITIONED) /* the other methods report the one of their recurrence */
    PetscCall(Verdict("sqmr: the residual norm reported is the true one",
                      (PetscBool)(!sqmr || PetscAbsReal(said - rnorm) <= 1e-3 * rnorm + 1e-14 * scale)));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(Mat A, Mat P, PetscBool zero, PetscBool guess, PetscBool positive)
{
  KSP ksp;
  PC pc;
  Vec solution, b, x, guessed, again;
  PetscRandom random;
  PetscReal difference;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &solution));
  PetscCall(VecDuplicate(x, &guessed));
  PetscCall(VecDuplicate(x, &again));
  PetscCall(PetscRandomCreate(PETSC_COMM_WORLD, &random));
  if (!zero)
    PetscCall(VecSetRandom(solution, random));
  if (guess)
    PetscCall(VecSetRandom(guessed, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(MatMult(A, solution, b));

  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, P));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetInitialGuessNonzero(ksp, guess));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPGMRESSetRestart(ksp, 400));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCJacobiSetUseAbs(pc, positive));
  PetscCall(VecCopy(guessed, x));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Judge(ksp, A, b, guessed, x, solution));
  PetscCall(VecCopy(guessed, again));
  PetscCall(KSPSolve(ksp, b, again));
  PetscCall(VecAXPY(again, -1.0, x));
  PetscCall(VecNorm(again, NORM_INFINITY, &difference));
  PetscCall(Verdict("a second solve gives the same bits", (PetscBool)(difference == 0.0)));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&solution));
  PetscCall(VecDestroy(&guessed));
  PetscCall(VecDestroy(&again));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A, P;
  const char *problems[] = {"saddle", "helmholtz"};
  PetscInt problem = 0, n = 60;
  PetscReal shift = 0.0;
  PetscBool saddle, zero = PETSC_FALSE, guess = PETSC_FALSE, nest = PETSC_FALSE, positive = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetEList(NULL, NULL, "-problem", problems, 2, &problem, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-shift", &shift, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-zero_rhs", &zero, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-random_guess", &guess, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-nest", &nest, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-positive", &positive, NULL));
  saddle = (PetscBool)(problem == 0);
  PetscCall(CreateMatrix(saddle, n, 0.0, &A));
  PetscCall(CreateMatrix(saddle, n, shift, &P));
  if (nest)
    PetscCall(ConvertToNest(n, &A));
  PetscCall(Solve(A, P, zero, guess, positive));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&P));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   # The same systems, with preconditioners that every method takes.
   testset:
      output_file: output/indefinite_true.out
      args: -ksp_norm_type unpreconditioned -ksp_max_it 2000
      test:
         suffix: saddle
         args: -problem saddle -ksp_type {{sqmr minres gmres}} -pc_type {{none jacobi}} -shift 1 -positive
      test:
         suffix: helmholtz
         args: -problem helmholtz -n 15 -ksp_type {{sqmr minres gmres}} -pc_type {{none jacobi icc}} -shift 0.7
      test:
         suffix: mpi
         nsize: 2
         args: -problem {{saddle helmholtz}} -n 16 -shift 1 -ksp_type {{sqmr gmres}} -pc_type {{none jacobi}}
      test:
         suffix: nest
         nsize: {{1 2}}
         args: -nest -ksp_type {{sqmr gmres}} -pc_type none

   # In device memory
   testset:
      requires: cuda
      output_file: output/indefinite_true.out
      args: -ksp_norm_type unpreconditioned -ksp_max_it 2000 -mat_type aijcusparse
      test:
         suffix: cuda
         args: -problem {{saddle helmholtz}} -n 15 -ksp_type {{sqmr gmres}} -pc_type {{none jacobi}} -shift 0.7
         args: -positive
      test:
         suffix: cuda_mpi
         nsize: 2
         args: -problem {{saddle helmholtz}} -n 16 -shift 1 -ksp_type sqmr -pc_type jacobi

   # Indefinite preconditioners: for sqmr and gmres, not for minres.
   testset:
      output_file: output/indefinite_true.out
      args: -ksp_type {{sqmr gmres}} -ksp_norm_type unpreconditioned -ksp_max_it 300
      test:
         suffix: cholesky
         args: -problem saddle -shift 0.05 -pc_type cholesky -pc_factor_mat_ordering_type natural
      test:
         suffix: cholesky_shifted
         args: -problem helmholtz -n 15 -shift 0.05 -pc_type cholesky
      test:
         suffix: cholesky_exact
         args: -problem helmholtz -n 15 -shift 0 -pc_type cholesky
      test:
         suffix: jacobi
         args: -problem saddle -shift 1 -pc_type jacobi
      test:
         suffix: redundant
         nsize: 2
         args: -problem saddle -shift 0.05 -pc_type redundant
         args: -redundant_pc_type cholesky -redundant_pc_factor_mat_ordering_type natural
      test:
         suffix: guess
         args: -problem saddle -shift 0.05 -pc_type jacobi -random_guess -zero_rhs {{0 1}}

   test:
      suffix: preconditioned
      args: -ksp_type {{sqmr gmres}} -ksp_norm_type preconditioned -ksp_rtol 1e-11 -problem saddle -shift {{0.05 1}}
      args: -pc_type jacobi
   test:
      suffix: minres_refuses
      args: -ksp_type minres -problem saddle -shift 0.05 -pc_type cholesky -pc_factor_mat_ordering_type natural
      filter: head -n 1

   # Zero right-hand side, zero guess: no iteration.
   test:
      suffix: zero
      args: -ksp_type sqmr -zero_rhs -pc_type {{none jacobi}} -shift 1 -ksp_converged_reason
   # Monitors and the view of the method; the recurrence never begins anew on an easy system.
   test:
      suffix: monitor
      args: -ksp_type sqmr -problem saddle -shift 0.05 -pc_type cholesky -pc_factor_mat_ordering_type natural
      args: -ksp_monitor -ksp_monitor_true_residual -ksp_view
      filter: grep -E "^ *[01] KSP|type: sqmr|last solve|UNPRECONDITIONED" | sort | uniq
   # No norm, five iterations.
   test:
      suffix: none
      args: -ksp_type sqmr -ksp_norm_type none -ksp_convergence_test skip -ksp_max_it 5 -ksp_converged_reason
      filter: grep Linear

TEST*/
