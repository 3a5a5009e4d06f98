static char help[] = "KSPSQMR where the preconditioner of one process has failed: all processes end, and say so.\n\n";

#include <petscksp.h>

/* Two rows a process: [1 1; 1 -1], but a block of zeros on the last one. Rows of neighbours are coupled, so that the
   matrix is regular. */
static PetscErrorCode CreateMatrix(Mat *A)
{
  PetscMPIInt rank, size;
  PetscInt rows;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  rows = 2 * size;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, 2, 2, rows, rows, 4, NULL, 2, NULL, A));
  for (PetscInt i = 2 * rank; i < 2 * rank + 2; i++)
    for (PetscInt j = 0; j < rows; j++) {
      const PetscBool own = (PetscBool)(j / 2 == rank), neighbour = (PetscBool)(PetscAbsInt(i - j) == 2);
      const PetscReal value = own ? (rank == size - 1 ? 0.0 : i == j ? (i % 2 ? -1.0 : 1.0) : 1.0) : 0.25;

      if (own || neighbour)
        PetscCall(MatSetValue(*A, i, j, value, INSERT_VALUES));
    }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  Mat A;
  Vec x, b;
  KSP ksp;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &args, NULL, help));
  PetscCall(CreateMatrix(&A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(PetscSynchronizedPrintf(PETSC_COMM_WORLD, "%s\n", KSPConvergedReasons[reason]));
    PetscCall(PetscSynchronizedFlush(PETSC_COMM_WORLD, PETSC_STDOUT));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: double !complex

   testset:
      nsize: 3
      output_file: output/failed_block.out
      args: -ksp_type sqmr -pc_type bjacobi -ksp_norm_type {{unpreconditioned preconditioned none}}
      test:
         suffix: bildlt
         args: -sub_pc_type bildlt
      test:
         suffix: jldlt
         args: -sub_pc_type jldlt
      test:
         suffix: tessera
         args: -sub_pc_type cholesky -sub_pc_factor_mat_solver_type tessera

TEST*/
