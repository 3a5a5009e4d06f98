static char help[] = "What PCBILDLT makes of a GPU whose memory is full.\n\n";

#include <petscdevice_cuda.h>
#include <petscksp.h>

/* Five-point Laplacian on an n x n grid less 0.73 I. */
static PetscErrorCode CreateGrid(PetscInt n, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n * n, n * n, n * n, n * n));
  PetscCall(MatSetType(*A, MATSEQAIJCUSPARSE));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
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

static PetscErrorCode LiftLimit(cudaMemPool_t *pool)
{
  cudaMemPool_t usual;
  int device;

  PetscFunctionBeginUser;
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaDeviceGetDefaultMemPool(&usual, device));
  PetscCallCUDA(cudaDeviceSetMemPool(device, usual));
  PetscCallCUDA(cudaMemPoolDestroy(*pool));
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

int main(int argc, char **argv)
{
  Mat large, small;
  Vec large_r, large_z, small_r, small_z;
  PC pc;
  cudaMemPool_t pool;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CreateGrid(500, &large));
  PetscCall(CreateGrid(20, &small));
  PetscCall(MatCreateVecs(large, &large_z, &large_r));
  PetscCall(MatCreateVecs(small, &small_z, &small_r));
  PetscCall(VecSet(large_r, 1.0));
  PetscCall(VecSet(small_r, 1.0));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, "bildlt"));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(SetUp("small", pc, small, small_r, small_z));
  PetscCall(MatMult(large, large_r, large_z));
  PetscCall(LimitMemory((size_t)32 << 20, &pool));
  PetscCall(SetUp("large, without memory", pc, large, large_r, large_z));
  PetscCall(SetUp("again", pc, large, large_r, large_z));
  PetscCall(SetUp("small", pc, small, small_r, small_z));
  PetscCall(LiftLimit(&pool));
  PetscCall(SetUp("large, with memory", pc, large, large_r, large_z));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&large));
  PetscCall(MatDestroy(&small));
  PetscCall(VecDestroy(&large_r));
  PetscCall(VecDestroy(&large_z));
  PetscCall(VecDestroy(&small_r));
  PetscCall(VecDestroy(&small_z));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: cuda

   test:
      suffix: cuda
      args: -pc_bildlt_strengthen 0

TEST*/
