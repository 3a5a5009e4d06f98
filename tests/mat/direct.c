static char help[] =
    "MATSOLVERTESSERA: solutions, inertia, singular and broken matrices, changed values, many right-hand sides.\n\n";

#include <petscksp.h>

static PetscErrorCode Verdict(const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s\n", what, good ? "yes" : "NO"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [G + shift I, B'; B, 0]: G the five-point Laplacian of an n x n grid, B with one row for every third column of the
   grid and entries 1 along it. With n = 0 an empty matrix. */
static PetscErrorCode CreateSaddlePoint(PetscInt n, PetscReal shift, PetscInt constraints, Mat *A)
{
  const PetscInt rows = n * n + constraints;
  PetscBool upper;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, rows, rows, rows, rows));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(PetscObjectTypeCompare((PetscObject)*A, MATSEQSBAIJ, &upper));
  if (upper)
    PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  for (PetscInt i = 0; i < n * n; i++) {
    PetscCall(MatSetValue(*A, i, i, 4.0 + shift, INSERT_VALUES));
    for (PetscInt k = 0; k < 2; k++) {
      const PetscInt j = k ? i + n : i + 1;

      if (k ? j >= n * n : j % n == 0)
        continue;
      PetscCall(MatSetValue(*A, i, j, -1.0, INSERT_VALUES));
      PetscCall(MatSetValue(*A, j, i, -1.0, INSERT_VALUES));
    }
  }
  for (PetscInt c = 0; c < constraints; c++) {
    PetscCall(MatSetValue(*A, n * n + c, n * n + c, 0.0, INSERT_VALUES));
    for (PetscInt k = 0; k < n; k++) {
      const PetscInt j = (3 * c) % n + k * n;

      PetscCall(MatSetValue(*A, n * n + c, j, 1.0, INSERT_VALUES));
      PetscCall(MatSetValue(*A, j, n * n + c, 1.0, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSolver(Mat A, KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetType(*ksp, KSPPREONLY));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, "tessera"));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves for a right-hand side in the range of A, and says how that ended and whether the backward error is small. */
static PetscErrorCode Solve(const char what[], KSP ksp)
{
  Mat A;
  Vec x, b;
  PetscRandom random;
  KSPConvergedReason reason;
  PetscReal residual, norm, size, right;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetType(random, PETSCRANDER48));
  PetscCall(VecSetRandom(x, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(MatMult(A, x, b));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason > 0) {
    PetscCall(MatNorm(A, NORM_INFINITY, &norm));
    PetscCall(VecNorm(x, NORM_INFINITY, &size));
    PetscCall(VecNorm(b, NORM_INFINITY, &right));
    PetscCall(MatResidual(A, b, x, b));
    PetscCall(VecNorm(b, NORM_INFINITY, &residual));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: solved, backward error below 1e-14: %s\n", what,
                          residual <= 1e-14 * (norm * size + right) ? "yes" : "NO"));
  } else {
    PC pc;
    PCFailedReason failed;

    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCGetFailedReason(pc, &failed));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s, %s\n", what, KSPConvergedReasons[reason], PCFailedReasons[failed]));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckInertia(KSP ksp, PetscInt negative, PetscInt zero)
{
  PC pc;
  Mat F;
  PetscInt rows, found[3];

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatGetSize(F, &rows, NULL));
  PetscCall(MatGetInertia(F, &found[0], &found[1], &found[2]));
  PetscCall(Verdict("inertia",
                    (PetscBool)(found[0] == negative && found[1] == zero && found[0] + found[1] + found[2] == rows)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Many right-hand sides at a time have the solutions of one at a time. */
static PetscErrorCode CheckColumns(KSP ksp)
{
  Mat A, F, B, X;
  PC pc;
  PetscRandom random;
  PetscInt rows;
  PetscReal largest = 0, difference;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, rows, 5, NULL, &B));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetType(random, PETSCRANDER48));
  PetscCall(MatSetRandom(B, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  PetscCall(MatMatSolve(F, B, X));
  for (PetscInt j = 0; j < 5; j++) {
    Vec b, x, y;

    PetscCall(MatCreateVecs(A, &y, NULL));
    PetscCall(MatDenseGetColumnVecRead(B, j, &b));
    PetscCall(MatSolve(F, b, y));
    PetscCall(MatDenseRestoreColumnVecRead(B, j, &b));
    PetscCall(MatDenseGetColumnVecRead(X, j, &x));
    PetscCall(VecAXPY(y, -1.0, x));
    PetscCall(MatDenseRestoreColumnVecRead(X, j, &x));
    PetscCall(VecNorm(y, NORM_INFINITY, &difference));
    largest = PetscMax(largest, difference);
    PetscCall(VecDestroy(&y));
  }
  PetscCall(Verdict("several right-hand sides", (PetscBool)(largest < 1e-10)));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetDiagonal(Mat A, PetscInt i, PetscReal value)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetValue(A, i, i, value, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt n = 12;
  PetscBool definite = PETSC_FALSE;
  Mat A;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-definite", &definite, NULL));
  if (definite) {
    PetscCall(CreateSaddlePoint(n, 0.1, 0, &A));
    PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
    PetscCall(CreateSolver(A, &ksp));
    PetscCall(Solve("definite", ksp));
    PetscCall(CheckInertia(ksp, 0, 0));
    PetscCall(SetDiagonal(A, 7, -1.0));
    PetscCall(Solve("not definite", ksp));
    PetscCall(SetDiagonal(A, 7, 5.0));
    PetscCall(Solve("definite again", ksp));
    PetscCall(MatDestroy(&A));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(PetscFinalize());
    return 0;
  }
  PetscCall(CreateSaddlePoint(n, 0.1, 4, &A));
  PetscCall(CreateSolver(A, &ksp));
  PetscCall(Solve("saddle point", ksp));
  PetscCall(CheckInertia(ksp, 4, 0));
  PetscCall(CheckColumns(ksp));
  PetscCall(SetDiagonal(A, 0, -40.0));
  PetscCall(Solve("one more negative eigenvalue", ksp));
  PetscCall(CheckInertia(ksp, 5, 0));
  PetscCall(SetDiagonal(A, 0, INFINITY));
  PetscCall(Solve("an infinity", ksp));
  PetscCall(SetDiagonal(A, 0, 4.0));
  PetscCall(Solve("after a failure", ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(KSPDestroy(&ksp));

  /* The constraints repeat after n of them: 14 of which two are the same as others. */
  PetscCall(CreateSaddlePoint(n, 0.1, 6, &A));
  PetscCall(CreateSolver(A, &ksp));
  PetscCall(Solve("dependent constraints", ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(KSPDestroy(&ksp));
  for (PetscInt rows = 0; rows < 3; rows++) {
    PetscCall(CreateSaddlePoint(rows, 0.1, 0, &A));
    PetscCall(CreateSolver(A, &ksp));
    PetscCall(Solve("few rows", ksp));
    PetscCall(MatDestroy(&A));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double !complex

   testset:
      output_file: output/direct_indefinite.out
      test:
         suffix: aij
         args: -mat_tessera_ordering {{auto nd amd metis natural}}
      test:
         suffix: petsc_ordering
         args: -pc_factor_mat_ordering_type {{nd rcm natural}}
      test:
         suffix: preprocessing
         args: -mat_tessera_preprocessing {{equilibrate none}} -mat_tessera_pivot_threshold {{0.01 0.5}}
      test:
         suffix: sbaij
         args: -mat_type sbaij

   test:
      suffix: singular
      args: -mat_tessera_singular solve

   testset:
      output_file: output/direct_definite.out
      args: -definite
      test:
         suffix: definite
         args: -mat_type {{aij sbaij}}

TEST*/
