#ifndef TESSERA_CUDA_BILDLT_MULTIPLY_UPDATES_CUH
#define TESSERA_CUDA_BILDLT_MULTIPLY_UPDATES_CUH

#include "cuda/bildlt/update_ring.cuh"

namespace tessera {

/// A warp that adds staged updates to its share of a piece, 8 x 8 tiles in registers, by products that sum in the
/// host's order.
template <int W, class Warps, class T>
struct UpdateProducts {
  using Ring = UpdateRing<W, Warps, T>;
  static_assert(Warps::multiplying == 4 || Warps::multiplying == 1, "which share 4 tiles across");
  static constexpr bool square = W == 32 && Warps::multiplying == 4; ///< the warps are 2 x 2 beside each other
  static constexpr int down = square ? 2 : W < 8 ? 1 : W / 8, across = square ? 2 : 4 / Warps::multiplying; ///< tiles
  Ring &ring;
  int ld;
  int lane = threadIdx.x & 31;
  int row = square ? threadIdx.x / 64 * 16 : 0;
  int column = (square ? threadIdx.x / 32 % 2 : threadIdx.x / 32) * 8 * across;
  double sum[down][across][2];

  __device__ UpdateProducts(Ring &ring, int ld) : ring(ring), ld(ld) {}

  /// Calls action(sum, row of the piece, column of the piece) for every entry of this warp and lane.
  template <class Action>
  __device__ void each_entry(const Action &action)
  {
#pragma unroll
    for (int i = 0; i < down; ++i)
#pragma unroll
      for (int j = 0; j < across; ++j)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          action(sum[i][j][h], row + 8 * i + lane / 4, column + 8 * j + 2 * (lane % 4) + h);
  }

  /// Adds the updates from entry n of the ring to the end of the part. n: entries of the ring so far.
  __device__ void add_part(unsigned &n)
  {
    TESSERA_ROLL
    for (bool more = true; more; ++n) {
      const unsigned slot = n % Ring::slots, round = n / Ring::slots;
      wait_for_phase(ring.full + slot, round);
      __syncwarp(); // each lane has waited by itself, and a tensor core takes the whole warp
      const Index rows = ring.rows[slot];
      more = rows > 0;
      const unsigned met = ring.met[slot] >> column & ~0u >> (32 - 8 * across);
      if (met != 0)
        multiply(slot, (rows + 3) / 4, met);
      __mbarrier_arrive(ring.empty[round % 2] + slot);
    }
  }

  /// The products of a slot, 4 rows a step. Of columns that are not met, which hold anything, nothing is added.
  __device__ void multiply(int slot, int steps, unsigned met)
  {
    const double *a = ring.weight(slot, ld) + (row + lane / 4) * ld + lane % 4;
    const T *b = ring.others(slot, ld) + (column + lane / 4) * ld + lane % 4;
    double before[down][across][2];
#pragma unroll
    for (int i = 0; i < down; ++i)
#pragma unroll
      for (int j = 0; j < across; ++j)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          before[i][j][h] = sum[i][j][h];
    if (steps == 8) {
#pragma unroll
      for (int k = 0; k < 8; ++k)
        step(a + 4 * k, b + 4 * k);
    } else {
#pragma unroll 2
      for (int k = 0; k < steps; ++k)
        step(a + 4 * k, b + 4 * k);
    }
#pragma unroll
    for (int i = 0; i < down; ++i)
#pragma unroll
      for (int j = 0; j < across; ++j)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          if (!(met >> (8 * j + 2 * (lane % 4) + h) & 1))
            sum[i][j][h] = before[i][j][h];
  }

  __device__ void step(const double *a, const T *b)
  {
    double weight[down], other[across];
#pragma unroll
    for (int i = 0; i < down; ++i)
      weight[i] = a[8 * i * ld];
#pragma unroll
    for (int j = 0; j < across; ++j)
      other[j] = double(b[8 * j * ld]);
#pragma unroll
    for (int j = 0; j < across; ++j)
      multiply_tiles<typename Warps::products, down>([&](int i) -> double(&)[2] { return sum[i][j]; },
                                                     [&](int i) { return weight[i]; }, other[j]);
  }
};

} // namespace tessera
#endif
