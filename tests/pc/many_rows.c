static char help[] = "A matrix of 2^31 rows, and so many right-hand sides, are refused by errors that say so, not "
                     "taken modulo 2^32.\n\n";

#include <petscksp.h>

/* Keeps the text of an error where it arises. */
static PetscErrorCode PrintError(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                                 PetscErrorType p, const char *message, void *context)
{
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  if (p == PETSC_ERROR_INITIAL)
    (void)PetscPrintf(PETSC_COMM_SELF, "error %d: %s\n", (int)n, message);
  return n;
}

/* Block rows without entries take no memory, however large the blocks are. */
static PetscErrorCode RunRows(PC pc)
{
  const PetscInt block_rows = 32768, bs = 65536;
  PetscInt *entries;
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(block_rows, &entries));
  PetscCall(MatCreateSeqSBAIJ(PETSC_COMM_SELF, bs, block_rows * bs, block_rows * bs, 0, entries, &A));
  PetscCall(PetscFree(entries));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PetscPushErrorHandler(PrintError, NULL));
  if (!PCSetUp(pc))
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "NO ERROR\n"));
  PetscCall(PetscPopErrorHandler());
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nor do columns without rows. */
static PetscErrorCode RunColumns(PC pc)
{
  const PetscInt columns = (PetscInt)1 << 31;
  Mat A, R, Z;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 0, 0, 0, NULL, &A));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, 0, columns, NULL, &R));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, 0, columns, NULL, &Z));
  PetscCall(PetscPushErrorHandler(PrintError, NULL));
  if (!PCMatApply(pc, R, Z))
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "NO ERROR\n"));
  PetscCall(PetscPopErrorHandler());
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&R));
  PetscCall(MatDestroy(&Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(RunRows(pc));
  PetscCall(RunColumns(pc));
  PetscCall(PCDestroy(&pc));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: !complex double defined(PETSC_USE_64BIT_INDICES)

   test:
      suffix: bildlt
      args: -pc_type bildlt
   test:
      suffix: jldlt
      args: -pc_type jldlt

TEST*/
