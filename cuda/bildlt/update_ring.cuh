#ifndef TESSERA_CUDA_BILDLT_UPDATE_RING_CUH
#define TESSERA_CUDA_BILDLT_UPDATE_RING_CUH

#include "cuda/lanes/shared_barrier.cuh"
#include "cuda/lanes/team_cuda.cuh"
#include "cuda/lanes/tensor_cores.cuh"
#include "factor/bildlt/device_schedule.hpp"
#include "factor/bildlt/views.hpp"

namespace tessera {

/// The warps of a thread block that pulls updates: first those that multiply, then those that stage. Products: how they
/// multiply (lanes/tensor_cores.cuh). The number of warps does not change the order of any sum.
template <int Multiplying, int Staging, class Products = TensorProducts>
struct PullWarps {
  using products = Products;
  static constexpr int multiplying = Multiplying, staging = Staging, threads = 32 * (Multiplying + Staging);
};

/// Shared memory in which the warps of a thread block that stage the updates of a piece, one block row k each, hand
/// them to those that multiply. Entry n of the sequence, the updates by a block row k or the end of a part, is in slot
/// n % slots. Columns have leading dimension `ld`.
template <int W, class Warps, class T>
struct UpdateRing {
  static constexpr int slots = Warps::staging / 2 + 1; ///< so that several thread blocks of an SM have room
  static constexpr int columns = piece_columns_on_device;
  static constexpr int weight_columns = W < 8 ? 8 : W; ///< a tensor core takes 8

  /// Where a warp that stages looks up which kept column belongs in which place; -1 for none.
  struct Places {
    Index own[columns];   ///< of tile (k, b), by row of the piece
    Index other[columns]; ///< of block row k, by column of the piece
    int owner[columns];   ///< which lane's tile the n-th kept column in the piece is of
  };

  static_assert(Warps::staging <= 2 * slots, "a warp waits for the round after next of a slot at most");
  // The barriers come first and are as many for every W: rows of all widths can share them.
  __mbarrier_t full[slots], empty[2][slots]; ///< what round r of the slots empties is in empty[r % 2]
  __mbarrier_t multiplying;                  ///< of the warps that multiply, among themselves
  unsigned met[slots];                       ///< which columns of the piece the updates meet, a bit each
  Index rows[slots];                         ///< of block row k, or 0 at the end of a part
  Places places[Warps::staging];
  double panel[W * columns]; ///< entries of A in the piece

  /// Columns begin in other banks for each 8 x 4 operand of a tensor core.
  static TESSERA_BOTH constexpr int ld(Index largest_block)
  {
    return group_width(largest_block) == 4 ? 4 : group_width(largest_block) + 4;
  }
  static TESSERA_BOTH constexpr std::size_t slot_bytes(int ld)
  {
    return ld * (weight_columns * sizeof(double) + columns * sizeof(T));
  }
  static TESSERA_BOTH constexpr std::size_t bytes(Index largest_block)
  {
    return sizeof(UpdateRing) + slots * slot_bytes(ld(largest_block));
  }

  /// The weights of the updates in a slot, [ld x weight_columns] by row of the piece.
  __device__ double *weight(int slot, int ld)
  {
    return reinterpret_cast<double *>(reinterpret_cast<unsigned char *>(this + 1) + slot * slot_bytes(ld));
  }
  /// The columns of block row k in a slot, [ld x columns] by column of the piece.
  __device__ T *others(int slot, int ld) { return reinterpret_cast<T *>(weight(slot, ld) + weight_columns * ld); }

  /// Of a new ring, by the whole thread block.
  __device__ void start()
  {
    if (threadIdx.x == 0) {
      __mbarrier_init(&multiplying, 32 * Warps::multiplying);
      for (int i = 0; i < slots; ++i) {
        __mbarrier_init(full + i, 32);
        __mbarrier_init(empty[0] + i, 32 * Warps::multiplying);
        __mbarrier_init(empty[1] + i, 32 * Warps::multiplying);
      }
    }
    __syncthreads();
  }
};

/// The warps that multiply as a team (tile/group.hpp).
template <int W, class Warps>
struct MultiplyingTeam : CudaTeam<W> {
  __mbarrier_t *barrier;

  static __device__ int first_item() { return threadIdx.x; }
  static __device__ int item_step() { return 32 * Warps::multiplying; }
  __device__ void sync() const
  {
    const __mbarrier_token_t arrived = __mbarrier_arrive(barrier);
    while (!__mbarrier_test_wait(barrier, arrived))
      ;
  }
};

} // namespace tessera
#endif
