#ifndef TESSERA_CUDA_MULTIPLY_UPDATES_CUH
#define TESSERA_CUDA_MULTIPLY_UPDATES_CUH

#include "pull_stage.cuh"

namespace tessera {

/// A warp that adds staged updates to its columns of a piece, which are consecutive.
template <int W, int Most, int Warps, class T>
struct UpdateProducts {
  using Stage = PullStage<W, Most, Warps, T>;
  static constexpr int at_once = W == 32 ? 4 : 2; ///< columns that a group updates at the same time, against latency
  Stage &stage;
  int lane, warp;

  /// Adds the products of the weights that warp `from` staged with its staged columns, as far as they meet columns of
  /// this warp. The groups of the warp take turns.
  __device__ void multiply(int from) const
  {
    const int staged = stage.staged[from], row = lane & (W - 1), group = lane / W;
    const int target = lane < staged ? stage.target[from][lane] : -1;
    const unsigned mine = __ballot_sync(~0u, target >= 0 && target / (Stage::columns / Warps) == warp);
    if (mine == 0)
      return;
    const int begin = __ffs(mine) - 1, end = begin + __popc(mine);
    const Index rows = stage.rows[from];
    const int kept = stage.kept[from][row];
    double weight[Most];
#pragma unroll
    for (int r = 0; r < Most; ++r)
      weight[r] = kept >= 0 && r < rows ? stage.weight[from][Stage::place_of(kept, r)] : 0;
    for (int c = begin + group; c < end; c += at_once * (32 / W))
      update_some(rows, weight, from, c, end);
  }

  /// Updates columns c, c + 32 / W, ... before `end`, at most at_once of them.
  __device__ void update_some(Index rows, const double (&weight)[Most], int from, int c, int end) const
  {
    double sum[at_once];
    double *entry[at_once];
    const T *u[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int column = c + i * (32 / W) < end ? c + i * (32 / W) : c; // one too many is not stored
      entry[i] = stage.panel + stage.target[from][column] * W + (lane & (W - 1));
      u[i] = stage.others[from] + column * Stage::staged_column;
      sum[i] = *entry[i];
    }
#pragma unroll
    for (int r = 0; r < Most; r += 2) {
      if (r >= rows)
        break;
      const bool both = r + 1 < rows;
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const T one = u[i][r], other = u[i][r + 1]; // the padding, if it is beyond the rows
        sum[i] = fma(weight[r], double(one), sum[i]);
        sum[i] = both ? fma(weight[r + 1], double(other), sum[i]) : sum[i];
      }
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (c + i * (32 / W) < end)
        *entry[i] = sum[i];
  }
};

} // namespace tessera
#endif
