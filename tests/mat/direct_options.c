static char help[] = "What MATSOLVERTESSERA makes of PETSc's options for factorizations.\n\n";

#include "saddle_point.h"

int main(int argc, char **argv)
{
  Mat A, F;
  KSP ksp;
  PC pc;
  Vec x, b;
  MatSolverType type;
  PetscErrorCode failed;
  PetscReal error = 0;
  PetscInt negative = 4;
  PetscBool inertia;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CreateSaddlePoint(12, 0.1, 4, &A));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, "tessera"));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(PetscPushErrorHandler(PrintError, NULL));
  failed = KSPSetUp(ksp);
  PetscCall(PetscPopErrorHandler());
  if (!failed) {
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(SetRandom(b));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(BackwardError(A, x, b, &error));
    PetscCall(Verdict("solved", (PetscBool)(error <= 1e-14)));
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(MatFactorGetSolverType(F, &type));
    PetscCall(MatHasOperation(F, MATOP_GET_INERTIA, &inertia));
    if (inertia)
      PetscCall(MatGetInertia(F, &negative, NULL, NULL));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "by %s, inertia: %s\n", type, negative == 4 ? "yes" : "NO"));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double !complex

   # taken, or without an effect that could be wrong
   testset:
      output_file: output/direct_options.out
      test:
         suffix: fill
         args: -pc_factor_fill 1.5 -pc_factor_reuse_fill
      test:
         suffix: no_shift
         args: -pc_factor_shift_type none -pc_factor_shift_amount 1e-3
      test:
         suffix: ordering
         args: -pc_factor_mat_ordering_type {{nd 1wd qmd rcm rowlength natural external}} -pc_factor_reuse_ordering
      test:
         suffix: ordering_amd
         requires: suitesparse
         args: -pc_factor_mat_ordering_type amd
      test:
         suffix: lu
         args: -pc_type lu -pc_factor_mat_solver_type tessera
         args: -pc_factor_mat_ordering_type {{natural nd external}} -mat_type {{aij dense}}
      test:
         suffix: nonzeros_along_diagonal
         args: -pc_factor_nonzeros_along_diagonal -pc_factor_mat_ordering_type nd
      test:
         suffix: no_pivots_in_blocks
         args: -pc_factor_pivot_in_blocks 0 -mat_type {{aij sbaij}}
      test:
         suffix: on_host
         args: -pc_factor_mat_factor_on_host -pc_factor_mat_solve_on_host
      test:
         suffix: on_host_cuda
         requires: cuda
         args: -pc_factor_mat_factor_on_host -pc_factor_mat_solve_on_host -mat_type aijcusparse

   # the pivot threshold: PETSc's option, and our own before it; the comparison ignores numbers with a point
   test:
      suffix: threshold
      args: -pc_factor_column_pivot 0.25 -ksp_view
      filter: grep -E "pivot threshold|backend|solved|inertia:" | tr . _
   test:
      suffix: threshold_twice
      args: -pc_factor_column_pivot 0.25 -mat_tessera_pivot_threshold 0.125 -ksp_view
      filter: grep -E "pivot threshold|backend|solved|inertia:" | tr . _
   # PCLU sets a threshold of 1e-6 by itself, for PETSc's own LU
   test:
      suffix: threshold_of_pclu
      args: -pc_type lu -pc_factor_mat_solver_type tessera -ksp_view
      filter: grep -E "pivot threshold|solved" | tr . _
   # static pivoting: no pivot is replaced where the matching finds them all
   test:
      suffix: static
      args: -mat_tessera_pivot_threshold 0 -ksp_view
      filter: grep -E "pivot threshold|static|backend|solved|inertia:" | tr . _
   test:
      suffix: static_cuda
      requires: cuda
      args: -mat_type aijcusparse -pc_type {{cholesky lu}} -pc_factor_mat_solver_type tessera
      args: -mat_tessera_pivot_threshold 0 -ksp_view
      filter: grep -E "static|backend|solved|inertia: (yes|NO)"
   # steps of refinement follow until the error is below the target, or one does not help
   test:
      suffix: refine_target
      args: -mat_tessera_refine_target {{0 1}separate output} -ksp_view
      filter: sed -n "s,.*last solve.* after 0 steps.*,not refined,p;s,.*last solve.* after [1-9].*,refined,p"
   test:
      suffix: view_ordering
      args: -pc_factor_mat_ordering_type rcm -ksp_view
      filter: grep -E "pivot threshold|backend|solved|inertia:" | tr . _

   # refused
   test:
      suffix: threshold_above
      args: -pc_factor_column_pivot 0.75
      filter: tr . _
   test:
      suffix: shift
      args: -pc_factor_shift_type {{nonzero positive_definite inblocks}}
   test:
      suffix: zeropivot
      args: -pc_factor_zeropivot 1e-20
   test:
      suffix: solve_on_host_cuda
      requires: cuda
      args: -mat_tessera_backend cuda -pc_factor_mat_solve_on_host
   test:
      suffix: contradiction
      args: -mat_tessera_backend cuda -pc_factor_mat_factor_on_host
   test:
      suffix: threshold_below
      args: -mat_tessera_pivot_threshold 1e-13
      filter: tr . _
   test:
      suffix: later_threshold_above
      args: -mat_tessera_later_pivot_threshold 0.25
      filter: tr . _
   test:
      suffix: later_threshold_below
      args: -mat_tessera_later_pivot_threshold 0
      filter: tr . _
   test:
      suffix: later_threshold_of_static
      args: -mat_tessera_pivot_threshold 0 -mat_tessera_later_pivot_threshold 1e-4
      filter: tr . _
   test:
      suffix: no_gpu
      requires: !cuda
      args: -mat_tessera_backend cuda
   test:
      suffix: lu_no_gpu
      requires: !cuda
      args: -pc_type lu -pc_factor_mat_solver_type tessera -mat_tessera_backend cuda
   test:
      suffix: lu_equilibrate
      args: -pc_type lu -pc_factor_mat_solver_type tessera -mat_tessera_preprocessing equilibrate
   test:
      suffix: incomplete
      args: -mat_tessera_ordering {{rcm color}separate output}

TEST*/
