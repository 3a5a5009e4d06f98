static char help[] =
    "MATSOLVERTESSERA inside PETSc's block preconditioners, for one and for several right-hand sides.\n\n";

#include <petscksp.h>

/* A shifted five-point Laplacian of an n x n grid: two dozen negative eigenvalues, none near zero. */
static PetscErrorCode CreateMatrix(PetscInt n, Mat *A)
{
  PetscInt first, last;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    const PetscInt left = i % n > 0 ? i - 1 : -1, right = i % n < n - 1 ? i + 1 : -1;

    PetscCall(MatSetValue(*A, i, i, 3.43 + 0.2 * (i % 3), INSERT_VALUES));
    if (left >= 0)
      PetscCall(MatSetValue(*A, i, left, -1.0, INSERT_VALUES));
    if (right >= 0)
      PetscCall(MatSetValue(*A, i, right, -1.0, INSERT_VALUES));
    if (i >= n)
      PetscCall(MatSetValue(*A, i, i - n, -1.0, INSERT_VALUES));
    if (i < n * (n - 1))
      PetscCall(MatSetValue(*A, i, i + n, -1.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(const char what[], KSP ksp, PetscReal residual, PetscReal right)
{
  KSPConvergedReason reason;
  PetscInt its, most = 1;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-at_most", &most, NULL));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: converged %s, residual %s, iterations %s\n", what,
                        reason > 0 ? "yes" : "NO", residual <= 1e-7 * right ? "small" : "NOT SMALL",
                        its <= most ? "few" : "MANY"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A, B, X, R;
  KSP ksp;
  Vec x, b, r;
  PetscInt m, n;
  PetscReal residual, right;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CreateMatrix(20, &A));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-9, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecNorm(b, NORM_2, &right));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatResidual(A, b, x, r));
  PetscCall(VecNorm(r, NORM_2, &residual));
  PetscCall(VecDestroy(&r));
  PetscCall(Report("one right-hand side", ksp, residual, right));

  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, m, PETSC_DECIDE, n, 4, NULL, &B));
  PetscCall(MatShift(B, 1.0));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(MatMatMult(A, X, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &R));
  PetscCall(MatAXPY(R, -1.0, B, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(R, NORM_FROBENIUS, &residual));
  PetscCall(MatNorm(B, NORM_FROBENIUS, &right));
  PetscCall(Report("four right-hand sides", ksp, residual, right));
  PetscCall(MatDestroy(&R));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&B));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double !complex

   testset:
      output_file: output/direct_blocks.out
      test:
         suffix: alone
         args: -ksp_type preonly -pc_type {{cholesky lu}} -pc_factor_mat_solver_type tessera
      test:
         suffix: bjacobi
         nsize: {{1 2}}
         args: -pc_type bjacobi -pc_bjacobi_blocks 4 -sub_pc_type {{cholesky lu}} -sub_pc_factor_mat_solver_type tessera
         args: -ksp_gmres_restart 200 -at_most 55
      test:
         suffix: asm
         nsize: {{1 2}}
         args: -pc_type asm -pc_asm_blocks 4 -pc_asm_overlap 2 -sub_pc_type {{cholesky lu}}
         args: -sub_pc_factor_mat_solver_type tessera -ksp_gmres_restart 200 -at_most 35
      test:
         suffix: redundant
         nsize: {{1 2}}
         args: -ksp_type gmres -pc_type redundant -redundant_pc_type {{cholesky lu}}
         args: -redundant_pc_factor_mat_solver_type tessera
      test:
         suffix: cuda
         requires: cuda
         args: -ksp_type preonly -pc_type {{cholesky lu}} -pc_factor_mat_solver_type tessera -mat_type aijcusparse

TEST*/
