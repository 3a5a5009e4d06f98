#ifndef TESSERA_CUDA_SOLVE_PULL_SMALL_BLOCKS_CUH
#define TESSERA_CUDA_SOLVE_PULL_SMALL_BLOCKS_CUH

#include "cuda/lanes/instructions.cuh"
#include "cuda/solve/pull_blocks.cuh"

#include <cuda_pipeline.h>

namespace tessera {

// What a block waits for in a sweep, where no block has more than 8 rows: there are many of them, and what a sweep
// takes is how long memory takes, several times in turn for each. So entries of tiles are on their way while those of
// the step before are added up, in shared memory, as registers would leave room for fewer warps.

/// Room for the entries of two steps of a warp: small_rows of each lane.
template <class T>
using Staged = T[2][32 * small_rows];

template <class T>
__device__ Staged<T> &staged()
{
  __shared__ Staged<T> entries[solve_threads / 32];
  return entries[threadIdx.x / 32];
}

/// What a lane knows of a step: a row of the solution, and the entry there, if it was known.
struct PullStep {
  Index row;
  double x;
  int there; ///< columns of the step, in the backward sweep
};

/// Takes steps in turn, as long as there are more. ask(turn): begins the copies of the next one and returns what it
/// knows of it; add(turn, step): adds it up.
template <class More, class Ask, class Add>
__device__ void take_steps(const More &more, const Ask &ask, const Add &add)
{
  if (!more())
    return;
  PullStep step = ask(0);
  __pipeline_commit();
  for (int turn = 0;; turn ^= 1) {
    const bool last = !more();
    PullStep next;
    if (!last)
      next = ask(turn ^ 1);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    add(turn, step);
    __syncwarp();
    if (last)
      return;
    step = next;
  }
}

/// Begins to copy row r of a tile, a column of W after the other, and asks for what it meets.
template <int W, class T>
__device__ PullStep ask_for_tile(const KeptTile<T> &tile, Index r, const double *v, T *to)
{
  const Index height = tile.height();
  const bool in = r < height;
  const PullStep step = {tile.row + r, in ? peek(v + tile.row + r) : 0, W};
  const T *u = tile.value() + r;
#pragma unroll
  for (int c = 0; c < W; ++c) {
    const bool kept = in && tile.mask >> c & 1;
    copy_if(kept, to + 32 * c, u);
    u += kept ? height : 0;
  }
  return step;
}

/// The largest of what the lanes of a warp have, if its groups have different ones.
template <int L>
__device__ int largest_in_warp(int x)
{
  return L < 32 ? __reduce_max_sync(~0u, x) : x;
}

/// The items, tiles or columns, of a block that the lanes of a warp pull: some at a time, a lane one. The first are
/// asked for when this is made.
template <int L, class Item>
struct PulledItems {
  static constexpr int lanes = L < 32 ? L : 32, warps = Lanes<L, lanes>::warps;
  const Item *items;
  Index count, first = Lanes<L, lanes>::warp();
  Item held;

  __device__ PulledItems(const Item *items, Index count) : items(items), count(count), held(fetched(0)) {}
  /// Those that come so many times later.
  __device__ Item fetched(int later) const
  {
    const Index mine = first + (lanes * later + Index(threadIdx.x % lanes)) * warps;
    return mine < count ? load(items + mine) : Item{};
  }
  /// How many are held: of the group that has most.
  __device__ int most() const { return largest_in_warp<L>(min(lanes, there())); }
  __device__ int there() const { return (count - first + warps - 1) / warps; }
};

/// This group's share of the sum over the tiles of a block column of (U_kbᵀ v_k)_r, for row r. Groups take the tiles in
/// turn, a lane a row of the tile.
template <int L, int W, class T>
__device__ double pull_small_columns(PulledItems<L, KeptTile<T>> tiles, const double *v)
{
  constexpr int lanes = tiles.lanes, G = Lanes<L, W>::groups_in_warp;
  Staged<T> &entries = staged<T>();
  const int lane = threadIdx.x % 32;
  double own[W] = {};
  for (int there = tiles.most(); there > 0; there = tiles.most()) {
    int j = 0, r0 = 0, rows = W;
    KeptTile<T> tile;
    const auto ask = [&](int turn) {
      if (r0 == 0) {
        tile = tile_of<lanes>(tiles.held, j + lane % lanes / W);
        rows = W < small_rows ? __reduce_max_sync(~0u, tile.height()) : W;
      }
      const PullStep step = ask_for_tile<W>(tile, r0 + lane % W, v, entries[turn] + lane);
      r0 += W;
      if (r0 >= rows) {
        r0 = 0;
        j += G;
      }
      return step;
    };
    const auto add = [&](int turn, const PullStep &step) {
      const double x = known(step.x, v + step.row);
#pragma unroll
      for (int c = 0; c < W; ++c)
        own[c] = fma(double(entries[turn][32 * c + lane]), x, own[c]);
    };
    take_steps([&] { return j < there; }, ask, add);
    tiles.held = tiles.fetched(1);
    tiles.first += lanes * tiles.warps;
  }
  return sum_columns<W, W>([&](int c) { return own[c]; });
}

/// This group's share of the sum over kept columns of block row b of (U_bj x_j)_r, for row r. Warps, and in them
/// groups, take the columns in turn.
template <int L, int W, class T>
__device__ double pull_small_row(const BackwardWork<T> &b, PulledItems<L, KeptColumn> columns, const double *x)
{
  constexpr int lanes = columns.lanes, G = Lanes<L, W>::groups_in_warp;
  Staged<T> &entries = staged<T>();
  const int lane = threadIdx.x % 32, group = lane % lanes / W;
  const Index rows = b.rows;
  const T *const value = b.value + (lane % W < rows ? lane % W : 0);
  double own[4] = {};
  KeptColumn next = columns.fetched(1);
  const auto ask = [&](int turn) {
    PullStep step = {columns.held.target, 0, columns.there()};
    if (lane % lanes < step.there)
      step.x = peek(x + step.row);
#pragma unroll
    for (int e = 0; e < W; ++e) {
      const int i = e * G + group;
      const Index place = __shfl_sync(~0u, columns.held.place, i, lanes);
      if (i < step.there)
        __pipeline_memcpy_async(&entries[turn][e * 32 + lane], value + Offset(place) * rows, sizeof(T));
    }
    columns.first += lanes * columns.warps;
    columns.held = next;
    next = columns.fetched(1);
    return step;
  };
  const auto more = [&] { return largest_in_warp<L>(columns.there()) > 0; };
  take_steps(more, ask, [&](int turn, const PullStep &step) {
    const double met = known(step.x, x + step.row);
#pragma unroll
    for (int e = 0; e < W; ++e) {
      const int i = e * G + group;
      const double y = __shfl_sync(~0u, met, i, lanes);
      if (i < step.there)
        own[e % 4] = fma(double(entries[turn][e * 32 + lane]), y, own[e % 4]);
    }
  });
  return (own[0] + own[1]) + (own[2] + own[3]);
}

} // namespace tessera
#endif
