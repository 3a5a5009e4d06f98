static char help[] = "A PCJLDLT set up again: which sweeps it begins with the last factor, and how near they come.\n\n";

#include <petscksp.h>

#include "grid.h"

/* Sets the preconditioner up, which prints the errors of its sweeps, and shows how it began. Then applies it. */
static PetscErrorCode SetUp(const char what[], PC pc, Mat A)
{
  Vec r, z;
  PetscReal size;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", what));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PCView(pc, PETSC_VIEWER_STDOUT_SELF));
  PetscCall(MatCreateVecs(A, &r, &z));
  PetscCall(VecSet(r, 1.0));
  PetscCall(PCApply(pc, r, z));
  PetscCall(VecNorm(z, NORM_2, &size));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "norm of the result %.8g\n", (double)size));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A, B;
  PC pc;
  Vec d;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CreateGrid(12, 0.05, PETSC_FALSE, &A));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, "jldlt"));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(SetUp("first", pc, A));
  PetscCall(MatCreateVecs(A, &d, NULL));
  PetscCall(MatGetDiagonal(A, d));
  PetscCall(VecScale(d, 1.001));
  PetscCall(MatDiagonalSet(A, d, INSERT_VALUES));
  PetscCall(SetUp("values that have changed little", pc, A));
  PetscCall(MatScale(A, -3.0));
  PetscCall(SetUp("values far off", pc, A));
  PetscCall(MatScale(A, 1.0001));
  PetscCall(SetUp("and again little", pc, A));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_jldlt_warm_start", "0"));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(MatScale(A, 1.0001));
  PetscCall(SetUp("without a warm start", pc, A));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_jldlt_warm_start"));
  PetscCall(CreateGrid(12, 0.5, PETSC_TRUE, &B));
  PetscCall(SetUp("another pattern", pc, B));
  PetscCall(VecDestroy(&d));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   testset:
      args: -pc_jldlt_monitor -pc_jldlt_block_size 6 -pc_jldlt_stall 1e-3 -pc_jldlt_stages 2 -pc_jldlt_fill_level 2
      filter: grep -E "^[a-z]|  sweeps | sweep |  epsilon "
      output_file: output/jldlt_reuse.out
      test:
         suffix: 1
         args: -mat_type {{aij sbaij}}
      test:
         suffix: cuda
         requires: cuda
         args: -mat_type aijcusparse
      test:
         suffix: cuda_host_matrix
         requires: cuda
         args: -mat_type aij -pc_jldlt_backend cuda

TEST*/
