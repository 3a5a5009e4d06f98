#ifndef TESSERA_CUDA_RUNTIME_WARP_SUMS_CUH
#define TESSERA_CUDA_RUNTIME_WARP_SUMS_CUH

namespace tessera {

/// Sum of x of this lane and of those before it. All lanes of the warp take part.
__device__ inline int sum_up_to(int x)
{
  const int lane = threadIdx.x & 31;
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(~0u, x, step);
    x += lane >= step ? other : 0;
  }
  return x;
}

} // namespace tessera
#endif
