static char help[] = "A PCJLDLT set up again: which sweeps it begins with the last factor, and how near they come.\n\n";

#include <petscksp.h>

#include "grid.h"

/* From the view of the preconditioner: how many sweeps made the factor, and how they began and ended, in words; and how
   far the factor is from the matrix. */
static PetscErrorCode GetSweeps(PC pc, char words[], size_t length, PetscReal *error)
{
  PetscViewer viewer;
  char *text, *begin, *end;
  FILE *file;
  size_t size;

  PetscFunctionBeginUser;
  file = open_memstream(&text, &size);
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for what PCView() prints");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCheck(fclose(file) == 0, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "What PCView() prints is lost");
  begin = strstr(text, "  sweeps ");
  end = begin ? strstr(begin, ", reconstruction error ") : NULL;
  PetscCheck(end, PETSC_COMM_SELF, PETSC_ERR_PLIB, "PCView() tells nothing of sweeps");
  *error = (PetscReal)strtod(end + strlen(", reconstruction error "), NULL);
  *end = '\0';
  PetscCall(PetscStrncpy(words, begin, length));
  free(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||r - A M^-1 r|| / ||r|| for a pseudo-random r. */
static PetscErrorCode GetResidual(PC pc, Mat A, PetscReal *residual)
{
  Vec r, z, w;
  PetscRandom random;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &z, &r));
  PetscCall(VecDuplicate(r, &w));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetInterval(random, -1.0, 1.0));
  PetscCall(VecSetRandom(r, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(PCApply(pc, r, z));
  PetscCall(MatResidual(A, r, z, w));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecNorm(w, NORM_2, residual));
  *residual /= norm;
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&z));
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the preconditioner up, which shows its sweeps, and prints how it began and ended and how good it is. */
static PetscErrorCode SetUp(const char what[], PC pc, Mat A)
{
  char words[128];
  PetscReal error, residual;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", what));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(GetSweeps(pc, words, sizeof(words), &error));
  PetscCall(GetResidual(pc, A, &residual));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", words));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "  reconstruction error of at most 0.0025: %s\n",
                        error > 0 && error <= 0.0025 ? "yes" : "NO"));
  PetscCall(
      PetscPrintf(PETSC_COMM_SELF, "  ||r - A M^-1 r|| of at most 0.02 ||r||: %s\n", residual <= 0.02 ? "yes" : "NO"));
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

   build:
      requires: !complex double

   testset:
      # of what the monitor prints the lines count, and the verdicts for the size of the errors
      args: -pc_jldlt_monitor -pc_jldlt_block_size 6 -pc_jldlt_stall 1e-3 -pc_jldlt_stages 2 -pc_jldlt_fill_level 2
      filter: sed -E "s/:? reconstruction error [0-9.e+-]+$//" | tr . _
      output_file: output/jldlt_reuse.out
      test:
         suffix: 1
         args: -mat_type {{aij sbaij}}
      test:
         suffix: cuda
         requires: cuda
         args: -mat_type aijcusparse -pc_jldlt_check
      test:
         suffix: cuda_host_matrix
         requires: cuda
         args: -mat_type aij -pc_jldlt_backend cuda -pc_jldlt_check

TEST*/
