#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"

#include "cuda/runtime/occupancy.cuh"
#include "cuda/runtime/per_device.cuh"
#include "cuda/solve/pull_blocks.cuh"
#include "cuda/solve/pull_small_blocks.cuh"
#include "cuda/solve/solve_bundle.cuh"
#include "cuda/solve/solve_lanes.cuh"
#include "factor/width.hpp"
#include "tile/block_diagonal.hpp"

#include <algorithm>

namespace tessera {
namespace {

// ---- the sweeps

/// The sum over tiles of a block column, to be computed when the lanes have asked for what else they need. Small: no
/// block has more than small_rows.
template <int L, int W, bool Small, class T>
__device__ auto columns_to_pull(const KeptTile<T> *tiles, Index count, const double *v)
{
  if constexpr (Small) {
    const PulledItems<L, KeptTile<T>> list(tiles, count);
    return [=] { return pull_small_columns<L, W>(list, v); };
  } else {
    return [=] { return pull_columns<L, W>(tiles, count, v); };
  }
}

/// Likewise, over kept columns of a block row.
template <int L, int W, bool Small, class T>
__device__ auto row_to_pull(const BackwardWork<T> &b, const KeptColumn *columns, Index count, const double *x)
{
  if constexpr (Small) {
    const PulledItems<L, KeptColumn> list(columns, count);
    return [=, &b] { return pull_small_row<L, W>(b, list, x); };
  } else {
    return [=, &b] { return pull_row<L, W>(b, columns, count, x); };
  }
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
template <int L, int W, bool Small, class T>
__device__ void forward_row(const SolveView<T> &s, const ForwardWork &b, const double *r)
{
  using Team = Lanes<L, W>;
  const int row = Team::row();
  const bool is_part = L == solve_threads && b.work == Work::part, in = row < b.rows;
  constexpr Parts cut = Parts::of_tiles(W);
  const Index parts = L == solve_threads && !is_part ? cut.count(b.count) : 0, before = parts * cut.size;
  const auto pull = columns_to_pull<L, W, Small>(s.tiles + b.first + before, b.count - before, s.v);
  const Index from = in && !is_part ? __ldg(s.perm + b.row + row) : 0;
  InverseRow<L, W, false> inverse;
  if constexpr (L >= 32) // a lane of fewer has the whole row
    inverse.load(b.inverse, is_part ? 0 : b.rows);
  const double scale = in && !is_part ? __ldg(s.scale + b.row + row) : 0;
  const double rhs = in && !is_part ? r[from] : 0;
  double own = pull();
  if constexpr (L == solve_threads)
    own += add_part_sums<L, W>(s.sums + b.sums, parts, b.rows);
  const double sum = Team::sum(own, 0);
  const bool writes = Team::group() == 0 && in;
  if (is_part) {
    if (writes)
      publish(s.sums + b.sums + row, sum);
    return;
  }
  if constexpr (L < 32)
    inverse.load(b.inverse, b.rows);
  const double v = inverse.multiply(in ? rhs * scale - sum : 0);
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
template <int L, int W, bool Small, class T>
__device__ void backward_row(const SolveView<T> &s, const BackwardWork<T> &b, double *z)
{
  using Team = Lanes<L, W>;
  const int row = Team::row();
  const bool is_part = L == solve_threads && b.work == Work::part, in = row < b.rows, own_row = in && !is_part;
  constexpr Parts cut = Parts::of_columns(W);
  const Index parts = L == solve_threads && !is_part ? cut.count(b.count) : 0, before = parts * cut.size;
  const auto pull = row_to_pull<L, W, Small>(b, s.columns + b.first + before, b.count - before, s.x);
  InverseRow<L, W, true> inverse;
  if constexpr (L >= 32)
    inverse.load(b.inverse, is_part ? 0 : b.rows);
  const double rhs = divide_by_pivots<W>(s, b.row + row, own_row);
  const bool writes = Team::group() == 0 && in;
  const Index to = writes && own_row ? __ldg(s.perm + b.row + row) : 0;
  const double scale = writes && own_row ? __ldg(s.scale + b.row + row) : 0;
  double own = pull();
  if constexpr (L == solve_threads)
    own += add_part_sums<L, W>(s.sums + b.sums, parts, b.rows);
  const double sum = Team::sum(own, 0);
  if (is_part) {
    if (writes)
      publish(s.sums + b.sums + row, sum);
    return;
  }
  if constexpr (L < 32)
    inverse.load(b.inverse, b.rows);
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
  __device__ const ForwardWork *shared() const { return s.forward_shared; }
  __device__ Index tickets() const { return *s.forward_tickets; }
  __device__ unsigned *ticket() const { return s.ticket; }
  __device__ unsigned *other_ticket() const { return s.ticket + 1; }
  template <int L, int W, bool Small>
  __device__ void row(const ForwardWork &b) const
  {
    forward_row<L, W, Small>(s, b, r);
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
  __device__ const BackwardWork<T> *shared() const { return s.backward_shared; }
  __device__ Index tickets() const { return *s.backward_tickets; }
  __device__ unsigned *ticket() const { return s.ticket + 1; }
  __device__ unsigned *other_ticket() const { return s.ticket; }
  template <int L, int W, bool Small>
  __device__ void row(const BackwardWork<T> &b) const
  {
    backward_row<L, W, Small>(s, b, z);
  }
  template <int Most>
  __device__ void bundle(const BackwardWork<T> &b) const
  {
    backward_bundle<Most>(s, b, z);
  }
};

/// A warp copies N places to its shared memory, 16 bytes a lane.
template <int N, class Place>
__device__ void copy_places(Place *to, const Place *from)
{
  constexpr int words = N * sizeof(Place) / sizeof(uint4);
  static_assert(words <= 32);
  __syncwarp(); // all have read what is there
  if (threadIdx.x % 32 < words)
    reinterpret_cast<uint4 *>(to)[threadIdx.x % 32] = reinterpret_cast<const uint4 *>(from)[threadIdx.x % 32];
  __syncwarp();
}

/// Does the work of a place, by a warp or by the whole thread block. place: room for those of blocks that share a warp.
template <bool InBundles, int Most, class Sweep, class Place>
__device__ void do_work(const Sweep &sweep, Place (&place)[blocks_in_warp])
{
  constexpr bool small = !InBundles && Most == small_rows;
  const Place &b = place[0];
  if (b.work == Work::whole || b.work == Work::part)
    return with_width<Most>(b.rows, [&](auto w) { sweep.template row<solve_threads, decltype(w)::value, small>(b); });
  if (b.rows == 0)
    return;
  if constexpr (InBundles)
    if (b.work == Work::bundle)
      return sweep.template bundle<Most>(b);
  if constexpr (small)
    if (b.work == Work::shared) {
      copy_places<blocks_in_warp>(place, sweep.shared() + b.first);
      return sweep.template row<small_rows, small_rows, small>(place[threadIdx.x % 32 / small_rows]);
    }
  with_width<(Most < 16 ? Most : 16)>(b.rows, [&](auto w) { sweep.template row<32, decltype(w)::value, small>(b); });
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
  using Place = std::decay_t<decltype(*sweep.work())>;
  __shared__ unsigned taken[2];
  __shared__ Place place[ticket_places][blocks_in_warp];
  const int warp = threadIdx.x / 32;
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
    copy_places<1>(place[warp], sweep.work() + Offset(ticket) * ticket_places + warp);
    do_work<InBundles, Most>(sweep, place[warp]);
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
