#include "cuda/front/warp_fronts.cuh"

#include "cuda/front/eliminate_rows.cuh"
#include "cuda/front/signals.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/occupancy.cuh"
#include "cuda/runtime/per_device.cuh"

namespace tessera {
namespace {

constexpr int warps = 4; ///< of a thread block

/// What a warp has in shared memory: a front, column by column, and once its rows are in registers, what their
/// elimination needs.
struct WarpScratch {
  union {
    double front[32][33];
    RowsScratch<32> rows;
  };
  double mass[32];
};

/// One front of at most N rows, by a warp. Method: multifrontal (Duff & Reid 1983).
template <int N>
class WarpFront {
public:
  __device__ WarpFront(const FrontArrays &arrays, Index s, WarpScratch &scratch)
      : arrays_(arrays), f_(arrays.front[s]), s_(scratch), rows_(reinterpret_cast<RowsScratch<N> &>(scratch.rows)),
        lane_(threadIdx.x & 31)
  {
  }

  __device__ void run()
  {
    clear();
    add_entries();
    add_children();
    eliminate();
    hand_on();
    write_factor();
  }

private:
  __device__ int rows() const { return f_.columns + f_.below; }

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
    if (f_.awaited > 0) {
      if (lane_ == 0)
        wait_for_count(arrays_.arrived + (&f_ - arrays_.front), f_.awaited);
      __syncwarp();
    }
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

  __device__ void eliminate()
  {
    const int n = rows();
#pragma unroll
    for (int j = 0; j < N; ++j)
      e_.a[j] = j < n && lane_ < n ? s_.front[j][lane_] : 0.0;
    e_.mass = s_.mass[lane_];
    __syncwarp();
    e_.run(f_.columns, arrays_.pair[f_.sign_begin], arrays_.rules, rows_);
    __syncwarp();
    const unsigned bad = __ballot_sync(whole_warp, lane_ < n && !e_.good);
    if (bad && lane_ == 0)
      arrays_.fail(f_.first + min(__ffs(bad) - 1, f_.columns - 1));
    const unsigned uncertain = __ballot_sync(whole_warp, lane_ < f_.columns && e_.uncertain);
    if (uncertain && lane_ == 0)
      atomicAdd(&arrays_.verdict->uncertain, static_cast<unsigned long long>(__popc(uncertain)));
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
    invert_rows<N>(x, k, arrays_.pair[f_.sign_begin], rows_);
#pragma unroll
    for (int c = 0; c < N; ++c)
      if (c < k) {
        const double scaled = x[c] * __shfl_sync(whole_warp, root, c);
        if (lane_ < k)
          w[c * n + lane_] = scaled;
      }
    __syncwarp();
  }

  const FrontArrays &arrays_;
  const DeviceFront &f_;
  WarpScratch &s_;
  RowsScratch<N> &rows_;
  const int lane_;
  EliminatedRows<N> e_;
};

__global__ void __launch_bounds__(warps * 32, 4)
    run_warp_fronts(const FrontArrays arrays, const Index *order, Index count, int *ticket)
{
  extern __shared__ double shared[];
  WarpScratch &scratch = reinterpret_cast<WarpScratch *>(shared)[threadIdx.x / 32];
  for (;;) {
    int t = 0;
    if ((threadIdx.x & 31) == 0)
      t = atomicAdd(ticket, 1);
    t = __shfl_sync(whole_warp, t, 0);
    if (t >= count)
      return;
    const Index s = order[t];
    const int rows = arrays.front[s].rows();
    if (rows <= 8)
      WarpFront<8>(arrays, s, scratch).run();
    else if (rows <= 16)
      WarpFront<16>(arrays, s, scratch).run();
    else
      WarpFront<32>(arrays, s, scratch).run();
  }
}

} // namespace

cudaError_t factor_warp_fronts(const FrontArrays &arrays, const Index *order, Index count, int *ticket,
                               cudaStream_t stream)
{
  static PerDevice<int> resident;
  constexpr std::size_t bytes = warps * sizeof(WarpScratch);
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
