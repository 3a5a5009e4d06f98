static char help[] = "What PCBILDLT copies between host and GPU, by PETSc's log.\n\n";

#include <petscksp.h>

#include "grid.h"

/* Prints which events happened since the last call, and whether they copied something. */
static PetscErrorCode PrintCopies(const char what[])
{
  const char *const names[3] = {"PCSetUp", "PCBILDLTFactor", "PCApply"};
  static PetscEventPerfInfo before[3];

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", what));
  for (int i = 0; i < 3; i++) {
    PetscLogEvent event;
    PetscEventPerfInfo now;

    PetscCall(PetscLogEventGetId(names[i], &event));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &now));
    if (now.count > before[i].count)
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %s: copies to the GPU %s, to the host %s\n", names[i],
                            now.CpuToGpuCount == before[i].CpuToGpuCount ? "none" : "some",
                            now.GpuToCpuCount == before[i].GpuToCpuCount ? "none" : "some"));
    if (now.count > before[i].count && i == 2 && now.GpuFlops <= before[i].GpuFlops)
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
  PetscCall(CreateGrid(30, -0.73, PETSC_FALSE, &A));
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
      requires: cuda !complex double

   # Matrix and vectors in device memory: nothing is copied but in the first setup
   test:
      suffix: cuda_resident
      args: -mat_type aijcusparse -pc_bildlt_precision {{double single}} -pc_bildlt_drop_tolerance {{0 1e-3}}

   # Matrix and vectors on the host
   test:
      suffix: cuda_host
      args: -mat_type aij -pc_bildlt_backend cuda

TEST*/
