static char help[] =
    "PCBILDLT, PCJLDLT and the direct solver after a CUDA call of theirs failed: one after the other.\n"
    "  -launches L  1: calls that launch kernels; 0: those that allocate, the default\n"
    "  -reset       a PC that failed in a setup is reset before the next one: those of PETSc's that keep a\n"
    "               factor do not try again after a lack of memory\n\n";

#include <petscdevice_cuda.h>
#include <petscksp.h>

#include "grid.h"

#include <dlfcn.h>

/* The functions below take the place of CUDA's, in the library too. One of their calls fails. */
static struct {
  PetscBool launches, counting; /* launches fail, else allocations */
  PetscBool failed;             /* one did */
  int calls, fails;             /* calls so far, and the one that fails */
} interposed;

static bool Fails(PetscBool launches)
{
  if (!interposed.counting || launches != interposed.launches || interposed.calls++ != interposed.fails)
    return false;
  interposed.failed = PETSC_TRUE;
  return true;
}

using LaunchKernel = cudaError_t (*)(const void *, dim3, dim3, void **, size_t, cudaStream_t);
using LaunchWithAttributes = cudaError_t (*)(const cudaLaunchConfig_t *, const void *, void **);
using Allocate = cudaError_t (*)(void **, size_t, cudaStream_t);

/* A launch fails because its thread blocks have no threads, so that CUDA remembers the error as it does any. */
PETSC_EXTERN cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                          cudaStream_t stream)
{
  static const auto next = reinterpret_cast<LaunchKernel>(dlsym(RTLD_NEXT, "cudaLaunchKernel"));
  return next(kernel, grid, Fails(PETSC_TRUE) ? dim3(0) : block, arguments, shared, stream);
}

/* The same, as code that CUDA 13 compiled launches kernels. */
PETSC_EXTERN cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                            cudaStream_t stream)
{
  static const auto next = reinterpret_cast<LaunchKernel>(dlsym(RTLD_NEXT, "__cudaLaunchKernel"));
  return next(kernel, grid, Fails(PETSC_TRUE) ? dim3(0) : block, arguments, shared, stream);
}

/* The same, for launches with attributes. */
PETSC_EXTERN cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments)
{
  static const auto next = reinterpret_cast<LaunchWithAttributes>(dlsym(RTLD_NEXT, "cudaLaunchKernelExC"));
  cudaLaunchConfig_t given = *config;
  if (Fails(PETSC_TRUE))
    given.blockDim = dim3(0);
  return next(&given, kernel, arguments);
}

PETSC_EXTERN cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream)
{
  static const auto next = reinterpret_cast<Allocate>(dlsym(RTLD_NEXT, "cudaMallocAsync"));
  return Fails(PETSC_FALSE) ? cudaErrorMemoryAllocation : next(memory, bytes, stream);
}

static const int most = 400; /* calls that are made to fail, if there are more */

/* What the steps of a sequence are done with */
struct Sequence {
  PC pc;
  PetscBool reset; /* after a setup that failed */
  Mat A;
  Vec r, z;
};

static PetscErrorCode Reset(const Sequence *s)
{
  PetscFunctionBeginUser;
  PetscCall(PCReset(s->pc));
  PetscCall(PCSetOperators(s->pc, s->A, s->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A setup, or an application, whose calls count. Whether it failed: an application may also say so by its result, which
   is not finite then. */
static PetscErrorCode Step(const Sequence *s, PetscBool apply, PetscBool *failed)
{
  PCFailedReason reason;
  PetscReal norm;

  PetscFunctionBeginUser;
  if (!apply)
    PetscCall(TouchValues(s->A));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  interposed.counting = PETSC_TRUE;
  *failed = (PetscBool)((apply ? PCApply(s->pc, s->r, s->z) : PCSetUp(s->pc)) != PETSC_SUCCESS);
  interposed.counting = PETSC_FALSE;
  PetscCall(PetscPopErrorHandler());
  PetscCall(PCGetFailedReason(s->pc, &reason));
  *failed = (PetscBool)(*failed || reason != PC_NOERROR);
  if (apply && !*failed) {
    PetscCall(VecNorm(s->z, NORM_2, &norm));
    *failed = PetscIsInfOrNanReal(norm);
  }
  if (!apply && *failed && s->reset)
    PetscCall(Reset(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Four setups, of which the third records its launches and the fourth replays them, and two applications, call `fails`
   of which fails. Steps that failed are done again. failures: how many did. */
static PetscErrorCode Run(const Sequence *s, int fails, int *failures)
{
  PetscBool failed;

  PetscFunctionBeginUser;
  *failures = 0;
  PetscCall(Reset(s));
  interposed.calls = 0;
  interposed.failed = PETSC_FALSE;
  interposed.fails = fails;
  for (int step = 0; step < 6; step++)
    do {
      PetscCall(Step(s, (PetscBool)(step >= 4), &failed));
      *failures += failed;
    } while (failed && *failures < 10);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Sequence s = {};
  Vec expected;
  PetscReal norm, error;
  int calls, failures, unnoticed = 0, repeated = 0, wrong = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-launches", &interposed.launches, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-reset", &s.reset, NULL));
  PetscCall(CreateGrid(12, 0.73, PETSC_FALSE, &s.A));
  PetscCall(MatCreateVecs(s.A, &s.z, &s.r));
  PetscCall(VecDuplicate(s.z, &expected));
  PetscCall(VecSet(s.r, 1.0));
  PetscCall(MatMult(s.A, s.r, expected)); /* all is in device memory now */
  PetscCall(PCCreate(PETSC_COMM_SELF, &s.pc));
  PetscCall(PCSetType(s.pc, "bildlt"));
  PetscCall(PCSetFromOptions(s.pc));
  PetscCall(Run(&s, -1, &failures)); /* with what is done once in a process */
  PetscCall(Run(&s, -1, &failures));
  calls = interposed.calls;
  PetscCall(VecCopy(s.z, expected));
  PetscCall(VecNorm(expected, NORM_2, &norm));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "without failures: %s, result %s\n",
                        calls > 10 && !failures ? "as it should be" : "NOT AS IT SHOULD BE",
                        norm > 0 && !PetscIsInfOrNanReal(norm) ? "finite" : "USELESS"));
  for (int fails = 0; fails < calls; fails += 1 + calls / most) {
    PetscCall(VecSet(s.z, 1e30));
    PetscCall(Run(&s, fails, &failures));
    if (!interposed.failed && 2 * fails > calls)
      continue; /* this run had fewer calls */
    unnoticed += failures == 0;
    repeated += failures > 1;
    PetscCall(VecAXPY(s.z, -1.0, expected));
    PetscCall(VecNorm(s.z, NORM_2, &error));
    wrong += !(error < 1e-3 * norm); /* sweeps that begin with another factor end with another one */
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "failures that nobody noticed: %s\n", unnoticed ? "SOME" : "none"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "steps that failed again: %s\n", repeated ? "SOME" : "none"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "wrong results: %s\n", wrong ? "SOME" : "none"));
  PetscCall(PCDestroy(&s.pc));
  PetscCall(VecDestroy(&s.r));
  PetscCall(VecDestroy(&s.z));
  PetscCall(VecDestroy(&expected));
  PetscCall(MatDestroy(&s.A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: cuda !complex double

   testset:
      requires: cuda
      args: -mat_type aijcusparse -launches {{0 1}}
      output_file: output/failing_calls_cuda.out
      test:
         suffix: cuda_bildlt
         args: -pc_type bildlt -pc_bildlt_strengthen 0 -pc_bildlt_fill_ratio {{0 2}}
      test:
         suffix: cuda_jldlt
         args: -pc_type jldlt -pc_jldlt_apply {{levels jacobi}}
      test:
         suffix: cuda_direct
         args: -pc_type {{cholesky lu}} -pc_factor_mat_solver_type tessera -mat_tessera_backend cuda -reset

TEST*/
