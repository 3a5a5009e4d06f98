#include "cuda/front/warp_fronts.cuh"

#include "cuda/front/panel_factor.cuh"
#include "cuda/front/run_warp_fronts.cuh"
#include "cuda/front/warp_gather.cuh"

namespace tessera {
namespace {

/// What a warp has in shared memory: a front, and what its elimination needs.
struct WarpScratch : GatheredFront<1> {
  EliminationScratch elimination;
};

using BlockScratch = WarpFrontsScratch<PanelFactor, PanelWork, WarpScratch>;

/// One front of a warp in shared memory. Method: multifrontal (Duff & Reid 1983).
class WarpFront {
public:
  __device__ WarpFront(const FrontArrays &arrays, Index s, BlockScratch &scratch)
      : arrays_(arrays), number_(s), f_(arrays.front[s]), block_(scratch), s_(scratch.warp[threadIdx.x / 32]),
        lane_(threadIdx.x & 31)
  {
  }

protected:
  __device__ int rows() const { return f_.columns + f_.below; }
  /// Entry (i, j) of the front.
  __device__ double &a(int i, int j) const { return s_.front[j * small_leading + i]; }

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
  const Index number_;
  const DeviceFront &f_;
  BlockScratch &block_;
  WarpScratch &s_;
  const int lane_;
};

/// A front of which pivots are searched, with all of it in shared memory: seldom, and by one warp of a thread block at
/// a time.
class SearchedWarpFront : WarpFront {
public:
  using Scratch = BlockScratch;
  using WarpFront::WarpFront;

  __device__ void run()
  {
    block_.take();
    gather_warp_front<1>(arrays_, number_, s_);
    PanelFactor &p = block_.panel;
    const int k = f_.columns, n = rows();
    p.mass[lane_] = s_.mass[0][lane_];
    search_panel(s_.front, small_leading, k, arrays_.rules, p, block_.work);
    if (lane_ == 0)
      count(p.bad, p.uncertain, p.two_by_two);
    double *const r = block_.work.s;
    multiply_by_w(p, r, k, n);
    update(p, r, k, n);
    write_searched(p, r, k, n);
    block_.give_back();
  }

private:
  /// R to r, column by column.
  __device__ void multiply_by_w(const PanelFactor &p, double *r, int k, int n)
  {
    bool good = true;
    for (int c = 0; c < k; ++c) {
      double sum = 0;
      for (int q = 0; q < k; ++q)
        sum = fma(a(lane_, q), p.w[q * PanelFactor::leading + c], sum);
      good = good && (lane_ < k || lane_ >= n || fabs(sum) * p.root[c] <= arrays_.rules.bound);
      r[c * small_leading + lane_] = with_sign(p.kept(sum, c), p.sign_bit(c));
    }
    if (__any_sync(whole_warp, !good) && lane_ == 0)
      arrays_.fail(f_.first);
    __syncwarp();
  }

  /// What is left of the front, handed on.
  __device__ void update(const PanelFactor &p, double *r, int k, int n)
  {
    if (f_.parent < 0)
      return;
    const int below = f_.below, i = lane_ - k;
    double *b = arrays_.contribution_of(f_);
    for (int j = k; j < n; ++j) {
      double x = a(lane_, j);
      for (int c = 0; c < k; ++c)
        x = fma(-r[c * small_leading + lane_], with_sign(r[c * small_leading + j], p.sign_bit(c)), x);
      if (lane_ >= j && i < below)
        __stcg(b + (j - k) * below + i, x);
    }
    if (i >= 0 && i < below)
      __stcg(b + below * below + i, add_squares(s_.mass[0][lane_], r + lane_, small_leading, k));
    __syncwarp();
    if (lane_ == 0)
      add_to_count(arrays_.arrived + f_.parent);
  }

  __device__ void write_searched(const PanelFactor &p, double *r, int k, int n)
  {
    double *w = arrays_.factor[0] + f_.factor_begin;
    for (int c = 0; c < k; ++c)
      if (lane_ < n)
        w[c * n + lane_] = lane_ < k ? p.w[lane_ * PanelFactor::leading + c] : r[c * small_leading + lane_];
    if (lane_ < k)
      arrays_.pivot[f_.first + lane_] = p.pivot[lane_];
    if (lane_ == 0) {
      arrays_.live[f_.sign_begin] = first_bits(k) & ~p.zero;
      arrays_.negative[f_.sign_begin] = p.negative;
      arrays_.swapped[f_.sign_begin] = p.swapped;
    }
  }
};

/// A front whose pivots are taken in their order, or one that only adds up.
class OrderedWarpFront : WarpFront {
public:
  using Scratch = BlockScratch;
  using WarpFront::WarpFront;

  /// Returns whether the pivots are good enough; if not, nothing was written.
  __device__ __forceinline__ bool run()
  {
    gather_warp_front<1>(arrays_, number_, s_);
    row_.mass = s_.mass[0][lane_];
    if (f_.columns > 0 && !eliminate())
      return false;
    hand_on();
    if (f_.columns > 0)
      write_factor();
    return true;
  }

private:
  __device__ __forceinline__ bool eliminate()
  {
    const int n = rows();
    row_ = eliminate_columns(s_.front, n, f_.columns, arrays_.pair[f_.sign_begin], s_.mass[0][lane_], arrays_.rules,
                             s_.elimination);
    const unsigned bad = __ballot_sync(whole_warp, lane_ < n && !row_.good);
    if (bad && !arrays_.rules.definite)
      return false;
    const unsigned uncertain = __ballot_sync(whole_warp, lane_ < f_.columns && row_.uncertain);
    if (lane_ == 0)
      count(bad, uncertain, __popc(row_.pairs));
    return true;
  }

  __device__ void hand_on()
  {
    if (f_.parent < 0)
      return;
    const int k = f_.columns, n = f_.below, i = lane_ - k;
    double *b = arrays_.contribution_of(f_);
    for (int j = 0; j < n; ++j)
      if (i >= j && i < n)
        __stcg(b + j * n + i, a(lane_, k + j));
    if (i >= 0 && i < n)
      __stcg(b + n * n + i, row_.mass);
    __syncwarp();
    if (lane_ == 0)
      add_to_count(arrays_.arrived + f_.parent);
  }

  /// W, R and the signs of D: see DeviceFront.
  __device__ void write_factor()
  {
    const int k = f_.columns, n = rows();
    const double inverse_root = rsqrt(fabs(row_.pivot)), root = inverse_root * row_.scale;
    const double weight = fabs(row_.pivot) * inverse_root / row_.scale;
    const unsigned swapped = row_.pairs | row_.pairs << 1;
    const unsigned negative = __ballot_sync(whole_warp, lane_ < k && row_.pivot < 0) & ~swapped;
    double *w = arrays_.factor[0] + f_.factor_begin;
    if (lane_ < k)
      arrays_.pivot[f_.first + lane_] = row_.pivot;
    if (lane_ == 0) {
      arrays_.live[f_.sign_begin] = first_bits(k);
      arrays_.negative[f_.sign_begin] = negative;
      arrays_.swapped[f_.sign_begin] = swapped;
    }
    for (int c = 0; c < k; ++c) {
      const double x = a(lane_, c) * __shfl_sync(whole_warp, weight, c);
      if (lane_ >= k && lane_ < n)
        w[c * n + lane_] = x;
    }
    __syncwarp();
    invert_l(s_.front, k, row_.pairs, s_.elimination);
    const InverseOfL inverse(s_.front, k, row_.pairs, s_.elimination);
    for (int c = 0; c < k; ++c) {
      const double x = inverse.at(c, lane_) * __shfl_sync(whole_warp, root, c);
      if (lane_ < k)
        w[c * n + lane_] = x;
    }
    __syncwarp();
  }

  EliminatedRow row_;
};

} // namespace

cudaError_t factor_warp_fronts(const FrontArrays &arrays, const Index *order, Index count, int *ticket,
                               cudaStream_t stream)
{
  return launch_warp_fronts<WarpMethod<OrderedWarpFront, SearchedWarpFront>>(arrays, order, count, ticket, stream);
}

} // namespace tessera
