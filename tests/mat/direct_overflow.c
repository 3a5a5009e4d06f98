static char help[] = "Solves with MATSOLVERTESSERA whose solution is beyond the range of numbers.\n\n"
                     "  -lu            LU, else LDL^T\n"
                     "  -definite      LL^T\n";

#include "saddle_point.h"

#define CHAIN 200

typedef struct {
  Mat A;
  KSP ksp;
  PetscReal large; /* entries of a right-hand side whose solution overflows */
} System;

/* A chain of x_i = 50 x_{i-1} + b_i, of which each row alone looks harmless: B for LU, [0 B'; B 0] for LDL', and for
   LL' a matrix of tiny numbers on the diagonal. */
static PetscErrorCode CreateMatrix(PetscBool lu, PetscBool definite, Mat *A)
{
  const PetscInt below = lu || definite ? 0 : CHAIN;
  PetscBool upper;

  PetscFunctionBeginUser;
  PetscCall(CreateSquare(CHAIN + below, A, &upper));
  for (PetscInt i = 0; i < CHAIN; i++)
    for (PetscInt j = i > 0 && !definite ? i - 1 : i; j <= i; j++) {
      const PetscReal v = definite ? 1e-200 : j < i ? -50.0 : 1.0;

      PetscCall(MatSetValue(*A, below + i, j, v, INSERT_VALUES));
      if (below)
        PetscCall(MatSetValue(*A, j, below + i, v, INSERT_VALUES));
    }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  if (!lu)
    PetscCall(MatSetOption(*A, definite ? MAT_SPD : MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A right-hand side whose solution overflows, or one whose solution does not: A times the last unit vector. */
static PetscErrorCode SetRightHandSide(System s, PetscBool overflows, PetscBool transposed, Vec b)
{
  Vec e;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(VecSet(b, s.large));
  if (!overflows) {
    PetscCall(VecDuplicate(b, &e));
    PetscCall(VecGetSize(b, &n));
    PetscCall(VecSetValue(e, transposed ? 0 : n - 1, 1.0, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(e));
    PetscCall(VecAssemblyEnd(e));
    PetscCall(transposed ? MatMultTranspose(s.A, e, b) : MatMult(s.A, e, b));
    PetscCall(VecDestroy(&e));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintEntries(Vec x)
{
  const PetscScalar *entries;
  PetscInt n;
  PetscBool infinite = PETSC_TRUE, finite = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &entries));
  for (PetscInt i = 0; i < n; i++) {
    infinite = (PetscBool)(infinite && PetscIsInfScalar(entries[i]));
    finite = (PetscBool)(finite && !PetscIsInfOrNanScalar(entries[i]));
  }
  PetscCall(VecRestoreArrayRead(x, &entries));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s", infinite ? "flagged" : finite ? "finite" : "NEITHER"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintReason(KSP ksp)
{
  PC pc;
  KSPConvergedReason reason;
  PCFailedReason failed;

  PetscFunctionBeginUser;
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetFailedReason(pc, &failed));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, ", %s, %s\n", reason > 0 ? "CONVERGED" : KSPConvergedReasons[reason],
                        PCFailedReasons[failed]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(System s, KSPType type, PetscBool transposed, PetscBool overflows)
{
  Vec b, x;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(s.A, &x, &b));
  PetscCall(SetRightHandSide(s, overflows, transposed, b));
  PetscCall(KSPSetType(s.ksp, type));
  PetscCall(transposed ? KSPSolveTranspose(s.ksp, b, x) : KSPSolve(s.ksp, b, x));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s%s: ", type, transposed ? ", transposed" : ""));
  PetscCall(PrintEntries(x));
  PetscCall(PrintReason(s.ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As KSPMatSolve(), for which PETSc 3.25 flags a dense matrix by MatSetInf(), an error: there column by column, up to
   the one that overflows. */
static PetscErrorCode SolveByKSP(System s, PetscBool transposed, Mat B, Mat X)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetType(s.ksp, KSPPREONLY));
#if PETSC_VERSION_LT(3, 26, 0)
  for (PetscInt j = 0; j < 2; j++) {
    Vec b, x;

    PetscCall(MatDenseGetColumnVecRead(B, j, &b));
    PetscCall(MatDenseGetColumnVecWrite(X, j, &x));
    PetscCall(transposed ? KSPSolveTranspose(s.ksp, b, x) : KSPSolve(s.ksp, b, x));
    PetscCall(MatDenseRestoreColumnVecWrite(X, j, &x));
    PetscCall(MatDenseRestoreColumnVecRead(B, j, &b));
  }
#else
  PetscCall(transposed ? KSPMatSolveTranspose(s.ksp, B, X) : KSPMatSolve(s.ksp, B, X));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves for three right-hand sides, of which the second one overflows. A KSP flags the others, too. */
static PetscErrorCode SolveMany(System s, PetscBool by_ksp, PetscBool transposed)
{
  PC pc;
  Mat F, B, X;
  Vec v;
  VecType type;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(s.ksp, &pc));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatGetSize(s.A, &n, NULL));
  PetscCall(MatGetVecType(s.A, &type));
  PetscCall(MatCreateDenseFromVecType(PETSC_COMM_SELF, type, n, 3, n, 3, -1, NULL, &B));
  PetscCall(MatCreateDenseFromVecType(PETSC_COMM_SELF, type, n, 3, n, 3, -1, NULL, &X));
  for (PetscInt j = 0; j < 3; j++) {
    PetscCall(MatDenseGetColumnVecWrite(B, j, &v));
    PetscCall(SetRightHandSide(s, j == 1, transposed, v));
    PetscCall(MatDenseRestoreColumnVecWrite(B, j, &v));
  }
  if (by_ksp)
    PetscCall(SolveByKSP(s, transposed, B, X));
  else
    PetscCall(transposed ? MatMatSolveTranspose(F, B, X) : MatMatSolve(F, B, X));
  PetscCall(
      PetscPrintf(PETSC_COMM_SELF, "%s%s:", by_ksp ? "KSPMatSolve" : "MatMatSolve", transposed ? "Transpose" : ""));
  for (PetscInt j = by_ksp; j < 3 - by_ksp; j++) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, " "));
    PetscCall(MatDenseGetColumnVecRead(X, j, &v));
    PetscCall(PrintEntries(v));
    PetscCall(MatDenseRestoreColumnVecRead(X, j, &v));
  }
  if (by_ksp)
    PetscCall(PrintReason(s.ksp));
  else
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The factor by itself, and its halves. */
static PetscErrorCode SolveByFactor(System s, PetscBool halves)
{
  PC pc;
  Mat F;
  Vec b, x;
  MatFactorError error;
  PCFailedReason failed;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(s.ksp, &pc));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatCreateVecs(s.A, &x, &b));
  PetscCall(SetRightHandSide(s, PETSC_TRUE, PETSC_FALSE, b));
  PetscCall(MatSolve(F, b, x));
  PetscCall(MatFactorGetError(F, &error));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "MatSolve: "));
  PetscCall(PrintEntries(x));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, ", the factor %s\n", error ? "FAILED" : "remains"));
  if (halves) {
    PetscCall(PCApplySymmetricLeft(pc, b, x));
    PetscCall(PCGetFailedReason(pc, &failed));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "half: "));
    PetscCall(PrintEntries(x));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, ", %s\n", PCFailedReasons[failed]));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block preconditioner whose block fails. */
static PetscErrorCode SolveByBlock(System s, PetscBool lu)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &s.ksp));
  PetscCall(KSPSetOptionsPrefix(s.ksp, "block_"));
  PetscCall(KSPSetOperators(s.ksp, s.A, s.A));
  PetscCall(KSPGetPC(s.ksp, &pc));
  PetscCall(PCSetType(pc, PCBJACOBI));
  PetscCall(PetscOptionsSetValue(NULL, "-block_sub_pc_type", lu ? PCLU : PCCHOLESKY));
  PetscCall(PetscOptionsSetValue(NULL, "-block_sub_pc_factor_mat_solver_type", "tessera"));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "block "));
  PetscCall(Solve(s, KSPPREONLY, PETSC_FALSE, PETSC_TRUE));
  PetscCall(KSPDestroy(&s.ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All that fails is followed by what does not. */
static PetscErrorCode SolveAll(System s, PetscBool lu)
{
  PetscFunctionBeginUser;
  for (int t = 0; t < 2; t++) {
    const PetscBool transposed = (PetscBool)t;

    for (int k = 0; k < 2; k++) {
      const PetscBool overflows = (PetscBool)!k;

      PetscCall(Solve(s, KSPPREONLY, transposed, overflows));
      PetscCall(Solve(s, KSPGMRES, transposed, overflows));
      if (!lu && !transposed)
        PetscCall(Solve(s, "sqmr", transposed, overflows));
    }
    PetscCall(SolveMany(s, PETSC_TRUE, transposed));
    PetscCall(SolveMany(s, PETSC_FALSE, transposed));
  }
  PetscCall(SolveByFactor(s, (PetscBool)!lu));
  PetscCall(Solve(s, KSPPREONLY, PETSC_FALSE, PETSC_FALSE));
  PetscCall(SolveByBlock(s, lu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  System s;
  PC pc;
  PetscBool lu = PETSC_FALSE, definite = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-lu", &lu, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-definite", &definite, NULL));
  s.large = definite ? 1e250 : 1.0;
  PetscCall(CreateMatrix(lu, definite, &s.A));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &s.ksp));
  PetscCall(KSPSetOperators(s.ksp, s.A, s.A));
  PetscCall(KSPGetPC(s.ksp, &pc));
  PetscCall(PCSetType(pc, lu ? PCLU : PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, "tessera"));
  PetscCall(KSPSetFromOptions(s.ksp));
  PetscCall(SolveAll(s, lu));
  PetscCall(KSPDestroy(&s.ksp));
  PetscCall(MatDestroy(&s.A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double !complex

   testset:
      args: -mat_tessera_refine_steps {{0 10}}
      test:
         suffix: lu
         args: -lu
      test:
         suffix: indefinite
         args: -mat_type {{aij sbaij}}
      test:
         suffix: definite
         args: -definite

   # with refinement, without which a GPU does not look at solutions; nor does it at halves
   testset:
      requires: cuda
      args: -mat_type aijcusparse -mat_tessera_refine_steps 10
      test:
         suffix: lu_cuda
         args: -lu
         output_file: output/direct_overflow_lu.out
      test:
         suffix: definite_cuda
         args: -definite

TEST*/
