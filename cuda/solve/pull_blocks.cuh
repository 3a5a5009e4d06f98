#ifndef TESSERA_CUDA_SOLVE_PULL_BLOCKS_CUH
#define TESSERA_CUDA_SOLVE_PULL_BLOCKS_CUH

#include "cuda/solve/block_solve.cuh"
#include "cuda/solve/solve_entries.cuh"
#include "cuda/solve/solve_lanes.cuh"

namespace tessera {

// What a block waits for in a sweep: sums of tiles times entries of the solution.

/// The tile that lane `from` of the warp, or of the `lanes` that this one is of, holds.
template <int lanes = 32, class T>
__device__ KeptTile<T> tile_of(const KeptTile<T> &mine, int from)
{
  return {__shfl_sync(~0u, mine.values, from, lanes), __shfl_sync(~0u, mine.row, from, lanes),
          __shfl_sync(~0u, mine.mask, from, lanes)};
}

/// own[c] += sum over N tiles and their rows r of U(r, c0 + c) v(r), for the rows of this lane. All is asked for before
/// anything is waited for.
template <int W, int N, int C, class T>
__device__ void add_tiles(const KeptTile<T> (&tile)[N], int c0, const double *v, double (&own)[C])
{
  Index highest = 0;
  for (const KeptTile<T> &t : tile)
    highest = max(highest, t.height());
  for (Index r = threadIdx.x % W; r < highest; r += W) {
    T entry[N][C];
    double x[N];
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const Index height = tile[n].height();
      const bool in = r < height;
      const T *u = tile[n].value() + r;
      if (C < W)
        u += __popc(tile[n].mask & ((1u << c0) - 1)) * height;
#pragma unroll
      for (int c = 0; c < C; ++c) {
        const bool kept = in && tile[n].mask >> (c0 + c) & 1;
        entry[n][c] = kept ? __ldg(u) : T(0);
        u += kept ? height : 0;
      }
      x[n] = in ? peek(v + tile[n].row + r) : 0;
    }
#pragma unroll
    for (int n = 0; n < N; ++n) {
      if (pending(x[n]))
        x[n] = await(v + tile[n].row + r);
#pragma unroll
      for (int c = 0; c < C; ++c)
        own[c] = fma(double(entry[n][c]), x[n], own[c]);
    }
  }
}

/// This group's share of the sum over `count` tiles of a block column of (U_kbᵀ v_k)_r, for row r. Groups take the
/// tiles in turn, a lane a row of the tile; of tiles of more than 8 columns, each of 2 or 4 groups takes 8.
template <int L, int W, class T>
__device__ double pull_columns(const KeptTile<T> *tiles, Index count, const double *v)
{
  using Team = Lanes<L, W>;
  constexpr int C = W < 8 ? W : 8, slices = W / C;                               // C: sums that a lane holds
  constexpr int G = Team::groups_in_warp, in_warp = G > slices ? G / slices : 1; // tiles that a warp takes at once
  constexpr int warps_a_tile = slices > G ? slices / G : 1, every = Team::warps / warps_a_tile;
  constexpr int N = W == 4 ? 2 : 1; // tiles that a group takes at once
  const int group = Team::group(), c0 = group % slices * C, lane = threadIdx.x % 32;
  double own[C] = {};
  for (Index i0 = Team::warp() / warps_a_tile; i0 < count; i0 += 32 * every) {
    const Index mine = i0 + lane * every, there = min(32, (count - i0 + every - 1) / every);
    const KeptTile<T> held = mine < count ? load(tiles + mine) : KeptTile<T>{};
    for (int j = 0; j < there; j += in_warp * N) {
      KeptTile<T> tile[N];
#pragma unroll
      for (int n = 0; n < N; ++n)
        tile[n] = tile_of(held, j + n * in_warp + lane / W / slices);
      add_tiles<W>(tile, c0, v, own);
      __syncwarp();
    }
  }
  const double sum = sum_columns<C, W>([&](int c) { return own[c]; });
  if constexpr (slices == 1)
    return sum;
  const int c = Team::row() - c0;
  const double moved = __shfl_sync(~0u, sum, (c & (C - 1)) * slices, W);
  return c >= 0 && c < C ? moved : 0;
}

/// This group's share of the sum over `count` kept columns of block row b of (U_bj x_j)_r, for row r. Warps, and in
/// them groups, take the columns in turn.
template <int L, int W, class T>
__device__ double pull_row(const BackwardWork<T> &b, const KeptColumn *columns, Index count, const double *x)
{
  using Team = Lanes<L, W>;
  constexpr int at_once = 4, every = Team::warps, G = Team::groups_in_warp;
  const int lane = threadIdx.x % 32, group = lane / W;
  const int r = Team::row() < b.rows ? Team::row() : 0;
  double own[at_once] = {};
  for (Index i0 = Team::warp(); i0 < count; i0 += 32 * every) {
    const Index mine = i0 + lane * every, there = min(32, (count - i0 + every - 1) / every);
    const KeptColumn held = mine < count ? columns[mine] : KeptColumn{};
    for (int j0 = 0; j0 < there; j0 += G * at_once) {
      T entry[at_once];
      double value[at_once];
      const double *from[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        const int i = j0 + j * G + group;
        const Index target = __shfl_sync(~0u, held.target, i);
        const Index place = __shfl_sync(~0u, held.place, i);
        from[j] = x + target;
        entry[j] = i < there ? __ldg(b.value + Offset(place) * b.rows + r) : T(0);
        value[j] = i < there ? peek(from[j]) : 0;
      }
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        if (pending(value[j]))
          value[j] = await(from[j]);
        own[j] = fma(double(entry[j]), value[j], own[j]);
      }
      __syncwarp();
    }
  }
  return (own[0] + own[1]) + (own[2] + own[3]);
}

} // namespace tessera
#endif
