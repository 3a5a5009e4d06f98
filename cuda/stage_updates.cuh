#ifndef TESSERA_CUDA_STAGE_UPDATES_CUH
#define TESSERA_CUDA_STAGE_UPDATES_CUH

#include "pull_stage.cuh"

#include "factor/updates.hpp"

#include <cuda_pipeline.h>
#include <type_traits>

namespace tessera {

/// Panel column of tile (b, j), or -1 if the piece does not hold it.
struct PieceTiles {
  const StructureView &s;
  const PanelPiece &piece;

  __device__ Index operator()(Index j) const
  {
    if (j == piece.block)
      return piece.column_begin == 0 ? 0 : -1;
    Offset low = piece.tile_begin, high = piece.tile_end;
    while (low < high) {
      const Offset middle = (low + high) / 2;
      if (s.tile_column[middle] < j)
        low = middle + 1;
      else
        high = middle;
    }
    return low < piece.tile_end && s.tile_column[low] == j ? s.panel_column[low] : -1;
  }
};

/// What lane `from` knows of a block row.
template <class T>
__device__ UpdateSource<T> source_of_lane(const UpdateSource<T> &x, int from)
{
  const auto address = [from](const auto *p) {
    return reinterpret_cast<decltype(p)>(__shfl_sync(~0u, reinterpret_cast<unsigned long long>(p), from));
  };
  return {__shfl_sync(~0u, x.block, from),
          __shfl_sync(~0u, x.rows, from),
          __shfl_sync(~0u, x.first, from),
          __shfl_sync(~0u, x.count, from),
          __shfl_sync(~0u, x.row_start, from),
          __shfl_sync(~0u, x.tile, from),
          __shfl_sync(~0u, x.tile_end, from),
          address(x.value),
          address(x.column)};
}

/// A warp that stages the updates of a piece by one block row k after the other in its part of shared memory.
template <int W, int Most, int Warps, class T>
struct UpdateStager {
  using Stage = PullStage<W, Most, Warps, T>;
  const StructureView &s;
  const FactorView<T> &f;
  const PanelPiece &piece;
  Stage &stage;
  int lane, warp;

  /// Begins to stage the columns of block row k that the piece holds, and returns how many there are. The lanes look
  /// up its tiles, 32 at a time.
  __device__ int stage_others(const UpdateSource<T> &x, Index last_column) const
  {
    const PieceTiles find{s, piece};
    int staged = 0;
    for (Offset y0 = first_update_tile(piece, x); y0 < x.tile_end; y0 += 32) {
      const Offset y = y0 + lane;
      const Index j = y < x.tile_end ? s.tile_column[y] : last_column + 1;
      TileUpdate mine = {0, 0, -1};
      if (j <= last_column)
        mine = tile_update(f, x.block, y, j, find);
      for (unsigned hits = __ballot_sync(~0u, mine.target >= 0); hits; hits &= hits - 1) {
        const int from = __ffs(hits) - 1;
        const TileUpdate hit = {__shfl_sync(~0u, mine.first, from), __shfl_sync(~0u, mine.count, from),
                                __shfl_sync(~0u, mine.target, from)};
        const T *u = x.value + Offset(hit.first) * x.rows;
        for (int c = 0; c < hit.count; ++c)
          if (lane < x.rows)
            __pipeline_memcpy_async(stage.others[warp] + (staged + c) * Stage::staged_column + lane,
                                    u + c * x.rows + lane, sizeof(T));
        if (lane < hit.count)
          stage.target[warp][staged + lane] = hit.target - piece.column_begin + x.column[hit.first + lane];
        staged += hit.count;
      }
      if (__any_sync(~0u, j > last_column))
        break;
    }
    return staged;
  }

  /// Begins to copy the kept columns of tile (k, b) to where their weights will be.
  __device__ void stage_own(const UpdateSource<T> &x) const
  {
    const T *u = x.value + Offset(x.first) * x.rows;
    for (int c = lane / Most; c < x.count; c += 32 / Most)
      if (const int r = lane % Most; r < x.rows) {
        double *to = stage.weight[warp] + Stage::place_of(c, r);
        if constexpr (std::is_same<T, double>::value)
          __pipeline_memcpy_async(to, u + c * x.rows + r, sizeof(T));
        else
          *to = u[c * x.rows + r];
      }
    if (lane < W)
      stage.kept[warp][lane] = -1;
    __syncwarp();
    if (lane < x.count)
      stage.kept[warp][x.column[x.first + lane]] = lane;
  }

  /// Stages the updates by block row k. What does not depend on each other is read at the same time.
  __device__ void stage_row(const UpdateSource<T> &x, Index last_column) const
  {
    const int r = lane % Most;
    const bool inside = r < x.rows;
    const double d = inside ? f.d[x.row_start + r] : 0, e = inside ? f.e[x.row_start + r] : 0;
    stage_own(x);
    const int staged = stage_others(x, last_column);
    __pipeline_commit();
    const double before = __shfl_up_sync(~0u, e, 1), e_before = r > 0 ? before : 0;
    __pipeline_wait_prior(0);
    __syncwarp();
    // the kept columns of tile (k, b) become weights, in place
    for (int begin = 0; begin < x.count; begin += 32 / Most) {
      const int c = begin + lane / Most;
      const bool mine = c < x.count && inside;
      const auto u = [&](int i) { return stage.weight[warp][Stage::place_of(c, i)]; };
      const double weight = mine ? update_weight(d, e, e_before, u, r) : 0;
      __syncwarp();
      if (mine)
        stage.weight[warp][Stage::place_of(c, r)] = weight;
    }
    if (lane == 0) {
      stage.staged[warp] = staged;
      stage.rows[warp] = x.rows;
    }
  }
};

} // namespace tessera
#endif
