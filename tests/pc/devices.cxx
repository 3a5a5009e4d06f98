static char help[] = "PCBILDLT and PCJLDLT on two GPUs of one process. Needs two GPUs.\n\n";

#include "contexts.h"
#include "grid.h"

/* What is on one GPU */
struct OnDevice {
  PetscDevice device;
  PetscDeviceContext context;
  cudaMemPool_t pool;
  Mat A;
  Vec r, z;
  PC pc;
};

/* Makes PETSc and CUDA work on a GPU. */
static PetscErrorCode Use(const OnDevice *on, int device)
{
  PetscFunctionBeginUser;
  PetscCall(PetscDeviceContextSetCurrentContext(on[device].context));
  PetscCallCUDA(cudaSetDevice(device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes that are allocated on a GPU when all its work is done. */
static PetscErrorCode Allocated(const OnDevice *on, int device, long long *bytes)
{
  unsigned long long used;

  PetscFunctionBeginUser;
  PetscCall(Use(on, device));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCallCUDA(cudaMemPoolGetAttribute(on[device].pool, cudaMemPoolAttrUsedMemCurrent, &used));
  *bytes = (long long)used;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(OnDevice *on, int device)
{
  PetscRandom random;

  PetscFunctionBeginUser;
  PetscCall(PetscDeviceCreate(PETSC_DEVICE_CUDA, device, &on[device].device));
  PetscCall(PetscDeviceConfigure(on[device].device));
  PetscCallCUDA(cudaSetDevice(device));
  PetscCall(CreateContext(on[device].device, &on[device].context));
  PetscCall(Use(on, device));
  PetscCallCUDA(cudaDeviceGetDefaultMemPool(&on[device].pool, device));
  PetscCall(CreateGrid(60, -0.73, PETSC_FALSE, &on[device].A));
  PetscCall(MatCreateVecs(on[device].A, &on[device].z, &on[device].r));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(VecSetRandom(on[device].r, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(MatMult(on[device].A, on[device].r, on[device].z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the factor is. */
static PetscErrorCode TestSetUp(OnDevice *on, int device)
{
  long long own[2], other[2];
  const PetscScalar *z;

  PetscFunctionBeginUser;
  PetscCall(Allocated(on, 1 - device, &other[0]));
  PetscCall(Allocated(on, device, &own[0]));
  PetscCall(PCCreate(PETSC_COMM_SELF, &on[device].pc));
  PetscCall(PCSetOperators(on[device].pc, on[device].A, on[device].A));
  PetscCall(PCSetType(on[device].pc, "bildlt"));
  PetscCall(PCSetFromOptions(on[device].pc));
  for (int i = 0; i < 4; i++) {
    PetscCall(TouchValues(on[device].A));
    PetscCall(PCSetUp(on[device].pc));
  }
  PetscCall(PCApply(on[device].pc, on[device].r, on[device].z));
  PetscCall(Allocated(on, 1 - device, &other[1]));
  PetscCall(Allocated(on, device, &own[1]));
  PetscCall(Print("  the factor is on the GPU of PETSc's context, and only there",
                  (PetscBool)(own[1] > own[0] && other[1] == other[0])));
  PetscCall(VecGetArrayRead(on[device].z, &z)); /* it is on the host then, too, where it can be compared */
  PetscCall(VecRestoreArrayRead(on[device].z, &z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The other GPU is CUDA's current one, but PETSc's current context is of this one. */
static PetscErrorCode TestCurrentDevice(OnDevice *on, int device)
{
  Vec expected;
  PetscBool same;
  int now;

  PetscFunctionBeginUser;
  PetscCall(Use(on, device));
  PetscCall(VecDuplicate(on[device].z, &expected));
  PetscCall(VecCopy(on[device].z, expected));
  PetscCall(TouchValues(on[device].A));
  PetscCallCUDA(cudaSetDevice(1 - device));
  PetscCall(PCSetUp(on[device].pc));
  PetscCall(PCApply(on[device].pc, on[device].r, on[device].z));
  PetscCallCUDA(cudaGetDevice(&now));
  PetscCall(Use(on, device));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(VecAXPY(expected, -1.0, on[device].z));
  PetscCall(Print("  CUDA's current device stays as it was", (PetscBool)(now == 1 - device)));
  {
    PetscReal difference, norm;

    PetscCall(VecNorm(on[device].z, NORM_2, &norm));
    PetscCall(VecNorm(expected, NORM_2, &difference));
    same = (PetscBool)(difference < 1e-3 * norm); /* sweeps that begin with another factor end with another one */
  }
  PetscCall(Print("  and the result right", same));
  PetscCall(VecDestroy(&expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's current context is of the other GPU. */
static PetscErrorCode TestWrongContext(OnDevice *on, int device)
{
  PetscErrorCode refused;

  PetscFunctionBeginUser;
  PetscCall(Use(on, 1 - device));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  refused = PCApply(on[device].pc, on[device].r, on[device].z);
  PetscCall(PetscPopErrorHandler());
  PetscCall(Print("  with a context of the other GPU an error", (PetscBool)(refused != PETSC_SUCCESS)));
  PetscCall(Use(on, device));
  PetscCall(PCApply(on[device].pc, on[device].r, on[device].z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A PC is destroyed while the other GPU is the current one. */
static PetscErrorCode TestDestroy(OnDevice *on, int device)
{
  long long before, after;
  int now;

  PetscFunctionBeginUser;
  PetscCall(Allocated(on, device, &before));
  PetscCall(Use(on, 1 - device));
  PetscCall(PCDestroy(&on[device].pc));
  PetscCallCUDA(cudaGetDevice(&now));
  PetscCall(Allocated(on, device, &after));
  PetscCall(Print("  destroyed with the other GPU as the current one: memory is freed", (PetscBool)(after < before)));
  PetscCall(Print("  which stays the current one", (PetscBool)(now == 1 - device)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestTwoDevices(void)
{
  OnDevice on[2];
  PetscDeviceContext root;
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(PetscDeviceContextGetCurrentContext(&root));
  for (int device = 0; device < 2; device++)
    PetscCall(Create(on, device));
  for (int device = 0; device < 2; device++) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "GPU:\n"));
    PetscCall(TestSetUp(on, device));
  }
  PetscCall(SameBits(on[0].z, on[1].z, &same));
  PetscCall(Print("results have the same bits", same));
  for (int device = 0; device < 2; device++) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "GPU:\n"));
    PetscCall(TestCurrentDevice(on, device));
    PetscCall(TestWrongContext(on, device));
  }
  for (int device = 0; device < 2; device++) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "GPU:\n"));
    PetscCall(TestDestroy(on, device));
  }
  for (int device = 0; device < 2; device++) {
    PetscCall(Use(on, device));
    PetscCall(MatDestroy(&on[device].A));
    PetscCall(VecDestroy(&on[device].r));
    PetscCall(VecDestroy(&on[device].z));
  }
  PetscCall(PetscDeviceContextSetCurrentContext(root));
  PetscCallCUDA(cudaSetDevice(0));
  for (int device = 0; device < 2; device++) {
    PetscCall(DestroyContext(&on[device].context));
    PetscCall(PetscDeviceDestroy(&on[device].device));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  int devices = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
  PetscCallCUDA(cudaGetDeviceCount(&devices));
  if (devices >= 2) {
    PetscCall(TestTwoDevices());
  } else {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "SKIPPED: this machine has one GPU\n"));
  }
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: cuda !complex double

   # With one GPU it says that it was skipped: output/devices_cuda_alt.out
   testset:
      requires: cuda
      args: -mat_type {{aij aijcusparse}} -options_left 0
      output_file: output/devices_cuda.out
      test:
         suffix: cuda_bildlt
         args: -pc_type bildlt -pc_bildlt_strengthen 0 -pc_bildlt_backend cuda
      test:
         suffix: cuda_jldlt
         args: -pc_type jldlt -pc_jldlt_backend cuda

TEST*/
