#ifndef TESSERA_CUDA_LANES_SHARED_GROUP_MEMORY_CUH
#define TESSERA_CUDA_LANES_SHARED_GROUP_MEMORY_CUH

#include "cuda/lanes/group_cuda.cuh"

namespace tessera {

/// Shared memory of a thread block of launch_threads threads.
TESSERA_COLLECTIVE double *group_memory()
{
  __shared__ __align__(16) double values[launch_threads * (32 + 1)];
  return values;
}

/// Shared memory of the groups of a thread block, W (W + 1) values for each: the same for all W, so that a kernel with
/// groups of several widths takes no more of it than one with the widest.
template <int W>
struct SharedGroupMemory {
  static TESSERA_COLLECTIVE double *of_group() { return group_memory() + threadIdx.x / W * (W * (W + 1)); }
};

} // namespace tessera
#endif
