#ifndef TESSERA_CUDA_RUNTIME_OCCUPANCY_CUH
#define TESSERA_CUDA_RUNTIME_OCCUPANCY_CUH

#include "cuda/runtime/check.cuh"
#include "cuda/runtime/device_limits.hpp"

#include <algorithm>

namespace tessera {

/// Shared memory of a thread block of the kernel that it does not ask for at a launch, in bytes.
template <class Kernel>
int static_shared(Kernel *kernel)
{
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel), "asking what a kernel takes");
  return int(attributes.sharedSizeBytes);
}

/// Lets launches of the kernel ask for up to `most` bytes of shared memory, or as many as the device allows.
template <class Kernel>
void allow_shared_memory(Kernel *kernel, std::size_t most)
{
  const int allowed = device_limits().block_shared - static_shared(kernel);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, std::min(int(most), allowed)),
        "asking for shared memory");
}

/// Thread blocks of a kernel that run at the same time on the current device, at least one. bytes: of shared memory
/// that a launch asks for, as allowed before.
template <class Kernel>
int resident_blocks(Kernel *kernel, int threads, std::size_t bytes)
{
  int per_processor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, threads, bytes),
        "asking for the occupancy");
  const DeviceLimits &limits = device_limits();
  const int shared = int(bytes) + static_shared(kernel);
  if (shared > limits.block_shared)
    per_processor = 0;
  else if (shared > 0) // which the device has seen to, unless its limits are lowered
    per_processor = std::min(per_processor, limits.processor_shared / (shared + limits.reserved_shared));
  if (per_processor < 1)
    throw UnsupportedDevice(limits.name + " has no room for a thread block of " + std::to_string(threads) +
                            " threads and " + std::to_string(shared) + " bytes of shared memory");
  return limits.multiprocessors * per_processor;
}

} // namespace tessera
#endif
