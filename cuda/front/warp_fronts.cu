#include "cuda/front/warp_fronts.cuh"

#include "cuda/front/panel_factor.cuh"
#include "cuda/front/signals.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/occupancy.cuh"
#include "cuda/runtime/per_device.cuh"

namespace tessera {
namespace {

constexpr int warps = 8; ///< of a thread block

/// What a warp has in shared memory: a front, column by column, and once its rows are in registers, what their
/// elimination needs.
struct WarpScratch {
  union {
    double front[32][33];
    RowsScratch<32> rows;
  };
  double mass[32];
};

/// What a thread block has: that of its warps, and what a warp needs to search for pivots, one at a time.
struct BlockScratch {
  WarpScratch warp[warps];
  PanelFactor panel;
  int taken; ///< 1: a warp uses it
};

/// One front of a warp in shared memory. Method: multifrontal (Duff & Reid 1983).
class WarpFront {
public:
  __device__ WarpFront(const FrontArrays &arrays, Index s, BlockScratch &scratch)
      : arrays_(arrays), f_(arrays.front[s]), block_(scratch), s_(scratch.warp[threadIdx.x / 32]),
        lane_(threadIdx.x & 31)
  {
  }

protected:
  __device__ int rows() const { return f_.columns + f_.below; }

  __device__ void gather()
  {
    clear();
    add_entries();
    add_children();
  }

  __device__ void clear()
  {
    for (int c = 0; c < rows(); ++c)
      s_.front[c][lane_] = 0;
    s_.mass[lane_] = 0;
    __syncwarp();
  }

  __device__ void add_entries()
  {
    for (Offset p = f_.entry_begin + lane_; p < f_.entry_end; p += 32) {
      const std::uint32_t at = arrays_.place[p];
      const double x = arrays_.entry(p);
      s_.front[at & 0xffff][at >> 16] = x;
      if ((at & 0xffff) == at >> 16)
        s_.mass[at >> 16] = fabs(x);
    }
    __syncwarp();
  }

  /// Contributions of the children, in their order.
  __device__ void add_children()
  {
    for (Index c = f_.child_begin; c < f_.child_end; ++c) {
      const DeviceFront &child = arrays_.front[arrays_.child[c]];
      const double *b = arrays_.contribution_of(child);
      const int n = child.below;
      const int to = lane_ < n ? arrays_.to_parent[child.below_begin + lane_] : 0;
      for (int j = 0; j < n; ++j) {
        const int column = __shfl_sync(whole_warp, to, j);
        if (lane_ >= j && lane_ < n)
          s_.front[column][to] += __ldcg(b + j * n + lane_);
      }
      if (lane_ < n)
        s_.mass[to] += __ldcg(b + n * n + lane_);
      __syncwarp();
    }
  }

  __device__ void count(unsigned bad, unsigned uncertain, int two_by_two) const
  {
    if (bad)
      arrays_.fail(f_.first + min(__ffs(bad) - 1, f_.columns - 1));
    if (uncertain)
      atomicAdd(&arrays_.verdict->uncertain, static_cast<unsigned long long>(__popc(uncertain)));
    if (two_by_two)
      atomicAdd(&arrays_.verdict->two_by_two, static_cast<unsigned long long>(two_by_two));
  }

  const FrontArrays &arrays_;
  const DeviceFront &f_;
  BlockScratch &block_;
  WarpScratch &s_;
  const int lane_;
};

/// A front of which pivots are searched, with all of it in shared memory: seldom, and by one warp of a thread block at
/// a time.
class SearchedWarpFront : WarpFront {
public:
  using WarpFront::WarpFront;

  __device__ void run()
  {
    if (lane_ == 0)
      while (atomicCAS(&block_.taken, 0, 1) != 0) {
      }
    __syncwarp();
    gather();
    PanelFactor &p = block_.panel;
    const int k = f_.columns, n = rows();
    p.mass[lane_] = s_.mass[lane_];
    search_panel(s_.front[0], 33, k, arrays_.rules, p);
    if (lane_ == 0)
      count(p.bad, p.uncertain, p.two_by_two);
    multiply_by_w(p, k, n);
    update(p, k, n);
    write_searched(p, k, n);
    __threadfence_block();
    __syncwarp();
    if (lane_ == 0)
      atomicExch(&block_.taken, 0);
  }

private:
  /// R to p.s, column by column.
  __device__ void multiply_by_w(PanelFactor &p, int k, int n)
  {
    bool good = true;
    for (int c = 0; c < k; ++c) {
      double sum = 0;
      for (int q = 0; q < k; ++q)
        sum = fma(s_.front[q][lane_], p.w[q * PanelFactor::leading + c], sum);
      good = good && (lane_ < k || lane_ >= n || fabs(sum) * p.root[c] <= arrays_.rules.bound);
      p.s[c][lane_] = with_sign(sum, p.sign_bit(c));
    }
    if (__any_sync(whole_warp, !good) && lane_ == 0)
      arrays_.fail(f_.first);
    __syncwarp();
  }

  /// What is left of the front, handed on.
  __device__ void update(PanelFactor &p, int k, int n)
  {
    if (f_.parent < 0)
      return;
    const int below = f_.below, i = lane_ - k;
    double *b = arrays_.contribution_of(f_), mass = s_.mass[lane_];
    for (int j = k; j < n; ++j) {
      double x = s_.front[j][lane_];
      for (int c = 0; c < k; ++c)
        x = fma(-p.s[c][lane_], with_sign(p.s[c][j], p.sign_bit(c)), x);
      if (lane_ >= j && i < below)
        __stcg(b + (j - k) * below + i, x);
    }
    for (int c = 0; c < k; ++c)
      mass = fma(p.s[c][lane_], p.s[c][lane_], mass);
    if (i >= 0 && i < below)
      __stcg(b + below * below + i, mass);
    __syncwarp();
    if (lane_ == 0)
      add_to_count(arrays_.arrived + f_.parent);
  }

  __device__ void write_searched(PanelFactor &p, int k, int n)
  {
    double *w = arrays_.factor + f_.factor_begin;
    for (int c = 0; c < k; ++c)
      if (lane_ < n)
        w[c * n + lane_] = lane_ < k ? p.w[lane_ * PanelFactor::leading + c] : p.s[c][lane_];
    if (lane_ < k)
      arrays_.pivot[f_.first + lane_] = p.pivot[lane_];
    if (lane_ == 0) {
      arrays_.live[f_.sign_begin] = k < 32 ? (1u << k) - 1 : ~0u;
      arrays_.negative[f_.sign_begin] = p.negative;
    }
  }
};

__device__ __noinline__ void search_warp_front(const FrontArrays &arrays, Index s, BlockScratch &scratch)
{
  SearchedWarpFront(arrays, s, scratch).run();
}

/// One front of at most N rows, whose pivots are taken in their order, with its rows in registers.
template <int N>
class OrderedWarpFront : WarpFront {
public:
  using WarpFront::WarpFront;

  /// Returns whether the pivots are good enough; if not, nothing was written.
  __device__ __forceinline__ bool run()
  {
    gather();
    if (!eliminate())
      return false;
    hand_on();
    write_factor();
    return true;
  }

private:
  __device__ RowsScratch<N> &scratch() const { return reinterpret_cast<RowsScratch<N> &>(s_.rows); }

  /// In the order of the columns. Returns whether that is good enough; if it is not, pivots are to be searched.
  __device__ __forceinline__ bool eliminate()
  {
    const int n = rows();
#pragma unroll
    for (int j = 0; j < N; ++j)
      e_.a[j] = j < n && lane_ < n ? s_.front[j][lane_] : 0.0;
    e_.mass = s_.mass[lane_];
    __syncwarp();
    const std::uint32_t pairs = arrays_.pair[f_.sign_begin];
    e_.run(f_.columns, pairs, arrays_.rules, scratch());
    __syncwarp();
    const unsigned bad = __ballot_sync(whole_warp, lane_ < n && !e_.good);
    if (bad && !arrays_.rules.definite)
      return false;
    const unsigned uncertain = __ballot_sync(whole_warp, lane_ < f_.columns && e_.uncertain);
    if (lane_ == 0)
      count(bad, uncertain, __popc(pairs));
    return true;
  }

  __device__ void hand_on()
  {
    if (f_.parent < 0)
      return;
    const int k = f_.columns, n = f_.below;
    double *b = arrays_.contribution_of(f_);
    const int i = lane_ - k;
#pragma unroll
    for (int j = 0; j < N; ++j)
      if (j >= k && lane_ >= j && i < n)
        __stcg(b + (j - k) * n + i, e_.a[j]);
    if (i >= 0 && i < n)
      __stcg(b + n * n + i, e_.mass);
    __syncwarp();
    if (lane_ == 0)
      add_to_count(arrays_.arrived + f_.parent);
  }

  /// W, R and the signs of D: see DeviceFront.
  __device__ void write_factor()
  {
    const int k = f_.columns, n = rows();
    const double root = rsqrt(fabs(e_.pivot)), weight = fabs(e_.pivot) * root;
    const unsigned negative = __ballot_sync(whole_warp, lane_ < k && e_.pivot < 0);
    double *w = arrays_.factor + f_.factor_begin;
    if (lane_ < k)
      arrays_.pivot[f_.first + lane_] = e_.pivot;
    if (lane_ == 0) {
      arrays_.live[f_.sign_begin] = k < 32 ? (1u << k) - 1 : ~0u;
      arrays_.negative[f_.sign_begin] = negative;
    }
#pragma unroll
    for (int c = 0; c < N; ++c)
      if (c < k) {
        const double x = e_.a[c] * __shfl_sync(whole_warp, weight, c);
        if (lane_ >= k && lane_ < n)
          w[c * n + lane_] = x;
      }
    double x[N];
    invert_rows<N>(x, k, arrays_.pair[f_.sign_begin], scratch());
#pragma unroll
    for (int c = 0; c < N; ++c)
      if (c < k) {
        const double scaled = x[c] * __shfl_sync(whole_warp, root, c);
        if (lane_ < k)
          w[c * n + lane_] = scaled;
      }
    __syncwarp();
  }

  EliminatedRows<N> e_;
};

template <int N>
__device__ __forceinline__ void run_front(const FrontArrays &arrays, Index s, BlockScratch &scratch)
{
  if (!OrderedWarpFront<N>(arrays, s, scratch).run())
    search_warp_front(arrays, s, scratch);
}

__global__ void __launch_bounds__(warps * 32, 2)
    run_warp_fronts(const FrontArrays arrays, const Index *order, Index count, int *ticket)
{
  extern __shared__ double shared[];
  BlockScratch &scratch = *reinterpret_cast<BlockScratch *>(shared);
  if (threadIdx.x == 0)
    scratch.taken = 0;
  __syncthreads();
  for (;;) {
    int t = 0;
    if ((threadIdx.x & 31) == 0)
      t = atomicAdd(ticket, 1);
    t = __shfl_sync(whole_warp, t, 0);
    if (t >= count)
      return;
    const Index s = order[t];
    const DeviceFront &f = arrays.front[s];
    if (f.awaited > 0 && (threadIdx.x & 31) == 0)
      wait_for_count(arrays.arrived + s, f.awaited);
    __syncwarp();
    const int rows = f.rows();
    if (rows <= 8)
      run_front<8>(arrays, s, scratch);
    else if (rows <= 16)
      run_front<16>(arrays, s, scratch);
    else
      run_front<32>(arrays, s, scratch);
    __syncwarp();
  }
}

} // namespace

cudaError_t factor_warp_fronts(const FrontArrays &arrays, const Index *order, Index count, int *ticket,
                               cudaStream_t stream)
{
  static PerDevice<int> resident;
  constexpr std::size_t bytes = sizeof(BlockScratch);
  const int most = resident.get([] {
    allow_shared_memory(run_warp_fronts, bytes);
    return resident_blocks(run_warp_fronts, warps * 32, bytes);
  });
  if (count == 0)
    return cudaSuccess;
  run_warp_fronts<<<std::min<unsigned>(most, thread_blocks(count, warps)), warps * 32, bytes, stream>>>(arrays, order,
                                                                                                        count, ticket);
  return cudaGetLastError();
}

} // namespace tessera
