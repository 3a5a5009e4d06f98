static char help[] = "What PCBILDLT copies between host and GPU, by PETSc's log.\n\n";

#include <petscksp.h>

/* Five-point Laplacian on an n x n grid less 0.73 I. */
static PetscErrorCode CreateGrid(PetscInt n, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n * n, n * n, n * n, n * n));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  for (PetscInt i = 0; i < n * n; i++) {
    const PetscInt neighbour[4] = {i >= n ? i - n : -1, i % n > 0 ? i - 1 : -1, i % n < n - 1 ? i + 1 : -1,
                                   i + n < n * n ? i + n : -1};

    PetscCall(MatSetValue(*A, i, i, 3.27, INSERT_VALUES));
    for (PetscInt j = 0; j < 4; j++)
      if (neighbour[j] >= 0)
        PetscCall(MatSetValue(*A, i, neighbour[j], -1.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints how often each event happened since the last call, and how many copies it made each time. */
static PetscErrorCode PrintCopies(const char what[])
{
  const char *const names[3] = {"PCSetUp", "PCBILDLTFactor", "PCApply"};
  static PetscEventPerfInfo before[3];

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", what));
  for (int i = 0; i < 3; i++) {
    PetscLogEvent event;
    PetscEventPerfInfo now;
    int count;

    PetscCall(PetscLogEventGetId(names[i], &event));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &now));
    count = now.count - before[i].count;
    if (count > 0)
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %s: copies to the GPU %s, to the host %s\n", names[i],
                            now.CpuToGpuCount == before[i].CpuToGpuCount ? "none" : "some",
                            now.GpuToCpuCount == before[i].GpuToCpuCount ? "none" : "some"));
    if (count > 0 && i == 2 && now.GpuFlops <= before[i].GpuFlops)
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %s: NO GPU FLOPS\n", names[i]));
    before[i] = now;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(KSP ksp, Vec b, Vec x)
{
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason <= 0)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", KSPConvergedReasons[reason]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;
  KSP ksp;
  PC pc;
  Vec x, b;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(CreateGrid(30, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, "sqmr"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, "bildlt"));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(Solve(ksp, b, x));
  PetscCall(PrintCopies("first setup"));
  PetscCall(MatScale(A, 2.0));
  PetscCall(Solve(ksp, b, x));
  PetscCall(PrintCopies("second setup"));
  PetscCall(MatScale(A, -3.0));
  PetscCall(Solve(ksp, b, x));
  PetscCall(PrintCopies("third setup"));
  PetscCall(Solve(ksp, b, x));
  PetscCall(PrintCopies("no setup"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: cuda

   # Matrix and vectors in device memory: nothing is copied but in the first setup
   test:
      suffix: cuda_resident
      args: -mat_type aijcusparse -pc_bildlt_precision {{double single}} -pc_bildlt_drop_tolerance {{0 1e-3}}

   # Matrix and vectors on the host
   test:
      suffix: cuda_host
      args: -mat_type aij -pc_bildlt_backend cuda

TEST*/
