#ifndef TESSERA_CUDA_TEAM_CUDA_CUH
#define TESSERA_CUDA_TEAM_CUDA_CUH

#include "group_cuda.cuh"

namespace tessera {

/// CUDA half of a team (factor/block_ildlt.hpp): a warp, whose 32/W groups of lanes take different tiles of one piece.
template <int W>
struct CudaTeam : CudaGroup<W> {
  static constexpr int columns_at_once = 4; ///< whose sums hide each other's latency
  static TESSERA_COLLECTIVE int first_item() { return threadIdx.x & 31; }
  static TESSERA_COLLECTIVE int item_step() { return 32; }
  static TESSERA_COLLECTIVE int part() { return (threadIdx.x & 31) / W; }
  static TESSERA_COLLECTIVE int parts() { return 32 / W; }
  static TESSERA_COLLECTIVE void sync() { __syncwarp(); }
  static TESSERA_COLLECTIVE void sync_part()
  {
    __syncwarp(W == 32 ? ~0u : ((1u << W % 32) - 1) << (threadIdx.x & 31 & ~(W - 1)));
  }
};

} // namespace tessera
#endif
