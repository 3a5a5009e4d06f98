static char help[] = "MATSOLVERTESSERA: LU of unsymmetric matrices, solved in every way, factored again, singular.\n\n";

#include "saddle_point.h"

/* With the imaginary part where scalars have one. */
static PetscScalar WithImaginary(PetscReal real, PetscReal imaginary)
{
#if PetscDefined(USE_COMPLEX)
  return PetscCMPLX(real, imaginary);
#else
  (void)imaginary;
  return real;
#endif
}

/* Central differences of a convection-diffusion problem on an n x n grid, with random coefficients of the first
   derivatives, and where scalars are complex with damping; `constraints` rows without a diagonal, each of which holds
   the sum of a column of the grid, and whose multipliers act on one point each; and a chain of `tail` rows that need
   the grid but that it does not need. */
static PetscErrorCode CreateConvection(PetscInt n, PetscInt constraints, PetscInt tail, PetscReal speed, Mat *A)
{
  const PetscInt grid = n * n, rows = grid + constraints + tail;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, rows, rows, rows, rows));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  for (PetscInt i = 0; i < grid; i++) {
    const PetscReal c = speed * PetscSinReal((PetscReal)i);

    PetscCall(MatSetValue(*A, i, i, WithImaginary(4.0, 0.5), INSERT_VALUES));
    if (i % n > 0)
      PetscCall(MatSetValue(*A, i, i - 1, WithImaginary(-1.0 - c, c / 3), INSERT_VALUES));
    if (i % n < n - 1)
      PetscCall(MatSetValue(*A, i, i + 1, -1.0 + c, INSERT_VALUES));
    if (i >= n)
      PetscCall(MatSetValue(*A, i, i - n, -1.0 + c / 2, INSERT_VALUES));
    if (i < grid - n)
      PetscCall(MatSetValue(*A, i, i + n, -1.0 - c / 2, INSERT_VALUES));
  }
  for (PetscInt k = 0; k < constraints; k++) {
    for (PetscInt i = 0; i < n; i++)
      PetscCall(MatSetValue(*A, grid + k, i * n + 2 * k, WithImaginary(1.0, -0.25), INSERT_VALUES));
    PetscCall(MatSetValue(*A, 3 * n + 2 * k, grid + k, 2.0, INSERT_VALUES));
  }
  for (PetscInt k = grid + constraints; k < rows; k++) {
    PetscCall(MatSetValue(*A, k, k, 0.5, INSERT_VALUES));
    PetscCall(MatSetValue(*A, k, k - 1, WithImaginary(1.0, 1.0), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With A and with its transpose. */
static PetscErrorCode SolveVectors(Mat A, Mat F)
{
  Mat At;
  Vec b, x;

  PetscFunctionBeginUser;
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &At));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(SetRandom(b));
  PetscCall(MatSolve(F, b, x));
  PetscCall(CheckSolution("MatSolve", A, x, b, 1e-13));
  PetscCall(MatSolveTranspose(F, b, x));
  PetscCall(CheckSolution("MatSolveTranspose", At, x, b, 1e-13));
  PetscCall(MatDestroy(&At));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveColumns(Mat A, Mat F, PetscInt columns, PetscBool transposed)
{
  Mat B, X, C;
  PetscInt n;
  PetscReal size, error;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, columns, NULL, &B));
  PetscCall(MatSetRandom(B, NULL));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  PetscCall(transposed ? MatMatSolveTranspose(F, B, X) : MatMatSolve(F, B, X));
  PetscCall(transposed ? MatTransposeMatMult(A, X, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C)
                       : MatMatMult(A, X, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatAXPY(C, -1.0, B, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(C, NORM_INFINITY, &error));
  PetscCall(MatNorm(X, NORM_INFINITY, &size));
  PetscCall(Verdict(transposed ? "MatMatSolveTranspose" : "MatMatSolve", (PetscBool)(error <= 1e-12 * size)));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The factor of a matrix without a PC, twice, with other values the second time. */
static PetscErrorCode TestFactor(PetscInt tail)
{
  Mat A, other, F;
  MatFactorInfo info;
  MatFactorError error;

  PetscFunctionBeginUser;
  PetscCall(CreateConvection(14, 4, tail, 0.7, &A));
  PetscCall(CreateConvection(14, 4, tail, 1.9, &other));
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetFactor(A, "tessera", MAT_FACTOR_LU, &F));
  PetscCall(MatLUFactorSymbolic(F, A, NULL, NULL, &info));
  PetscCall(MatLUFactorNumeric(F, A, &info));
  PetscCall(SolveVectors(A, F));
  PetscCall(MatLUFactorNumeric(F, other, &info));
  PetscCall(SolveVectors(other, F));
  for (int transposed = 0; transposed < 2; transposed++) {
    PetscCall(SolveColumns(other, F, 1, (PetscBool)transposed));
    PetscCall(SolveColumns(other, F, 37, (PetscBool)transposed));
  }
  PetscCall(MatFactorGetError(F, &error));
  PetscCall(Verdict("no error", (PetscBool)(error == MAT_FACTOR_NOERROR)));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A tail that depends on a zero: singular in a diagonal block of one row, and of rank n - 1 as a whole, though the
   entries right of the diagonal make the rank of blocks n - 1 and n - 2 by themselves. */
static PetscErrorCode TestSingular(void)
{
  KSP ksp;
  PC pc;
  Mat A;
  Vec b, x;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(CreateConvection(8, 2, 6, 0.7, &A));
  PetscCall(MatSetValue(A, 68, 68, 0.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(SetRandom(x));
  PetscCall(MatMult(A, x, b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, "tessera"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "singular: %s\n", KSPConvergedReasons[reason]));
  if (reason > 0)
    PetscCall(CheckSolution("a solution of a consistent system", A, x, b, 1e-13));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With an exact preconditioner biconjugate gradients take one iteration, if its adjoint, by way of PCApplyTranspose(),
   is exact too. */
static PetscErrorCode TestAdjoint(void)
{
  KSP ksp;
  PC pc;
  Mat A;
  Vec b, x;
  PetscInt iterations;

  PetscFunctionBeginUser;
  PetscCall(CreateConvection(14, 4, 9, 0.7, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(SetRandom(b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, KSPBICG));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, 5));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, "tessera"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(Verdict("one iteration of biconjugate gradients", (PetscBool)(iterations == 1)));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(TestFactor(0));
  PetscCall(TestFactor(9));
  PetscCall(TestAdjoint());
  PetscCall(TestSingular());
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double

   testset:
      output_file: output/lu.out
      test:
         args: -mat_tessera_ordering {{auto nd amd natural}} -mat_tessera_preprocessing {{matching none}}
      test:
         suffix: dense
         args: -mat_type dense
      test:
         suffix: threshold
         args: -mat_tessera_pivot_threshold {{0.001 0.5}} -mat_tessera_refine_steps {{0 10}}
      test:
         suffix: cuda
         requires: cuda
         args: -mat_type {{aijcusparse densecuda}} -mat_tessera_backend {{auto host cuda}}
      test:
         suffix: cuda_of_host
         requires: cuda
         args: -mat_type {{aij dense}} -mat_tessera_backend cuda
   test:
      suffix: solve
      args: -mat_tessera_singular solve -mat_type {{aij dense}} -ksp_view
      filter: grep -E ":.*(yes|NO|CONVERGED)|pivots:"

TEST*/
