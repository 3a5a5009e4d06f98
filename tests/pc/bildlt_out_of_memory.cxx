static char help[] = "What PCBILDLT and PCJLDLT make of a GPU whose memory is full.\n\n";

#include <petscdevice_cuda.h>
#include <petscksp.h>

#include "grid.h"

/* Makes this process allocate its device memory from a pool of at most so many bytes, or from the usual one again. */
static PetscErrorCode LimitMemory(size_t bytes, cudaMemPool_t *pool)
{
  cudaMemPoolProps properties = {};
  int device;

  PetscFunctionBeginUser;
  PetscCallCUDA(cudaGetDevice(&device));
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  properties.maxSize = bytes;
  PetscCallCUDA(cudaMemPoolCreate(pool, &properties));
  PetscCallCUDA(cudaDeviceSetMemPool(device, *pool));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the limited pool still holds has to be freed before it is destroyed. */
static PetscErrorCode LiftLimit(void)
{
  cudaMemPool_t usual;
  int device;

  PetscFunctionBeginUser;
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaDeviceGetDefaultMemPool(&usual, device));
  PetscCallCUDA(cudaDeviceSetMemPool(device, usual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUp(const char what[], PC pc, Mat A, Vec r, Vec z)
{
  PCFailedReason failed;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(PCReset(pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &failed));
  PetscCall(PCApply(pc, r, z));
  PetscCall(VecNorm(z, NORM_2, &norm));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s, result %s\n", what, PCFailedReasons[failed],
                        PetscIsInfOrNanReal(norm) ? "not finite" : "finite"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Setups with a memory of many sizes, each from the beginning. */
static PetscErrorCode Sweep(PC pc, Mat A, Vec r, Vec z)
{
  PetscInt failures = 0, successes = 0, others = 0, unflagged = 0;

  PetscFunctionBeginUser;
  for (size_t megabytes = 2; megabytes <= 4096; megabytes += megabytes / 4 + 1) {
    cudaMemPool_t pool;
    PCFailedReason failed;
    PetscReal norm;

    PetscCall(LimitMemory(megabytes << 20, &pool));
    PetscCall(PCReset(pc));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetUp(pc));
    PetscCall(PCApply(pc, r, z));
    PetscCall(PCGetFailedReason(pc, &failed));
    PetscCall(VecNorm(z, NORM_2, &norm));
    successes += failed == PC_NOERROR;
    failures += failed == PC_FACTOR_OUTMEMORY;
    others += failed != PC_NOERROR && failed != PC_FACTOR_OUTMEMORY;
    unflagged += (failed == PC_NOERROR) == (PetscBool)PetscIsInfOrNanReal(norm);
    PetscCall(PCReset(pc));
    PetscCall(LiftLimit());
    PetscCallCUDA(cudaDeviceSynchronize());
    PetscCallCUDA(cudaMemPoolDestroy(pool));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "many sizes: some fail %s, some succeed %s, other failures %s, results %s\n",
                        failures > 4 ? "yes" : "no", successes > 4 ? "yes" : "no", others > 0 ? "yes" : "no",
                        unflagged > 0 ? "wrong" : "as they should be"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat large, small;
  Vec large_r, large_z, small_r, small_z;
  PC pc;
  cudaMemPool_t pool;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CreateGrid(500, -0.73, PETSC_FALSE, &large));
  PetscCall(CreateGrid(20, -0.73, PETSC_FALSE, &small));
  PetscCall(MatCreateVecs(large, &large_z, &large_r));
  PetscCall(MatCreateVecs(small, &small_z, &small_r));
  PetscCall(VecSet(large_r, 1.0));
  PetscCall(VecSet(small_r, 1.0));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, "bildlt"));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(SetUp("small", pc, small, small_r, small_z));
  PetscCall(MatMult(large, large_r, large_z));
  PetscCall(LimitMemory((size_t)64 << 20, &pool));
  PetscCall(SetUp("large, without memory", pc, large, large_r, large_z));
  PetscCall(SetUp("again", pc, large, large_r, large_z));
  PetscCall(SetUp("small", pc, small, small_r, small_z));
  PetscCall(LiftLimit());
  PetscCall(SetUp("large, with memory", pc, large, large_r, large_z));
  PetscCall(Sweep(pc, large, large_r, large_z));
  PetscCall(SetUp("large, with memory", pc, large, large_r, large_z));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&large));
  PetscCall(MatDestroy(&small));
  PetscCall(VecDestroy(&large_r));
  PetscCall(VecDestroy(&large_z));
  PetscCall(VecDestroy(&small_r));
  PetscCall(VecDestroy(&small_z));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCallCUDA(cudaMemPoolDestroy(pool));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: cuda !complex double

   testset:
      output_file: output/bildlt_out_of_memory_cuda.out
      test:
         suffix: cuda
         args: -mat_type aijcusparse -pc_bildlt_strengthen {{0 1}}
      test:
         suffix: cuda_jldlt
         args: -mat_type aijcusparse -pc_type jldlt -pc_jldlt_apply {{levels jacobi}}

TEST*/
