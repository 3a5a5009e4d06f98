/* What factors tell of their matrices, with real and with complex scalars. Prints what is wrong. */
#include <tessera.h>

static PetscErrorCode Expect(const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  if (!good)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "WARNING: %s\n", what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [1 z; 2 3], z of magnitude 4. */
static PetscErrorCode CreateUnsymmetric(PetscScalar z, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 2, 2, 2, NULL, A));
  PetscCall(MatSetValue(*A, 0, 0, 1.0, INSERT_VALUES));
  PetscCall(MatSetValue(*A, 0, 1, z, INSERT_VALUES));
  PetscCall(MatSetValue(*A, 1, 0, 2.0, INSERT_VALUES));
  PetscCall(MatSetValue(*A, 1, 1, 3.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckLU(Mat F, PetscScalar expected)
{
  PetscScalar mantissa;
  PetscReal condition, error;
  PetscInt exponent, pivots, zero, delayed;

  PetscFunctionBeginUser;
  PetscCall(MatTesseraGetDeterminant(F, &mantissa, &exponent));
  PetscCall(Expect("the determinant",
                   (PetscBool)(PetscAbsScalar(mantissa * PetscPowRealInt(2.0, exponent) - expected) <= 1e-14)));
  PetscCall(Expect("its mantissa", (PetscBool)(PetscAbsScalar(mantissa) >= 0.5 && PetscAbsScalar(mantissa) < 1)));
  PetscCall(MatTesseraGetConditionNumber(F, &condition));
  PetscCall(
      Expect("the condition number", (PetscBool)(PetscAbsReal(condition - 35 / PetscAbsScalar(expected)) <= 1e-13)));
  PetscCall(MatTesseraGetPivots(F, &pivots, NULL, &delayed, &zero, NULL));
  PetscCall(Expect("the pivots", (PetscBool)(pivots == 2 && delayed == 0 && zero == 0)));
  PetscCall(MatTesseraGetBackwardError(F, &error, NULL));
  PetscCall(Expect("the backward error", (PetscBool)(error >= 0 && error <= 1e-15)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* diag([0 2; 2 0], 0). */
static PetscErrorCode CreateSingular(Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 3, 3, 1, NULL, A));
  PetscCall(MatSetValue(*A, 0, 1, 2.0, INSERT_VALUES));
  PetscCall(MatSetValue(*A, 1, 0, 2.0, INSERT_VALUES));
  PetscCall(MatSetValue(*A, 2, 2, 0.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckLDLT(Mat F)
{
  PetscScalar mantissa;
  PetscReal condition, error;
  PetscInt exponent, one, two, delayed, zero, uncertain, steps;

  PetscFunctionBeginUser;
  PetscCall(MatTesseraGetPivots(F, &one, &two, &delayed, &zero, &uncertain));
  PetscCall(
      Expect("the pivots of LDL^T", (PetscBool)(one == 1 && two == 1 && delayed == 0 && zero == 1 && uncertain == 0)));
  PetscCall(MatTesseraGetDeterminant(F, &mantissa, &exponent));
  PetscCall(Expect("the determinant of a singular matrix", (PetscBool)(mantissa == 0.0)));
  PetscCall(MatTesseraGetConditionNumber(F, &condition));
  PetscCall(Expect("the condition number of a singular matrix", (PetscBool)(condition == PETSC_INFINITY)));
  PetscCall(MatTesseraGetBackwardError(F, &error, &steps));
  PetscCall(Expect("the backward error of LDL^T", (PetscBool)(error >= 0 && error <= 1e-15 && steps == 0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with a factor of A, of a right-hand side in its range. */
static PetscErrorCode Solve(Mat A, PCType type, KSP *ksp, Mat *F)
{
  PC pc;
  Vec b, x;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(A, x, b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetType(*ksp, KSPPREONLY));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, type));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERTESSERA));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscCall(KSPSolve(*ksp, b, x));
  PetscCall(PCFactorGetMatrix(pc, F));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of static pivoting, which has no zero pivots. */
static PetscErrorCode CheckStatic(Mat F)
{
  PetscInt one, two, delayed, zero, perturbed;

  PetscFunctionBeginUser;
  PetscCall(MatTesseraGetPivots(F, &one, &two, &delayed, &zero, NULL));
  PetscCall(Expect("the pivots of static pivoting", (PetscBool)(one == 1 && two == 1 && delayed == 0 && zero == 0)));
  PetscCall(MatTesseraGetPerturbedPivots(F, &perturbed));
  PetscCall(Expect("the perturbed pivots", (PetscBool)(perturbed == 1)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  KSP ksp;
  Mat A, F;
  PetscInt perturbed;
#if PetscDefined(USE_COMPLEX)
  const PetscScalar z = PetscCMPLX(0.0, 4.0);
#else
  const PetscScalar z = 4.0;
#endif

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(TesseraInitializePackage());
  PetscCall(CreateUnsymmetric(z, &A));
  PetscCall(Solve(A, PCLU, &ksp, &F));
  PetscCall(CheckLU(F, 3.0 - 2.0 * z));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(CreateSingular(&A));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_tessera_singular", "solve"));
  PetscCall(Solve(A, PCCHOLESKY, &ksp, &F));
  PetscCall(CheckLDLT(F));
  PetscCall(MatTesseraGetPerturbedPivots(F, &perturbed));
  PetscCall(Expect("that none is perturbed", (PetscBool)(perturbed == 0)));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_tessera_pivot_threshold", "0"));
  PetscCall(Solve(A, PCCHOLESKY, &ksp, &F));
  PetscCall(CheckStatic(F));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
