#include "current_stream.hpp"

#include "factor/backend_error.hpp"

#include <petscdevice_cuda.h>

namespace tessera {

cudaStream_t current_stream()
{
  cudaStream_t stream = nullptr;
  if (!PetscInitializeCalled) // a program that uses the backend without PETSc
    return stream;
  if (PetscDeviceInitialize(PETSC_DEVICE_CUDA) || PetscGetCurrentCUDAStream(&stream))
    throw BackendError("PETSc has no CUDA stream");
  return stream;
}

} // namespace tessera
