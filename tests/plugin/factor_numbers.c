/* What factors tell of their matrices, with real and with complex scalars. Prints what is wrong. */
#include <tessera.h>

static PetscErrorCode Expect(const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  if (!good)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "WARNING: %s\n", what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [1 upper; lower last]. */
static PetscErrorCode CreateTwoByTwo(PetscScalar upper, PetscScalar lower, PetscScalar last, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 2, 2, 2, NULL, A));
  PetscCall(MatSetValue(*A, 0, 0, 1.0, INSERT_VALUES));
  PetscCall(MatSetValue(*A, 0, 1, upper, INSERT_VALUES));
  PetscCall(MatSetValue(*A, 1, 0, lower, INSERT_VALUES));
  PetscCall(MatSetValue(*A, 1, 1, last, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of [1 z; 2 3], z of magnitude 4. */
static PetscErrorCode CheckLU(Mat F, PetscScalar expected)
{
  PetscScalar mantissa;
  PetscReal condition, error, distance;
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
  PetscCall(MatTesseraGetSingularDistance(F, &distance)); /* the second row has 2 + 3 beside 2 + 3 */
  PetscCall(Expect("the distance to a singular matrix", (PetscBool)(PetscAbsReal(distance - 1) <= 1e-15)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the view of a factor has a line. */
static PetscErrorCode HasLine(Mat F, const char line[], PetscBool *has)
{
  const char name[] = "factor_numbers.view";
  char text[4096] = "";
  PetscViewer viewer;
  FILE *file;
  char *found;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, name, &viewer));
  PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
  PetscCall(MatView(F, viewer));
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscFOpen(PETSC_COMM_SELF, name, "r", &file));
  PetscCheck(fread(text, 1, sizeof text - 1, file) > 0, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "The view is empty");
  PetscCall(PetscFClose(PETSC_COMM_SELF, file));
  PetscCall(PetscStrstr(text, line, &found));
  *has = found ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [1 1; 1 1 + 2^-49] is regular, and singular but for units of rounding of its entries. */
static PetscErrorCode CheckNearlySingular(void)
{
  const char line[] = "of each make the matrix singular";
  KSP ksp;
  PC pc;
  Mat A, F;
  Vec b, x;
  PetscReal distance;
  PetscInt zero;
  PetscBool has;

  PetscFunctionBeginUser;
  PetscCall(CreateTwoByTwo(1.0, 1.0, 1.0 + PetscPowRealInt(2.0, -49), &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSetValue(b, 0, 1.0, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERTESSERA));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetUp(ksp));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatTesseraGetPivots(F, NULL, NULL, NULL, &zero, NULL));
  PetscCall(Expect("that it is regular", (PetscBool)(zero == 0)));
  PetscCall(MatTesseraGetSingularDistance(F, &distance));
  PetscCall(Expect("that no distance is known without a solution", (PetscBool)(distance == -1)));
  PetscCall(HasLine(F, line, &has));
  PetscCall(Expect("that its view says nothing of a solution", (PetscBool)!has));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(MatTesseraGetSingularDistance(F, &distance));
  PetscCall(Expect("a small distance", (PetscBool)(distance >= 0 && distance <= 8 * PETSC_MACHINE_EPSILON)));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(A, x, b));
  PetscCall(KSPSolve(ksp, b, x)); /* which tells of nothing */
  PetscCall(HasLine(F, line, &has));
  PetscCall(Expect("that its view says so", has));
  PetscCall(MatShift(A, 1.0));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetUp(ksp));
  PetscCall(MatTesseraGetSingularDistance(F, &distance));
  PetscCall(Expect("no distance of a new factor", (PetscBool)(distance == -1)));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
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
  PetscCall(CreateTwoByTwo(z, 2.0, 3.0, &A));
  PetscCall(Solve(A, PCLU, &ksp, &F));
  PetscCall(CheckLU(F, 3.0 - 2.0 * z));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(CheckNearlySingular());
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
