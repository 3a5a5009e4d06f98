#ifndef TESSERA_CUDA_LANES_LARGEST_LANE_CUH
#define TESSERA_CUDA_LANES_LARGEST_LANE_CUH

#include "cuda/lanes/warp.cuh"

namespace tessera {

/// Magnitudes compare as these do, as far as the upper word of a double tells. What is no number is the largest.
__device__ __forceinline__ unsigned leading_magnitude(double x)
{
  return unsigned(leading_word(x)) & ~(1u << 31);
}

/// The first lane of a warp of which it is true. There is one.
__device__ __forceinline__ int first_lane(bool is_it)
{
  return __ffs(int(__ballot_sync(whole_warp, is_it))) - 1;
}

/// Of a warp's lanes whose bits are set, of which there is one at least, that with the largest leading_magnitude() of
/// x; the first of equal ones.
__device__ __forceinline__ int largest_lane(double x, unsigned lanes)
{
  const unsigned own = lanes >> (threadIdx.x & 31) & 1 ? leading_magnitude(x) + 1 : 0;
  return first_lane(own == __reduce_max_sync(whole_warp, own));
}

} // namespace tessera
#endif
