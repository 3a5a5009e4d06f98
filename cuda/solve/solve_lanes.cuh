#ifndef TESSERA_CUDA_SOLVE_SOLVE_LANES_CUH
#define TESSERA_CUDA_SOLVE_SOLVE_LANES_CUH

#include "factor/bildlt/solve_places.hpp"

#include <cuda_runtime.h>

namespace tessera {

/// Room for a sum of each row by each warp of a thread block.
using WarpSums = double[solve_threads / 32][32];

/// Two of them, used in turn: the lanes wait for each other between uses of one.
__device__ inline WarpSums &warp_sums(int which)
{
  __shared__ WarpSums sums[2];
  return sums[which];
}

/// L lanes, a thread block, a warp or one of the groups in it, that share a block row, in groups of W lanes: lane r of
/// a group stands for row r of a tile.
template <int L, int W>
struct Lanes {
  static constexpr int in_warp = L < 32 ? L : 32; ///< of these lanes
  static constexpr int groups_in_warp = in_warp / W;
  static constexpr int warps = L < 32 ? 1 : L / 32;

  __device__ static int row() { return threadIdx.x % W; }
  __device__ static int group() { return threadIdx.x % L / W; }
  /// Which of the warps this is; their share of n items is those from warp() on in steps of `warps`.
  __device__ static int warp() { return threadIdx.x % L / 32; }

  /// Sum over the groups, for each row, in all lanes. which: of the warp_sums.
  __device__ static double sum(double x, int which)
  {
    for (int step = W; step < in_warp; step *= 2)
      x += __shfl_xor_sync(~0u, x, step);
    if constexpr (warps > 1) {
      WarpSums &part = warp_sums(which);
      part[threadIdx.x / 32][threadIdx.x % 32] = x;
      __syncthreads();
      x = 0;
      for (int w = 0; w < warps; ++w)
        x += part[w][threadIdx.x % 32];
    }
    return x;
  }
};

/// Lanes of a group of W hold each a row of a W x C matrix, of which own(c) computes entry c: sums of its columns, that
/// of column c in lanes c W/C .. (c + 1) W/C - 1. Lanes exchange halves of what they hold, the first ones as they are
/// computed, so that all are never in registers together.
template <int C, int W, class Entry>
__device__ double sum_columns(const Entry &own)
{
  if constexpr (C == 1) {
    double sum = own(0);
    for (int step = W / 2; step > 0; step /= 2)
      sum += __shfl_xor_sync(~0u, sum, step);
    return sum;
  } else {
    const bool upper = threadIdx.x & W / 2;
    double half[C / 2];
#pragma unroll
    for (int c = 0; c < C / 2; ++c) {
      const double low = own(c), high = own(c + C / 2);
      half[c] = (upper ? high : low) + __shfl_xor_sync(~0u, upper ? low : high, W / 2);
    }
    return sum_columns<C / 2, W / 2>([&](int c) { return half[c]; });
  }
}

/// Rows and columns of L⁻¹ P, or of its transpose, that a lane multiplies: row r, every groups-th column. Where a block
/// of many rows has more than one warp, its groups share the columns; else those of each warp do.
template <int L, int W, bool Transposed>
struct InverseRow {
  static constexpr bool by_all = W > 8;
  using Team = Lanes < by_all || L<32 ? L : 32, W>;
  static constexpr int step = Team::warps * Team::groups_in_warp, columns = W / step > 0 ? W / step : 1;
  double entry[columns];
  int first = Team::group() % step;

  __device__ void load(const double *m, Index rows)
  {
    const int r = Team::row();
#pragma unroll
    for (int i = 0; i < columns; ++i) {
      const int c = first + i * step;
      entry[i] = c < rows && r < rows ? __ldg(m + (Transposed ? r * rows + c : c * rows + r)) : 0;
    }
  }

  /// Entry r of the product with y, whose entry c lane c of each group holds; zero beyond the block's rows.
  __device__ double multiply(double y) const
  {
    double sum = 0;
#pragma unroll
    for (int i = 0; i < columns; ++i)
      sum = fma(entry[i], __shfl_sync(~0u, y, (first + i * step) % W, W), sum);
    return Team::sum(sum, 1);
  }
};

} // namespace tessera
#endif
