static char help[] =
    "PCBILDLT, PCJLDLT and MATSOLVERTESSERA when PETSc's current CUDA stream changes between calls, or ends.\n\n";

#include "contexts.h"
#include "grid.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

/* Work of a stream that is not done before the gate is open, or 10 seconds are over: then a call that should have
   returned when its work was queued has waited for it. */
struct Gate {
  std::atomic<bool> open{false}, given_up{false};
};

static void CUDART_CB WaitAtGate(void *data)
{
  Gate *const gate = static_cast<Gate *>(data);
  for (int i = 0; i < 10000 && !gate->open; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (!gate->open)
    gate->given_up = true;
}

/* Makes a context the current one and has its stream wait at the gate. */
static PetscErrorCode CloseGate(PetscDeviceContext context, Gate *gate)
{
  cudaStream_t stream;

  PetscFunctionBeginUser;
  gate->open = false;
  PetscCall(PetscDeviceContextSetCurrentContext(context));
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(cudaLaunchHostFunc(stream, WaitAtGate, gate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Waits until a context's stream has nothing left to do, for so many milliseconds at most. */
static PetscErrorCode IsIdle(PetscDeviceContext context, int milliseconds, PetscBool *idle)
{
  PetscFunctionBeginUser;
  for (int i = 0; i < milliseconds / 10; i++) {
    PetscCall(PetscDeviceContextQueryIdle(context, idle));
    if (*idle)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OpenGate(Gate *gate)
{
  PetscFunctionBeginUser;
  gate->open = true;
  PetscCallCUDA(cudaDeviceSynchronize());
  if (gate->given_up)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "A CALL WAITED FOR ITS STREAM\n"));
  gate->given_up = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What all tests work on: two right-hand sides with their solutions by a PC that nothing disturbs. */
struct Work {
  PetscDevice device;
  PetscDeviceContext root;
  Mat A;
  Vec r[2], z[2], expected[2];
  Gate gate;
};

static PetscErrorCode CreatePC(Work *work, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_SELF, pc));
  PetscCall(PCSetOperators(*pc, work->A, work->A));
  PetscCall(PCSetType(*pc, "bildlt"));
  PetscCall(PCSetFromOptions(*pc));
  PetscCall(PCSetUp(*pc));
  for (int i = 0; i < 4; i++) { /* launches are recorded in the third one, and replayed later */
    PetscCall(TouchValues(work->A));
    PetscCall(PCSetUp(*pc));
  }
  for (int i = 0; i < 2; i++)
    PetscCall(PCApply(*pc, work->r[i], work->expected[i]));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintRight(const char what[], Work *work, int solutions)
{
  PetscBool right = PETSC_TRUE, same;

  PetscFunctionBeginUser;
  for (int i = 0; i < solutions; i++) {
    PetscCall(SameBits(work->z[i], work->expected[i], &same));
    right = (PetscBool)(right && same);
    PetscCall(VecSet(work->z[i], -1.0));
  }
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(Print(what, right));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An application on one stream after one on another that is still waiting. */
static PetscErrorCode ApplyTwice(const char what[], Work *work, PetscDeviceContext first, PetscDeviceContext second)
{
  PetscBool idle;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(PetscDeviceContextSetCurrentContext(first));
  PetscCall(CreatePC(work, &pc));
  PetscCall(CloseGate(first, &work->gate));
  PetscCall(PCApply(pc, work->r[0], work->z[0]));
  PetscCall(PetscDeviceContextSetCurrentContext(second));
  PetscCall(PCApply(pc, work->r[1], work->z[1]));
  PetscCall(IsIdle(second, 300, &idle));
  PetscCall(Print(what, (PetscBool)!idle));
  PetscCall(OpenGate(&work->gate));
  PetscCall(PrintRight("  both right", work, 2));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The root's stream is the default one, which nobody can destroy; contexts of CreateContext() do not wait for it. */
static PetscErrorCode TestApply(Work *work)
{
  PetscDeviceContext first, second;

  PetscFunctionBeginUser;
  PetscCall(CreateContext(work->device, &first));
  PetscCall(CreateContext(work->device, &second));
  PetscCall(ApplyTwice("application waits for one before", work, first, second));
  PetscCall(ApplyTwice("application waits for one on the default stream", work, work->root, second));
  PetscCall(ApplyTwice("application on the default stream waits for one before", work, first, work->root));
  PetscCall(PetscDeviceContextSetCurrentContext(work->root));
  PetscCall(DestroyContext(&first));
  PetscCall(DestroyContext(&second));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An application after one on a stream that ended while it was waiting. */
static PetscErrorCode TestApplyAfterEnd(Work *work)
{
  PetscDeviceContext first, second;
  PetscBool idle;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(CreateContext(work->device, &first));
  PetscCall(CreateContext(work->device, &second));
  PetscCall(PetscDeviceContextSetCurrentContext(first));
  PetscCall(CreatePC(work, &pc));
  PetscCall(CloseGate(first, &work->gate));
  PetscCall(PCApply(pc, work->r[0], work->z[0]));
  PetscCall(PetscDeviceContextSetCurrentContext(second));
  PetscCall(DestroyContext(&first));
  PetscCall(PCApply(pc, work->r[1], work->z[1]));
  PetscCall(IsIdle(second, 300, &idle));
  PetscCall(Print("application waits for one on a stream that ended", (PetscBool)!idle));
  PetscCall(OpenGate(&work->gate));
  PetscCall(PrintRight("  both right", work, 2));
  PetscCall(PCDestroy(&pc));
  PetscCall(PetscDeviceContextSetCurrentContext(work->root));
  PetscCall(DestroyContext(&second));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A setup, which the host waits for, on one stream after an application that is still waiting on another, which may end
   before it is done. */
static PetscErrorCode TestSetUp(Work *work, PetscBool ends)
{
  PetscDeviceContext first, second;
  PetscBool waited;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(CreateContext(work->device, &first));
  PetscCall(CreateContext(work->device, &second));
  PetscCall(PetscDeviceContextSetCurrentContext(first));
  PetscCall(CreatePC(work, &pc));
  PetscCall(CloseGate(first, &work->gate));
  PetscCall(PCApply(pc, work->r[0], work->z[0]));
  PetscCall(PetscDeviceContextSetCurrentContext(second));
  if (ends)
    PetscCall(DestroyContext(&first));
  PetscCall(TouchValues(work->A));
  std::thread opens([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    work->gate.open = true;
  });
  PetscCall(PCSetUp(pc));
  waited = (PetscBool)work->gate.open.load();
  opens.join();
  PetscCall(
      Print(ends ? "setup waits for an application on a stream that ended" : "setup waits for an application before",
            waited));
  PetscCall(OpenGate(&work->gate));
  PetscCall(PrintRight("  which is right", work, 1));
  for (int i = 0; i < 2; i++)
    PetscCall(PCApply(pc, work->r[i], work->expected[i])); /* a warm start changes them */
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(PetscDeviceContextSetCurrentContext(ends ? work->root : first));
  for (int i = 0; i < 2; i++)
    PetscCall(PCApply(pc, work->r[i], work->z[i]));
  PetscCall(PrintRight("  and what follows", work, 2));
  PetscCall(PCDestroy(&pc));
  PetscCall(PetscDeviceContextSetCurrentContext(work->root));
  if (!ends)
    PetscCall(DestroyContext(&first));
  PetscCall(DestroyContext(&second));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes all the memory that has been freed, in pieces of many sizes, and overwrites it. */
static PetscErrorCode OverwriteFreed(PetscDeviceContext context)
{
  cudaStream_t stream;
  void *piece[256];
  int pieces = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscDeviceContextSetCurrentContext(context));
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  for (size_t bytes = (size_t)1 << 23; bytes >= 512; bytes /= 4)
    for (int i = 0; i < 32; i++) {
      PetscCallCUDA(cudaMallocAsync(&piece[pieces], bytes, stream));
      PetscCallCUDA(cudaMemsetAsync(piece[pieces], 0xff, bytes, stream));
      pieces++;
    }
  while (pieces > 0)
    PetscCallCUDA(cudaFreeAsync(piece[--pieces], stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A PC that is destroyed, and the stream with it, while its last application is waiting. */
static PetscErrorCode TestDestroy(Work *work, PetscBool ends)
{
  PetscDeviceContext first, second;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(CreateContext(work->device, &first));
  PetscCall(CreateContext(work->device, &second));
  PetscCall(PetscDeviceContextSetCurrentContext(first));
  PetscCall(CreatePC(work, &pc));
  PetscCall(CloseGate(first, &work->gate));
  PetscCall(PCApply(pc, work->r[0], work->z[0]));
  PetscCall(PetscDeviceContextSetCurrentContext(second));
  if (ends)
    PetscCall(DestroyContext(&first));
  PetscCall(PCDestroy(&pc));
  PetscCall(OverwriteFreed(second));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  PetscCall(OpenGate(&work->gate));
  PetscCall(PrintRight(ends ? "right though PC and stream ended before it was done"
                            : "right though the PC was destroyed before it was done",
                       work, 1));
  PetscCall(PetscDeviceContextSetCurrentContext(work->root));
  PetscCall(DestroyContext(&second));
  if (!ends)
    PetscCall(DestroyContext(&first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same on the default stream. */
static PetscErrorCode TestDestroyOnDefault(Work *work)
{
  PetscDeviceContext second;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(CreateContext(work->device, &second));
  PetscCall(CreatePC(work, &pc));
  PetscCall(CloseGate(work->root, &work->gate));
  PetscCall(PCApply(pc, work->r[0], work->z[0]));
  PetscCall(PetscDeviceContextSetCurrentContext(second));
  PetscCall(PCDestroy(&pc));
  PetscCall(OverwriteFreed(second));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  PetscCall(OpenGate(&work->gate));
  PetscCall(PrintRight("right though the PC was destroyed before the default stream was done", work, 1));
  PetscCall(PetscDeviceContextSetCurrentContext(work->root));
  PetscCall(DestroyContext(&second));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two PCs on two streams do not wait for each other. */
static PetscErrorCode TestTwo(Work *work)
{
  PetscDeviceContext context[2];
  PetscBool idle;
  PC pc[2];

  PetscFunctionBeginUser;
  for (int i = 0; i < 2; i++)
    PetscCall(CreateContext(work->device, &context[i]));
  for (int i = 0; i < 2; i++) {
    PetscCall(PetscDeviceContextSetCurrentContext(context[i]));
    PetscCall(CreatePC(work, &pc[i]));
    PetscCall(PCSetReusePreconditioner(pc[i], PETSC_TRUE)); /* though the other one touches the values */
  }
  PetscCall(CloseGate(context[0], &work->gate));
  PetscCall(PCApply(pc[0], work->r[0], work->z[0]));
  PetscCall(PetscDeviceContextSetCurrentContext(context[1]));
  PetscCall(PCApply(pc[1], work->r[1], work->z[1]));
  PetscCall(IsIdle(context[1], 5000, &idle));
  PetscCall(Print("another PC on another stream does not wait", idle));
  PetscCall(OpenGate(&work->gate));
  PetscCall(PrintRight("  both right", work, 2));
  PetscCall(PetscDeviceContextSetCurrentContext(work->root));
  for (int i = 0; i < 2; i++) {
    PetscCall(PCDestroy(&pc[i]));
    PetscCall(DestroyContext(&context[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors that are none of the PC's: one that somebody else left, and a stream that is recorded. */
static PetscErrorCode TestErrors(Work *work)
{
  PetscDeviceContext context;
  PetscErrorCode refused;
  cudaStream_t stream;
  cudaGraph_t graph = NULL;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(CreateContext(work->device, &context));
  PetscCall(PetscDeviceContextSetCurrentContext(context));
  PetscCall(CreatePC(work, &pc));
  (void)cudaMemcpy(NULL, NULL, 8, cudaMemcpyDeviceToDevice);
  PetscCall(PCApply(pc, work->r[0], work->z[0]));
  (void)cudaMemcpy(NULL, NULL, 8, cudaMemcpyDeviceToDevice);
  PetscCall(PCApply(pc, work->r[1], work->z[1]));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(PrintRight("right after an error of somebody else", work, 2));
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  refused = PCApply(pc, work->r[0], work->z[0]);
  PetscCall(PetscPopErrorHandler());
  (void)cudaStreamEndCapture(stream, &graph);
  (void)cudaGetLastError();
  if (graph)
    PetscCallCUDA(cudaGraphDestroy(graph));
  PetscCall(Print("a stream that is recorded is refused", (PetscBool)(refused != PETSC_SUCCESS)));
  for (int i = 0; i < 2; i++)
    PetscCall(PCApply(pc, work->r[i], work->z[i]));
  PetscCall(PrintRight("  right when it is not", work, 2));
  PetscCall(PCDestroy(&pc));
  PetscCall(PetscDeviceContextSetCurrentContext(work->root));
  PetscCall(DestroyContext(&context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Work work;
  PetscRandom random;

  PetscFunctionBeginUser;
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1); /* streams that share one wait for each other */
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
  PetscCall(PetscDeviceContextGetCurrentContext(&work.root));
  PetscCall(PetscDeviceContextGetDevice(work.root, &work.device));
  PetscCall(CreateGrid(60, -0.73, PETSC_FALSE, &work.A));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatCreateVecs(work.A, &work.z[i], &work.r[i]));
    PetscCall(VecDuplicate(work.z[i], &work.expected[i]));
    PetscCall(VecSetRandom(work.r[i], random));
    PetscCall(VecSet(work.z[i], -1.0));
    PetscCall(MatMult(work.A, work.r[i], work.expected[i])); /* all is in device memory now */
  }
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(TestApply(&work));
  PetscCall(TestApplyAfterEnd(&work));
  PetscCall(TestSetUp(&work, PETSC_FALSE));
  PetscCall(TestSetUp(&work, PETSC_TRUE));
  PetscCall(TestDestroy(&work, PETSC_FALSE));
  PetscCall(TestDestroy(&work, PETSC_TRUE));
  PetscCall(TestDestroyOnDefault(&work));
  PetscCall(TestTwo(&work));
  PetscCall(TestErrors(&work));
  PetscCall(PetscDeviceContextSetCurrentContext(work.root));
  PetscCall(PetscRandomDestroy(&random));
  for (int i = 0; i < 2; i++) {
    PetscCall(VecDestroy(&work.r[i]));
    PetscCall(VecDestroy(&work.z[i]));
    PetscCall(VecDestroy(&work.expected[i]));
  }
  PetscCall(MatDestroy(&work.A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: cuda !complex double

   testset:
      requires: cuda
      args: -mat_type aijcusparse
      output_file: output/streams_cuda.out
      test:
         suffix: cuda_bildlt
         args: -pc_type bildlt -pc_bildlt_strengthen 0 -pc_bildlt_precision {{double single}}
      test:
         suffix: cuda_jldlt
         args: -pc_type jldlt -pc_jldlt_apply {{levels jacobi}}
      # Without refinement, which the host waits for
      test:
         suffix: cuda_direct
         args: -pc_type cholesky -pc_factor_mat_solver_type tessera
         args: -mat_tessera_backend cuda -mat_tessera_refine_steps 0

TEST*/
