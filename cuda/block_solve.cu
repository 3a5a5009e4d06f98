#include "launch.cuh"

#include "block_solve.cuh"
#include "tile/block_diagonal.hpp"

namespace tessera {
namespace {

constexpr int threads = 128;
constexpr unsigned whole_warp = 0xffffffffu;

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

/// Marks a block as done. All lanes' stores before it are visible to who reads the flag.
__device__ void raise_flag(int *flag, int epoch)
{
  __threadfence();
  __syncwarp();
  if ((threadIdx.x & 31) == 0)
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(epoch) : "memory");
}

__device__ void wait_for(const int *flag, int epoch)
{
  while (load_flag(flag) != epoch)
    ;
}

/// Positions in the order of the levels, handed out in the order in which warps begin: a warp that waits, waits for
/// one that runs. The counter goes on from sweep to sweep, modulo 2^32.
__device__ Index take_ticket(unsigned *ticket, int epoch)
{
  unsigned taken = 0;
  if ((threadIdx.x & 31) == 0)
    taken = atomicAdd(ticket, 1u) - (unsigned(epoch) - 1) * (gridDim.x * (threads / 32));
  return Index(__shfl_sync(whole_warp, taken, 0));
}

/// Sum of x over the lanes with the same place in their team, by a fixed tree.
__device__ double sum_over_teams(double x, int width)
{
  for (int step = 16; step >= width; step /= 2)
    x += __shfl_xor_sync(whole_warp, x, step);
  return x;
}

/// Component `row` of M x or Mᵀ x for the k x k matrix M, where lane i < k holds x_i.
template <bool Transposed>
__device__ double multiply(const double *m, Index k, double x, int row)
{
  double sum = 0;
  for (Index c = 0; c < k; ++c) {
    const double xc = __shfl_sync(whole_warp, x, c);
    if (row < k)
      sum = fma(Transposed ? m[Offset(row) * k + c] : m[Offset(c) * k + row], xc, sum);
  }
  return sum;
}

/// v_b = L⁻¹ P (P S r - sum over k of U_kbᵀ v_k) for all blocks, a warp a block. A team of lanes holds the rows of the
/// block; the teams of the warp share the tiles of the block column.
template <class T>
__global__ void __launch_bounds__(threads) forward_sweep(SolveView s, FactorView<T> f, const double *r, int epoch)
{
  const Index position = take_ticket(s.ticket, epoch);
  if (position >= s.blocks)
    return;
  const int lane = threadIdx.x & 31;
  const Index b = s.order[position], begin = s.block_start[b], rows = s.block_start[b + 1] - begin;
  const int width = team_width(rows), row = lane & (width - 1), team = lane / width;
  double sum = 0;
  for (Offset q = s.column_start[b] + team; q < s.column_start[b + 1]; q += 32 / width) {
    const KeptTile tile = s.by_column[q];
    const Index above = s.block_start[tile.other], height = s.block_start[tile.other + 1] - above;
    wait_for(s.forward_done + tile.other, epoch);
    if (!(tile.mask >> row & 1))
      continue;
    const Index c = tile.first + __popc(tile.mask & ((1u << row) - 1));
    const T *u = f.value[tile.other] + Offset(c) * height;
    for (Index i = 0; i < height; ++i)
      sum = fma(double(u[i]), __ldcg(s.x + above + i), sum);
  }
  __syncwarp();
  sum = sum_over_teams(sum, width);
  double rhs = 0;
  if (lane < rows) {
    const Index from = s.perm[begin + lane];
    rhs = r[from] * s.scale[from] - sum;
  }
  const double v = multiply<false>(f.inverse + f.inverse_start[b], rows, rhs, lane);
  if (lane < rows)
    __stcg(s.x + begin + lane, v);
  raise_flag(s.forward_done + b, epoch);
}

/// x_b = (L⁻¹ P)ᵀ (D⁻¹ v_b - sum over j of U_bj x_j) for all blocks, and z = S Pᵀ x.
template <class T>
__global__ void __launch_bounds__(threads) backward_sweep(SolveView s, FactorView<T> f, double *z, int epoch)
{
  const Index position = take_ticket(s.ticket + 1, epoch);
  if (position >= s.blocks)
    return;
  const int lane = threadIdx.x & 31;
  const Index b = s.order[s.blocks - 1 - position], begin = s.block_start[b], rows = s.block_start[b + 1] - begin;
  const int width = team_width(rows), row = lane & (width - 1), team = lane / width;
  double sum = 0;
  for (Offset q = s.row_start[b] + team; q < s.row_start[b + 1]; q += 32 / width) {
    const KeptTile tile = s.by_row[q];
    const double *x = s.x + s.block_start[tile.other];
    const T *u = f.value[b] + Offset(tile.first) * rows;
    wait_for(s.backward_done + tile.other, epoch);
    for (std::uint32_t left = tile.mask; left; left &= left - 1, u += rows)
      if (row < rows)
        sum = fma(double(u[row]), __ldcg(x + __ffs(left) - 1), sum);
  }
  __syncwarp();
  sum = sum_over_teams(sum, width);
  const double v = lane < rows ? __ldcg(s.x + begin + lane) : 0;
  const double e = lane < rows ? s.e_inverse[begin + lane] : 0;
  const double below = __shfl_down_sync(whole_warp, v, 1);
  const double above = __shfl_up_sync(whole_warp, e * v, 1);
  double rhs = 0;
  if (lane < rows) {
    rhs = fma(s.d_inverse[begin + lane], v, e * below);
    if (lane > 0)
      rhs += above;
    rhs -= sum;
  }
  const double solution = multiply<true>(f.inverse + f.inverse_start[b], rows, rhs, lane);
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
    g.store(id < k, e_inverse + row, inverse.partner > id ? inverse.other : 0.0);
  }
};

} // namespace

void queue_pivot_inverses(const Index *block_start, Index blocks, const double *d, const double *e, bool absolute,
                          double *d_inverse, double *e_inverse, cudaStream_t stream)
{
  check(absolute ? launch<32>(stream, blocks,
                              InvertPivots<DiagonalOf::inverse_absolute>{block_start, d, e, d_inverse, e_inverse})
                 : launch<32>(stream, blocks,
                              InvertPivots<DiagonalOf::inverse>{block_start, d, e, d_inverse, e_inverse}),
        "inverting pivots");
}

template <class T>
void solve_on_device(const SolveView &s, const FactorView<T> &f, const double *r, double *z, int epoch,
                     cudaStream_t stream)
{
  if (s.blocks == 0)
    return;
  constexpr int warps = threads / 32;
  const unsigned grid = (unsigned(s.blocks) + warps - 1) / warps;
  forward_sweep<<<grid, threads, 0, stream>>>(s, f, r, epoch);
  check(cudaGetLastError(), "launching the forward sweep");
  backward_sweep<<<grid, threads, 0, stream>>>(s, f, z, epoch);
  check(cudaGetLastError(), "launching the backward sweep");
}

template void solve_on_device(const SolveView &, const FactorView<double> &, const double *, double *, int,
                              cudaStream_t);
template void solve_on_device(const SolveView &, const FactorView<float> &, const double *, double *, int,
                              cudaStream_t);

} // namespace tessera
