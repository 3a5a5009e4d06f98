#ifndef TESSERA_CUDA_RUNTIME_LAUNCH_CUH
#define TESSERA_CUDA_RUNTIME_LAUNCH_CUH

#include "cuda/lanes/group_cuda.cuh"
#include "cuda/runtime/launch_kernel.cuh"

#include <cstdint>
#include <cuda_runtime.h>

namespace tessera {

/// Thread blocks that take so many items each.
inline unsigned thread_blocks(std::int64_t items, int per_block)
{
  return unsigned((items + per_block - 1) / per_block);
}

template <int W, int BlocksPerSM, class Kernel>
__global__ void __launch_bounds__(launch_threads, BlocksPerSM) run_items(std::int64_t count, const Kernel kernel)
{
  const std::int64_t item = (std::int64_t(blockIdx.x) * launch_threads + threadIdx.x) / W;
  if (item < count) // the others leave their warp, and its collective operations go on without them
    kernel(CudaGroup<W>{}, item);
}

/// Runs kernel(group, item) for item = 0 .. count - 1 on the stream, 32/W items to a warp; returns when the launch is
/// queued. Items run in any order and at the same time. BlocksPerSM * launch_threads threads of an SM share its 65536
/// registers: more of them hide more latency, fewer leave more registers to each. Returns the launch's error, if any.
template <int W, int BlocksPerSM = 8, class Kernel>
cudaError_t launch(cudaStream_t stream, std::int64_t count, const Kernel &kernel)
{
  constexpr std::int64_t items = launch_threads / W, most = 0x7fffffff;
  if (count <= 0)
    return count == 0 ? cudaSuccess : cudaErrorInvalidValue;
  if ((count + items - 1) / items > most)
    return cudaErrorInvalidConfiguration;
  return launch_kernel(run_items<W, BlocksPerSM, Kernel>,
                       {unsigned((count + items - 1) / items), launch_threads, 0, stream}, count, kernel);
}

} // namespace tessera
#endif
