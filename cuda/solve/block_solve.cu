#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"

#include "cuda/runtime/occupancy.cuh"
#include "cuda/runtime/per_device.cuh"
#include "cuda/solve/solve_bundle.cuh"
#include "cuda/solve/solve_lanes.cuh"
#include "factor/width.hpp"
#include "tile/block_diagonal.hpp"

#include <algorithm>

namespace tessera {
namespace {

// ---- the sweeps

/// The tile that lane `from` of the warp holds.
template <class T>
__device__ KeptTile<T> tile_of(const KeptTile<T> &mine, int from)
{
  return {__shfl_sync(~0u, mine.values, from), __shfl_sync(~0u, mine.row, from), __shfl_sync(~0u, mine.mask, from)};
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

/// This group's share of the sum of what `parts` parts have published, for row r of `rows`. Makes them unknown again.
template <int L, int W>
__device__ double add_part_sums(double *sums, Index parts, Index rows)
{
  constexpr int at_once = 4, groups = L / W;
  const int r = Lanes<L, W>::row();
  double own = 0;
  for (Index p0 = Lanes<L, W>::group(); p0 < parts && r < rows; p0 += groups * at_once) {
    double value[at_once];
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      value[j] = p0 + j * groups < parts ? peek(sums + Offset(p0 + j * groups) * rows + r) : 0;
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      if (p0 + j * groups < parts) {
        double *const from = sums + Offset(p0 + j * groups) * rows + r;
        own += pending(value[j]) ? await(from) : value[j];
        reset(from);
      }
  }
  return own;
}

/// v_b = L⁻¹ P (P S r - sum over k of U_kbᵀ v_k) for a block, or a part of its sum.
template <int L, int W, class T>
__device__ void forward_row(const SolveView<T> &s, const ForwardWork &b, const double *r)
{
  using Team = Lanes<L, W>;
  const int row = Team::row();
  const bool is_part = L == solve_threads && b.work == Work::part, in = row < b.rows;
  const InverseRow<L, W, false> inverse(b.inverse, is_part ? 0 : b.rows);
  double rhs = 0;
  if (in && !is_part)
    rhs = r[__ldg(s.perm + b.row + row)] * __ldg(s.scale + b.row + row);
  constexpr Parts cut = Parts::of_tiles(W);
  const Index parts = L == solve_threads && !is_part ? cut.count(b.count) : 0, before = parts * cut.size;
  double own = pull_columns<L, W>(s.tiles + b.first + before, b.count - before, s.v);
  if constexpr (L == solve_threads)
    own += add_part_sums<L, W>(s.sums + b.sums, parts, b.rows);
  const double sum = Team::sum(own, 0);
  const bool writes = Team::group() == 0 && in;
  if (is_part) {
    if (writes)
      publish(s.sums + b.sums + row, sum);
    return;
  }
  const double v = inverse.multiply(in ? rhs - sum : 0);
  if (writes) {
    publish(s.v + b.row + row, v);
    reset(s.x + b.row + row);
  }
}

/// Row r of D⁻¹ v_b, for a block.
template <int W, class T>
__device__ double divide_by_pivots(const SolveView<T> &s, Index row, bool in)
{
  const double v = in ? s.v[row] : 0, e = in ? __ldg(s.e_inverse + row) : 0;
  const double below = __shfl_down_sync(~0u, v, 1, W), above = __shfl_up_sync(~0u, e * v, 1, W);
  return in ? fma(__ldg(s.d_inverse + row), v, e * below) + (threadIdx.x % W > 0 ? above : 0) : 0;
}

/// x_b = (L⁻¹ P)ᵀ (D⁻¹ v_b - sum over j of U_bj x_j) for a block, and its rows of z = S Pᵀ x, or a part of its sum.
template <int L, int W, class T>
__device__ void backward_row(const SolveView<T> &s, const BackwardWork<T> &b, double *z)
{
  using Team = Lanes<L, W>;
  const int row = Team::row();
  const bool is_part = L == solve_threads && b.work == Work::part, in = row < b.rows, own_row = in && !is_part;
  const InverseRow<L, W, true> inverse(b.inverse, is_part ? 0 : b.rows);
  const double rhs = divide_by_pivots<W>(s, b.row + row, own_row);
  const bool writes = Team::group() == 0 && in;
  const Index to = writes && own_row ? __ldg(s.perm + b.row + row) : 0;
  const double scale = writes && own_row ? __ldg(s.scale + b.row + row) : 0;
  constexpr Parts cut = Parts::of_columns(W);
  const Index parts = L == solve_threads && !is_part ? cut.count(b.count) : 0, before = parts * cut.size;
  double own = pull_row<L, W>(b, s.columns + b.first + before, b.count - before, s.x);
  if constexpr (L == solve_threads)
    own += add_part_sums<L, W>(s.sums + b.sums, parts, b.rows);
  const double sum = Team::sum(own, 0);
  if (is_part) {
    if (writes)
      publish(s.sums + b.sums + row, sum);
    return;
  }
  const double x = inverse.multiply(in ? rhs - sum : 0);
  if (writes) {
    publish(s.x + b.row + row, x);
    reset(s.v + b.row + row);
    z[to] = x * scale;
  }
}

// ---- kernels

/// v for all blocks, levels ascending. Sets x to unknown.
template <class T>
struct ForwardSweep {
  SolveView<T> s;
  const double *r;

  __device__ const ForwardWork *work() const { return s.forward; }
  __device__ Index tickets() const { return *s.forward_tickets; }
  __device__ unsigned *ticket() const { return s.ticket; }
  __device__ unsigned *other_ticket() const { return s.ticket + 1; }
  template <int L, int W>
  __device__ void row(const ForwardWork &b) const
  {
    forward_row<L, W>(s, b, r);
  }
  template <int Most>
  __device__ void bundle(const ForwardWork &b) const
  {
    forward_bundle<Most>(s, b, r);
  }
};

/// x and z for all blocks, levels descending, after the forward sweep. Sets v to unknown.
template <class T>
struct BackwardSweep {
  SolveView<T> s;
  double *z;

  __device__ const BackwardWork<T> *work() const { return s.backward; }
  __device__ Index tickets() const { return *s.backward_tickets; }
  __device__ unsigned *ticket() const { return s.ticket + 1; }
  __device__ unsigned *other_ticket() const { return s.ticket; }
  template <int L, int W>
  __device__ void row(const BackwardWork<T> &b) const
  {
    backward_row<L, W>(s, b, z);
  }
  template <int Most>
  __device__ void bundle(const BackwardWork<T> &b) const
  {
    backward_bundle<Most>(s, b, z);
  }
};

/// Does the work of a place, by a warp or by the whole thread block.
template <bool InBundles, int Most, class Sweep, class Place>
__device__ void do_work(const Sweep &sweep, const Place &b)
{
  if (b.work == Work::whole || b.work == Work::part)
    return with_width<Most>(b.rows, [&](auto w) { sweep.template row<solve_threads, decltype(w)::value>(b); });
  if (b.rows == 0)
    return;
  if constexpr (InBundles)
    if (b.work == Work::bundle)
      return sweep.template bundle<Most>(b);
  with_width<(Most < 16 ? Most : 16)>(b.rows, [&](auto w) { sweep.template row<32, decltype(w)::value>(b); });
}

/// Thread blocks that shall fit an SM: more of them hide more latency, fewer leave more registers to each lane.
constexpr int blocks_per_sm(int most)
{
  return most <= 8 ? 8 : 6;
}

/// Whether thread blocks stay to take one ticket after the other; else there is one for each. Small blocks are
/// computed faster in the second way, by up to a tenth; of the tickets of large ones many may have nothing to do.
template <bool InBundles, int Most>
constexpr bool stays = Most > (InBundles ? 4 : 8);

/// A sweep: thread blocks take tickets in the order in which they come, so that one that waits, waits for one
/// that runs. They take one when they are done with the one before: what a thread block had taken and not begun would
/// wait while others idle.
template <bool InBundles, int Most, class Sweep>
__global__ void __launch_bounds__(solve_threads, blocks_per_sm(Most)) run_substitution(const Sweep sweep)
{
  __shared__ unsigned taken[2];
  const unsigned end = unsigned(sweep.tickets());
  for (unsigned i = 0;; ++i) {
    if (threadIdx.x == 0) {
      taken[i % 2] = atomicAdd(sweep.ticket(), 1u);
      if (taken[i % 2] == 0)
        *sweep.other_ticket() = 0;
    }
    __syncthreads();
    const unsigned ticket = taken[i % 2];
    if (ticket >= end)
      return;
    do_work<InBundles, Most>(sweep, load(sweep.work() + Offset(ticket) * ticket_places + threadIdx.x / 32));
    if constexpr (!stays<InBundles, Most>)
      return;
  }
}

template <bool InBundles, int Most, class Sweep>
void queue_sweep(const Sweep &sweep, Index tickets, const char *purpose, cudaStream_t stream)
{
  unsigned grid = unsigned(tickets);
  if constexpr (stays<InBundles, Most>) {
    static PerDevice<int> resident;
    const int blocks =
        resident.get([] { return resident_blocks(run_substitution<InBundles, Most, Sweep>, solve_threads, 0); });
    grid = std::min(grid, unsigned(blocks));
  }
  check(launch_kernel(run_substitution<InBundles, Most, Sweep>, {grid, solve_threads, 0, stream}, sweep), purpose);
}

template <bool InBundles, int Most, class T>
void queue_sweeps(const SolveView<T> &s, const double *r, double *z, cudaStream_t stream)
{
  queue_sweep<InBundles, Most>(ForwardSweep<T>{s, r}, s.forward_most, "launching the forward sweep", stream);
  queue_sweep<InBundles, Most>(BackwardSweep<T>{s, z}, s.backward_most, "launching the backward sweep", stream);
}

/// The inverse of F(D) of a block, a warp a block.
template <DiagonalOf F>
struct InvertPivots {
  const Index *block_start, *solve_row;
  const double *d, *e;
  double *d_inverse, *e_inverse;

  __device__ void operator()(const CudaGroup<32> &g, std::int64_t b) const
  {
    const Index row = block_start[b], k = block_start[b + 1] - row;
    const auto inverse = block_diagonal<F>(g, d + row, e + row, k);
    const int id = g.template id<double>();
    const bool couples_next = inverse.partner > id;
    g.store(id < k, d_inverse + solve_row[b], inverse.own);
    g.store(id < k, e_inverse + solve_row[b], couples_next ? inverse.other : 0.0);
  }
};

} // namespace

void queue_pivot_inverses(const Index *block_start, const Index *solve_row, Index blocks, const double *d,
                          const double *e, bool absolute, double *d_inverse, double *e_inverse, cudaStream_t stream)
{
  check(absolute
            ? launch<32>(stream, blocks,
                         InvertPivots<DiagonalOf::inverse_absolute>{block_start, solve_row, d, e, d_inverse, e_inverse})
            : launch<32>(stream, blocks,
                         InvertPivots<DiagonalOf::inverse>{block_start, solve_row, d, e, d_inverse, e_inverse}),
        "inverting pivots");
}

template <class T>
void queue_solve(const SolveView<T> &s, bool in_bundles, Index largest, const double *r, double *z, cudaStream_t stream)
{
  if (s.forward_most == 0)
    return;
  if (in_bundles)
    return largest <= 4 ? queue_sweeps<true, 4>(s, r, z, stream) : queue_sweeps<true, 8>(s, r, z, stream);
  if (largest <= 8)
    return queue_sweeps<false, 8>(s, r, z, stream);
  return largest <= 16 ? queue_sweeps<false, 16>(s, r, z, stream) : queue_sweeps<false, 32>(s, r, z, stream);
}

template void queue_solve(const SolveView<double> &, bool, Index, const double *, double *, cudaStream_t);
template void queue_solve(const SolveView<float> &, bool, Index, const double *, double *, cudaStream_t);

} // namespace tessera
