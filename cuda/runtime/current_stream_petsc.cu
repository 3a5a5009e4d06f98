#include "cuda/runtime/check.cuh"
#include "cuda/runtime/current_stream.hpp"

#include <petscdevice_cuda.h>

namespace tessera {
namespace {

PetscErrorCode get_current(cudaStream_t *stream, PetscInt *device_id)
{
  PetscDeviceContext context;
  PetscDevice device;

  PetscFunctionBegin;
  PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
  PetscCall(PetscGetCurrentCUDAStream(stream));
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetDevice(context, &device));
  PetscCall(PetscDeviceGetDeviceId(device, device_id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Current {
  cudaStream_t stream = nullptr;
  PetscInt device = 0;

  Current()
  {
    if (get_current(&stream, &device))
      throw BackendError("PETSc has no CUDA stream");
  }
};

} // namespace

int current_device()
{
  if (PetscInitializeCalled)
    return int(Current().device);
  int device = 0; // of a program that uses the backend without PETSc
  check(cudaGetDevice(&device), "asking for the device");
  return device;
}

cudaStream_t current_stream(int device)
{
  if (!PetscInitializeCalled)
    return nullptr;
  const Current current;
  if (current.device != device)
    throw BackendError("PETSc's current device context is of CUDA device " + std::to_string(current.device) +
                       ", and the factor is on device " + std::to_string(device) +
                       ": make a context of that device the current one, or call PCReset() before the setup");
  return current.stream;
}

} // namespace tessera
