#ifndef TESSERA_CUDA_PULL_STAGE_CUH
#define TESSERA_CUDA_PULL_STAGE_CUH

#include "team_cuda.cuh"

#include "factor/device_schedule.hpp"

namespace tessera {

/// Shared memory of the warps that pull the updates of one piece together. Each of them stages the updates by one block
/// row k at a time. Most: rows of the largest block.
template <int W, int Most, int Warps, class T>
struct PullStage {
  static constexpr int columns = piece_columns_on_device;
  static constexpr int staged_column = Most + 2;        ///< columns begin at even places, in other banks
  alignas(16) T others[Warps][columns * staged_column]; ///< kept columns of block row k that the piece holds
  double weight[Warps][W * Most];                       ///< kept columns of tile (k, b), then the weights; see place_of
  double panel[W * columns];                            ///< the piece
  int target[Warps][columns];                           ///< which column of the piece each of `others` meets
  int staged[Warps];                                    ///< how many `others` there are
  Index rows[Warps];                                    ///< of block row k
  std::int8_t kept[Warps][W];                           ///< which kept column a column of tile (k, b) is, or -1

  /// Where entry r of kept column c is in `weight`: skewed, so that lanes that read the same r of different columns
  /// meet different banks.
  static __device__ int place_of(int c, int r) { return c * Most + (r ^ (c & (Most - 1))); }
};

/// The warps that share a piece as a team (factor/block_ildlt.hpp): one, or all of a thread block.
template <int W, int Warps>
struct PullTeam : CudaTeam<W> {
  static __device__ int first_item() { return Warps == 1 ? threadIdx.x & 31 : threadIdx.x; }
  static __device__ int item_step() { return 32 * Warps; }
  static __device__ int warp() { return Warps == 1 ? 0 : threadIdx.x / 32; }
  static __device__ void sync()
  {
    if constexpr (Warps == 1)
      __syncwarp();
    else
      __syncthreads();
  }
};

} // namespace tessera
#endif
