#ifndef TESSERA_CUDA_RUNTIME_CHECK_CUH
#define TESSERA_CUDA_RUNTIME_CHECK_CUH

#include "base/backend_error.hpp"

#include <cuda_runtime.h>
#include <new>
#include <string>

namespace tessera {

/// Throws what a failed CUDA call means: std::bad_alloc without memory, else BackendError. what: the call's purpose.
inline void check(cudaError_t error, const char *what)
{
  if (error == cudaSuccess)
    return;
  cudaGetLastError(); // clears an error that does not stay with the context
  if (error == cudaErrorMemoryAllocation)
    throw std::bad_alloc();
  throw BackendError(std::string("CUDA, ") + what + ": " + cudaGetErrorString(error));
}

} // namespace tessera
#endif
