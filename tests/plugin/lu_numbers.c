/* What an LU factor tells of its matrix, with real and with complex scalars. Prints what is wrong. */
#include <tessera.h>

static PetscErrorCode Expect(const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  if (!good)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "WARNING: %s\n", what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [1 z; 2 3], z of magnitude 4. */
static PetscErrorCode CreateMatrix(PetscScalar z, Mat *A)
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

static PetscErrorCode CheckFactor(Mat F, PetscScalar expected)
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

int main(int argc, char **argv)
{
  KSP ksp;
  PC pc;
  Mat A, F;
  Vec b, x;
#if PetscDefined(USE_COMPLEX)
  const PetscScalar z = PetscCMPLX(0.0, 4.0);
#else
  const PetscScalar z = 4.0;
#endif

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(TesseraInitializePackage());
  PetscCall(CreateMatrix(z, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERTESSERA));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(CheckFactor(F, 3.0 - 2.0 * z));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(PetscFinalize());
  return 0;
}
