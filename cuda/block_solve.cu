#include "launch.cuh"

#include <cuda_pipeline.h>

#include "block_solve.cuh"
#include "tile/block_diagonal.hpp"

namespace tessera {
namespace {

constexpr int warps = 4; ///< that share a block
constexpr int threads = 32 * warps;
constexpr unsigned whole_warp = 0xffffffffu;
constexpr int padded = max_block_rows + 1; ///< columns in shared memory are an odd number of words apart

/// Width of the part of a warp that holds the rows of a block: 4, 8, 16 or 32 lanes.
__device__ int team_width(Index rows)
{
  return rows <= 4 ? 4 : rows <= 8 ? 8 : rows <= 16 ? 16 : 32;
}

__device__ int load_flag(const int *flag)
{
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

/// Marks a block as done, after stores of this warp that who reads the flag shall see.
__device__ void raise_flag(int *flag, int epoch)
{
  __syncwarp();
  if ((threadIdx.x & 31) == 0) {
    __threadfence();
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(epoch) : "memory");
  }
}

__device__ void wait_for(const int *flag, int epoch)
{
  while (load_flag(flag) != epoch)
    ;
}

/// Positions in the order of the levels, handed out in the order in which thread blocks begin: one that waits, waits
/// for one that runs. The counter goes on from sweep to sweep, modulo 2^32.
__device__ Index take_ticket(unsigned *ticket, int epoch)
{
  __shared__ unsigned taken;
  if (threadIdx.x == 0)
    taken = atomicAdd(ticket, 1u) - (unsigned(epoch) - 1) * gridDim.x;
  __syncthreads();
  return Index(taken);
}

/// A team is the lanes that hold the rows of a block; the teams of a thread block share its tiles.
struct Team {
  int width; ///< 4, 8, 16 or 32 lanes
  int row;   ///< this lane's place
  int index; ///< of the team, among all of the thread block
  int count;
  unsigned mask; ///< its lanes

  __device__ explicit Team(Index rows)
  {
    const int lane = threadIdx.x & 31;
    width = team_width(rows);
    row = lane & (width - 1);
    index = int(threadIdx.x) / width;
    count = threads / width;
    mask = width == 32 ? whole_warp : ((1u << width) - 1) << (lane & ~(width - 1));
  }
  __device__ void sync() const { __syncwarp(mask); }
};

/// Shared memory of a thread block: what a team stages its tile and the vector that meets it in.
template <class T>
struct Stage {
  T tile[threads * padded]; ///< a team of w lanes has w columns
  double vector[threads / 4 * max_block_rows];
  double sum[warps][max_block_rows];

  __device__ T *tile_of(const Team &team) { return tile + team.index * team.width * padded; }
  __device__ double *vector_of(const Team &team) { return vector + team.index * max_block_rows; }
};

/// Begins to copy the first `columns` columns [height] of u to shared memory, without waiting.
template <class T>
__device__ void begin_copy(const Team &team, const T *u, Index height, int columns, T *tile)
{
  for (int c = 0; c < columns; ++c)
    for (Index r = team.row; r < height; r += team.width)
      __pipeline_memcpy_async(tile + c * padded + r, u + Offset(c) * height + r, sizeof(T));
  __pipeline_commit();
}

/// Sums of all teams for each row of the block, in warp 0: over the teams of a warp by a fixed tree, then over warps.
template <class T>
__device__ double sum_over_teams(double x, const Team &team, Stage<T> &stage)
{
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  __syncwarp();
  for (int step = 16; step >= team.width; step /= 2)
    x += __shfl_xor_sync(whole_warp, x, step);
  stage.sum[warp][lane] = x;
  __syncthreads();
  double sum = 0;
  for (int w = 0; w < warps; ++w)
    sum += stage.sum[w][lane];
  return sum;
}

/// Sum of u[i step] v[i] for i < n, by four interleaved sums.
template <class T>
__device__ double dot(const T *u, int step, const double *v, Index n)
{
  double sum[4] = {0, 0, 0, 0};
  Index i = 0;
  for (; i + 4 <= n; i += 4)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      sum[j] = fma(double(u[(i + j) * step]), v[i + j], sum[j]);
  for (; i < n; ++i)
    sum[0] = fma(double(u[i * step]), v[i], sum[0]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// Row `lane` of the k x k matrix L⁻¹ P or of its transpose, ahead of its use.
template <bool Transposed>
__device__ void load_inverse(const double *m, Index k, int lane, double (&row)[max_block_rows])
{
#pragma unroll
  for (int c = 0; c < max_block_rows; ++c)
    row[c] = c < k && lane < k ? (Transposed ? m[Offset(lane) * k + c] : m[Offset(c) * k + lane]) : 0;
}

__device__ double multiply(const double (&row)[max_block_rows], Index k, double x)
{
  double even = 0, odd = 0;
#pragma unroll
  for (int c = 0; c < max_block_rows; c += 2) {
    if (c >= k)
      break;
    even = fma(row[c], __shfl_sync(whole_warp, x, c), even);
    odd = fma(row[c + 1], __shfl_sync(whole_warp, x, c + 1), odd);
  }
  return even + odd;
}

/// v_b = L⁻¹ P (P S r - sum over k of U_kbᵀ v_k) for all blocks, a thread block each. Tiles are fetched before what
/// they meet is waited for.
template <class T>
__global__ void __launch_bounds__(threads) forward_sweep(SolveView<T> s, FactorView<T> f, const double *r, int epoch)
{
  __shared__ Stage<T> stage;
  const Index position = take_ticket(s.ticket, epoch);
  if (position >= s.blocks)
    return;
  const int lane = threadIdx.x & 31;
  const Index b = s.order[position], begin = s.block_start[b], rows = s.block_start[b + 1] - begin;
  const Team team(rows);
  T *tile = stage.tile_of(team);
  double *vector = stage.vector_of(team);
  double inverse[max_block_rows], rhs = 0;
  if (threadIdx.x < 32) {
    load_inverse<false>(f.inverse + f.inverse_start[b], rows, lane, inverse);
    if (lane < rows) {
      const Index from = s.perm[begin + lane];
      rhs = r[from] * s.scale[from];
    }
  }
  double sum = 0;
  const Offset end = s.column_start[b + 1];
  Offset q = s.column_start[b] + team.index;
  KeptTile<T> next = {};
  if (q < end)
    next = s.by_column[q];
  for (; q < end; q += team.count) {
    const KeptTile<T> kept = next;
    begin_copy(team, kept.value, kept.height, __popc(kept.mask), tile);
    if (q + team.count < end)
      next = s.by_column[q + team.count];
    wait_for(s.forward_done + kept.other, epoch);
    for (Index i = team.row; i < kept.height; i += team.width)
      vector[i] = __ldcg(s.x + kept.row + i);
    __pipeline_wait_prior(0);
    team.sync();
    if (kept.mask >> team.row & 1)
      sum += dot(tile + __popc(kept.mask & ((1u << team.row) - 1)) * padded, 1, vector, kept.height);
    team.sync();
  }
  sum = sum_over_teams(sum, team, stage);
  if (threadIdx.x >= 32)
    return;
  const double v = multiply(inverse, rows, lane < rows ? rhs - sum : 0);
  if (lane < rows)
    __stcg(s.x + begin + lane, v);
  raise_flag(s.forward_done + b, epoch);
}

/// x_b = (L⁻¹ P)ᵀ (D⁻¹ v_b - sum over j of U_bj x_j) for all blocks, and z = S Pᵀ x. The tiles whose x_j come first are
/// taken first: those of the last block columns.
template <class T>
__global__ void __launch_bounds__(threads) backward_sweep(SolveView<T> s, FactorView<T> f, double *z, int epoch)
{
  __shared__ Stage<T> stage;
  const Index position = take_ticket(s.ticket + 1, epoch);
  if (position >= s.blocks)
    return;
  const int lane = threadIdx.x & 31;
  const Index b = s.order[s.blocks - 1 - position], begin = s.block_start[b], rows = s.block_start[b + 1] - begin;
  const Team team(rows);
  T *tile = stage.tile_of(team);
  double *vector = stage.vector_of(team);
  double inverse[max_block_rows], rhs = 0;
  if (threadIdx.x < 32) {
    load_inverse<true>(f.inverse + f.inverse_start[b], rows, lane, inverse);
    const double v = lane < rows ? __ldcg(s.x + begin + lane) : 0, e = lane < rows ? s.e_inverse[begin + lane] : 0;
    const double below = __shfl_down_sync(whole_warp, v, 1), above = __shfl_up_sync(whole_warp, e * v, 1);
    if (lane < rows)
      rhs = fma(s.d_inverse[begin + lane], v, e * below) + (lane > 0 ? above : 0);
  }
  double sum = 0;
  const Offset first = s.row_start[b];
  Offset q = s.row_start[b + 1] - 1 - team.index;
  KeptTile<T> next = {};
  if (q >= first)
    next = s.by_row[q];
  for (; q >= first; q -= team.count) {
    const KeptTile<T> kept = next;
    const int columns = __popc(kept.mask);
    // a tile is at most 32 columns wide, a team's share of shared memory its own width
    for (int c0 = 0; c0 < columns; c0 += team.width) {
      const int n = min(team.width, columns - c0);
      begin_copy(team, kept.value + Offset(c0) * rows, rows, n, tile);
      if (c0 == 0) {
        if (q - team.count >= first)
          next = s.by_row[q - team.count];
        wait_for(s.backward_done + kept.other, epoch);
      }
      if (team.row < n)
        vector[team.row] = __ldcg(s.x + kept.row + __fns(kept.mask, 0, c0 + team.row + 1));
      __pipeline_wait_prior(0);
      team.sync();
      if (team.row < rows)
        sum += dot(tile + team.row, padded, vector, n);
      team.sync();
    }
  }
  sum = sum_over_teams(sum, team, stage);
  if (threadIdx.x >= 32)
    return;
  const double solution = multiply(inverse, rows, lane < rows ? rhs - sum : 0);
  if (lane < rows) {
    const Index to = s.perm[begin + lane];
    __stcg(s.x + begin + lane, solution);
    z[to] = solution * s.scale[to];
  }
  raise_flag(s.backward_done + b, epoch);
}

/// The inverse of F(D) of a block, a warp a block.
template <DiagonalOf F>
struct InvertPivots {
  const Index *block_start;
  const double *d, *e;
  double *d_inverse, *e_inverse;

  __device__ void operator()(const CudaGroup<32> &g, std::int64_t b) const
  {
    const Index row = block_start[b], k = block_start[b + 1] - row;
    const auto inverse = block_diagonal<F>(g, d + row, e + row, k);
    const int id = g.template id<double>();
    g.store(id < k, d_inverse + row, inverse.own);
    g.store(id<k, e_inverse + row, inverse.partner> id ? inverse.other : 0.0);
  }
};

} // namespace

void queue_pivot_inverses(const Index *block_start, Index blocks, const double *d, const double *e, bool absolute,
                          double *d_inverse, double *e_inverse, cudaStream_t stream)
{
  check(absolute
            ? launch<32>(stream, blocks,
                         InvertPivots<DiagonalOf::inverse_absolute>{block_start, d, e, d_inverse, e_inverse})
            : launch<32>(stream, blocks, InvertPivots<DiagonalOf::inverse>{block_start, d, e, d_inverse, e_inverse}),
        "inverting pivots");
}

template <class T>
void solve_on_device(const SolveView<T> &s, const FactorView<T> &f, const double *r, double *z, int epoch,
                     cudaStream_t stream)
{
  if (s.blocks == 0)
    return;
  const unsigned grid = unsigned(s.blocks);
  forward_sweep<<<grid, threads, 0, stream>>>(s, f, r, epoch);
  check(cudaGetLastError(), "launching the forward sweep");
  backward_sweep<<<grid, threads, 0, stream>>>(s, f, z, epoch);
  check(cudaGetLastError(), "launching the backward sweep");
}

template void solve_on_device(const SolveView<double> &, const FactorView<double> &, const double *, double *, int,
                              cudaStream_t);
template void solve_on_device(const SolveView<float> &, const FactorView<float> &, const double *, double *, int,
                              cudaStream_t);

} // namespace tessera
