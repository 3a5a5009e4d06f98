#include "cuda/front/warp/warp_fronts.cuh"

#include "cuda/front/panel_factor.cuh"
#include "cuda/front/warp/warp_front.cuh"

namespace tessera {
namespace {

/// What a warp has in shared memory: a front, and what its elimination needs.
struct WarpScratch : GatheredFront<1> {
  EliminationScratch elimination;
};

using LdltWarpFront = WarpFront<1, WarpFrontsScratch<PanelFactor, PanelWork, WarpScratch>>;

/// A front of which pivots are searched, with all of it in shared memory: seldom, and by one warp of a thread block at
/// a time.
class SearchedWarpFront : LdltWarpFront {
public:
  using LdltWarpFront::LdltWarpFront;
  using LdltWarpFront::Scratch;

  __device__ void run()
  {
    block_.take();
    gather_warp_front<1>(arrays_, number_, s_);
    PanelFactor &p = block_.panel;
    const int k = f_.columns, n = rows();
    p.mass[lane_] = s_.mass[0][lane_];
    search_panel(s_.front, small_leading, k, arrays_.rules, p, block_.work);
    if (lane_ == 0)
      arrays_.tell(f_.first, k, p.bad, p.uncertain, p.two_by_two, 0);
    double *const r = block_.work.s;
    multiply_by_w(p, r, k, n);
    update(p, r, k, n);
    hand_on(add_squares(s_.mass[0][lane_], r + lane_, small_leading, k));
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

  /// A₂₂ -= R J Rᵀ, lower triangle.
  __device__ void update(const PanelFactor &p, const double *r, int k, int n)
  {
    for (int j = k; j < n; ++j)
      if (lane_ >= j && lane_ < n)
        for (int c = 0; c < k; ++c)
          a(lane_, j) =
              fma(-r[c * small_leading + lane_], with_sign(r[c * small_leading + j], p.sign_bit(c)), a(lane_, j));
    __syncwarp();
  }

  __device__ void write_searched(const PanelFactor &p, double *r, int k, int n)
  {
    double *const w = factor(0);
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
class OrderedWarpFront : LdltWarpFront {
public:
  using LdltWarpFront::LdltWarpFront;
  using LdltWarpFront::Scratch;

  /// Returns whether the pivots are good enough; if not, nothing was written.
  __device__ __forceinline__ bool run()
  {
    gather_warp_front<1>(arrays_, number_, s_);
    row_.mass = s_.mass[0][lane_];
    if (f_.columns > 0 && !eliminate())
      return false;
    hand_on(row_.mass);
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
      arrays_.tell(f_.first, f_.columns, bad, uncertain, __popc(row_.pairs), 0);
    return true;
  }

  /// W, R and the signs of D: see DeviceFront.
  __device__ void write_factor()
  {
    const int k = f_.columns, n = rows();
    const double inverse_root = rsqrt(fabs(row_.pivot)), root = inverse_root * row_.scale;
    const double weight = fabs(row_.pivot) * inverse_root / row_.scale;
    const unsigned swapped = row_.pairs | row_.pairs << 1;
    const unsigned negative = __ballot_sync(whole_warp, lane_ < k && row_.pivot < 0) & ~swapped;
    double *const w = factor(0);
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
    invert_l(s_.front, small_leading, k, row_.pairs, s_.elimination);
    const InverseOfL inverse(s_.front, small_leading, k, row_.pairs, s_.elimination);
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

cudaError_t factor_warp_fronts(const FrontArrays &arrays, const Index *order, Index count, const FrontLaunch &launch)
{
  return launch_warp_fronts<WarpMethod<OrderedWarpFront, SearchedWarpFront>>(arrays, order, count, launch);
}

} // namespace tessera
