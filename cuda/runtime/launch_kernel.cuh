#ifndef TESSERA_CUDA_RUNTIME_LAUNCH_KERNEL_CUH
#define TESSERA_CUDA_RUNTIME_LAUNCH_KERNEL_CUH

#include "cuda/runtime/device_limits.hpp"
#include "cuda/runtime/grid.cuh"

namespace tessera {

/// Queues a kernel; returns the launch's error, if any. All launches are made here: tests/emulation has a function of
/// this name that runs a kernel on a processor.
template <class... Parameters, class... Arguments>
cudaError_t launch_kernel(void (*kernel)(Parameters...), const Grid &grid, const Arguments &...arguments)
{
  cudaLaunchAttribute overlaps{};
  overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlaps.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid.blocks;
  config.blockDim = grid.threads;
  config.dynamicSmemBytes = grid.shared;
  config.stream = grid.stream;
  config.attrs = &overlaps;
  config.numAttrs = grid.overlaps && device_limits().capability >= least_capability_to_overlap ? 1 : 0;
  cudaLaunchKernelEx(&config, kernel, arguments...);
  return cudaGetLastError();
}

/// In a kernel: the shared memory that its launch has asked for, aligned to 128 bytes.
template <class T>
__device__ __forceinline__ T *launch_shared()
{
  extern __shared__ __align__(128) unsigned char memory[];
  return reinterpret_cast<T *>(memory);
}

} // namespace tessera
#endif
