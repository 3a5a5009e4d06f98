static char help[] =
    "MATSOLVERTESSERA: solutions, inertia, singular and broken matrices, changed values, many right-hand sides.\n\n";

#include "saddle_point.h"

/* Solves for a right-hand side in the range of A, and says how that ended and whether the backward error is small. */
static PetscErrorCode Solve(const char what[], KSP ksp)
{
  Mat A;
  Vec x, b;
  KSPConvergedReason reason;
  PetscReal error = 0;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(SetRandom(x));
  PetscCall(MatMult(A, x, b));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason > 0) {
    PetscCall(BackwardError(A, x, b, &error));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: solved, backward error below 1e-14: %s\n", what,
                          error <= 1e-14 ? "yes" : "NO"));
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
    PetscCall(CreateCholesky(A, &ksp));
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
  PetscCall(CreateCholesky(A, &ksp));
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
  PetscCall(CreateCholesky(A, &ksp));
  PetscCall(Solve("dependent constraints", ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(KSPDestroy(&ksp));
  for (PetscInt rows = 0; rows < 3; rows++) {
    PetscCall(CreateSaddlePoint(rows, 0.1, 0, &A));
    PetscCall(CreateCholesky(A, &ksp));
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
         suffix: singular_fails
         args: -mat_tessera_singular fail
      test:
         suffix: sbaij
         args: -mat_type sbaij
      test:
         suffix: dense
         args: -mat_type dense -mat_tessera_preprocessing {{matching equilibrate}}
      test:
         suffix: cuda
         requires: cuda
         args: -mat_type {{aijcusparse densecuda}}
      test:
         suffix: cuda_of_host
         requires: cuda
         args: -mat_type {{aij sbaij dense}} -mat_tessera_backend cuda

   test:
      suffix: singular
      args: -mat_tessera_singular solve

   testset:
      output_file: output/direct_definite.out
      args: -definite
      test:
         suffix: definite
         args: -mat_type {{aij sbaij dense}}
      test:
         suffix: definite_cuda
         requires: cuda
         args: -mat_type {{aijcusparse densecuda}}

TEST*/
