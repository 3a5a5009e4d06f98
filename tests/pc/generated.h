#ifndef GENERATED_H
#define GENERATED_H

/* Generated symmetric systems, solved with the solver and the preconditioner of the options. */

#include <petscksp.h>

#define GENERATED_OPTIONS                                                                                              \
  "  -problem (saddle|helmholtz|spd|graph|arrow)   -n <size>   -scale <s>: of the matrix\n\
  -store_zeros: the zero block of a saddle point matrix has a stored diagonal\n\
  -at_most <k>: iterations that are good enough   -transpose: KSPSolveTranspose()\n\n"

typedef enum { SADDLE, HELMHOLTZ, SPD, GRAPH, ARROW } Problem;

/* Saddle point matrix [H, B'; B, 0] with n + n/2 rows: H tridiagonal and definite, three entries in a row of B. */
static PetscErrorCode SetSaddle(Mat A, PetscInt n, PetscReal s, PetscBool zeros)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    if (i < n) {
      PetscCall(MatSetValue(A, i, i, s * (2.5 + 0.1 * (i % 7)), INSERT_VALUES));
      if (i > 0)
        PetscCall(MatSetValue(A, i, i - 1, -s, INSERT_VALUES));
      if (i + 1 < n)
        PetscCall(MatSetValue(A, i, i + 1, -s, INSERT_VALUES));
    } else {
      const PetscInt k = i - n;
      const PetscInt column[3] = {2 * k, 2 * k + 1, (2 * k + n / 3 + 2) % n};
      const PetscScalar value[3] = {s, -2.0 * s, 0.5 * s};

      if (zeros)
        PetscCall(MatSetValue(A, i, i, 0.0, INSERT_VALUES));
      for (PetscInt j = 0; j < 3; j++) {
        PetscCall(MatSetValue(A, i, column[j], value[j], INSERT_VALUES));
        PetscCall(MatSetValue(A, column[j], i, value[j], INSERT_VALUES));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Five-point Laplacian on an n x n grid with row sums 0, plus shift I. */
static PetscErrorCode SetGrid(Mat A, PetscInt n, PetscReal s, PetscReal shift)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt neighbour[4] = {i >= n ? i - n : -1, i % n > 0 ? i - 1 : -1, i % n < n - 1 ? i + 1 : -1,
                                   i + n < n * n ? i + n : -1};
    PetscReal sum = 0.0;

    for (PetscInt j = 0; j < 4; j++) {
      if (neighbour[j] < 0)
        continue;
      PetscCall(MatSetValue(A, i, neighbour[j], -s, INSERT_VALUES));
      sum += 1.0;
    }
    PetscCall(MatSetValue(A, i, i, s * (sum + shift), INSERT_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dense first row and column, and a diagonal of both signs. */
static PetscErrorCode SetArrow(Mat A, PetscInt n, PetscReal s)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    PetscCall(MatSetValue(A, i, i, s * (i % 3 ? 2.0 : -1.0), INSERT_VALUES));
    for (PetscInt j = i == 0 ? 1 : n; j < n; j++) {
      PetscCall(MatSetValue(A, i, j, s / j, INSERT_VALUES));
      PetscCall(MatSetValue(A, j, i, s / j, INSERT_VALUES));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMatrix(Problem problem, PetscInt n, PetscReal s, PetscBool zeros, Mat *A)
{
  const PetscInt N = problem == SADDLE ? n + n / 2 : problem == ARROW ? n : n * n;
  MatType type;
  PetscBool symmetric;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, N, N));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetType(*A, &type));
  PetscCall(PetscStrendswith(type, "sbaij", &symmetric));
  if (symmetric)
    PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  switch (problem) {
  case SADDLE:
    PetscCall(SetSaddle(*A, n, s, zeros));
    break;
  case HELMHOLTZ:
    PetscCall(SetGrid(*A, n, s, -0.73));
    break;
  case SPD:
    PetscCall(SetGrid(*A, n, s, 0.2));
    break;
  case GRAPH:
    PetscCall(SetGrid(*A, n, s, 0.0));
    break;
  case ARROW:
    PetscCall(SetArrow(*A, n, s));
    break;
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Verdict(const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s\n", what, good ? "yes" : "NO"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(Mat A, PetscBool singular, PetscInt most, PetscBool transpose)
{
  KSP ksp;
  Vec solution, b, x, r;
  PetscRandom random;
  PetscReal bnorm, rnorm, error;
  PetscInt its;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &solution));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(PetscRandomCreate(PETSC_COMM_WORLD, &random));
  PetscCall(VecSetRandom(solution, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(MatMult(A, solution, b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, 400));
  PetscCall(KSPGMRESSetRestart(ksp, 400));
  PetscCall(KSPSetFromOptions(ksp));
  if (transpose) {
    PetscCall(KSPSolveTranspose(ksp, b, x));
  } else {
    PetscCall(KSPSolve(ksp, b, x));
  }
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecNorm(b, NORM_2, &bnorm));
  PetscCall(VecNorm(r, NORM_2, &rnorm));
  PetscCall(VecAXPY(x, -1.0, solution));
  PetscCall(VecNorm(x, NORM_INFINITY, &error));
  PetscCall(Verdict("converged", (PetscBool)(reason > 0)));
  PetscCall(Verdict("||b - A x|| <= 1e-8 ||b||", (PetscBool)(rnorm <= 1e-8 * bnorm)));
  PetscCall(Verdict("error < 1e-6", (PetscBool)(singular || error < 1e-6)));
  PetscCall(Verdict("few iterations", (PetscBool)(its <= most)));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&solution));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves the system of the options, and prints verdicts. */
static PetscErrorCode SolveGenerated(void)
{
  Mat A;
  const char *problems[] = {"saddle", "helmholtz", "spd", "graph", "arrow"};
  PetscInt problem = 0, n, most = 400;
  PetscReal scale = 1.0;
  PetscBool zeros = PETSC_FALSE, transpose = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetEList(NULL, NULL, "-problem", problems, 5, &problem, NULL));
  n = problem == SADDLE || problem == ARROW ? 200 : 20;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-at_most", &most, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-scale", &scale, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-store_zeros", &zeros, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-transpose", &transpose, NULL));
  PetscCall(CreateMatrix((Problem)problem, n, scale, zeros, &A));
  PetscCall(Solve(A, (PetscBool)(problem == GRAPH), most, transpose));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
