#ifndef TESSERA_CUDA_LANES_TEAM_CUDA_CUH
#define TESSERA_CUDA_LANES_TEAM_CUDA_CUH

#include "cuda/lanes/group_cuda.cuh"

namespace tessera {

/// CUDA half of a team (tile/group.hpp): a warp, whose 32/W groups of lanes take different tiles of one
/// piece.
template <int W>
struct CudaTeam : CudaGroup<W> {
  static constexpr int columns_at_once = 8; ///< which hide each other's latency
  static TESSERA_COLLECTIVE int first_item() { return threadIdx.x & 31; }
  static TESSERA_COLLECTIVE int item_step() { return 32; }
  static TESSERA_COLLECTIVE int group() { return (threadIdx.x & 31) / W; }
  static TESSERA_COLLECTIVE int groups() { return 32 / W; }
  static TESSERA_COLLECTIVE void sync() { __syncwarp(); }
  /// Magnitudes as numbers of 32 bits have the order that they have as floats, and a NaN exceeds them. 1 is the bits of
  /// the smallest one.
  static TESSERA_COLLECTIVE float largest(double magnitude)
  {
    unsigned bits = ::max(__float_as_uint(float(magnitude)), unsigned(magnitude > 0));
    if constexpr (W == 32)
      bits = __reduce_max_sync(~0u, bits);
    else {
#pragma unroll
      for (int half = W / 2; half >= 1; half /= 2)
        bits = ::max(bits, __shfl_xor_sync(~0u, bits, half, W));
    }
    return __uint_as_float(bits);
  }
};

} // namespace tessera
#endif
