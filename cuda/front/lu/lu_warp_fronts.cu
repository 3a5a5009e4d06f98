#include "cuda/front/lu/lu_fronts.cuh"

#include "cuda/front/lu/lu_panel.cuh"
#include "cuda/front/warp/warp_front.cuh"

namespace tessera {
namespace {

/// What a warp has in shared memory: a front, L of its own columns apart, and what its elimination needs.
struct WarpScratch : GatheredFront<2> {
  double l[32 * small_leading];
  EliminationScratch elimination;
};

/// What a warp needs to search for pivots: there is one for all warps of a thread block, so one searches at a time.
struct OneSearch {
  LuPanel panel;
  PanelWork work;
  int taken; ///< 1: a warp uses it

  __device__ void begin() { taken = 0; }

  /// By a warp: waits until no other one uses it.
  __device__ void take()
  {
    if ((threadIdx.x & 31) == 0)
      while (atomicCAS(&taken, 0, 1) != 0) {
      }
    __threadfence_block();
    __syncwarp();
  }

  __device__ void give_back()
  {
    __threadfence_block();
    __syncwarp();
    if ((threadIdx.x & 31) == 0)
      atomicExch(&taken, 0);
  }
};

using LuScratch = WarpFrontsScratch<WarpScratch, OneSearch>;

class LuWarpFront : public WarpFront<2, LuScratch> {
public:
  using WarpFront::WarpFront;

protected:
  /// Pivots in the lanes of their columns; bits of what became of them.
  __device__ void write_pivots(double pivot, unsigned bad, unsigned uncertain, int odd) const
  {
    if (lane_ < k_)
      arrays_.pivot[f_.first + lane_] = pivot;
    if (lane_ > 0)
      return;
    arrays_.live[f_.sign_begin] = first_bits(k_);
    arrays_.tell(f_.first, k_, bad, uncertain, 0, odd);
  }

  const int k_ = columns(), n_ = rows();
};

/// A front of which pivots are searched, by one warp of a thread block at a time.
class SearchedLuWarpFront : LuWarpFront {
public:
  using LuWarpFront::LuWarpFront;
  using LuWarpFront::Scratch;

  __device__ void run()
  {
    OneSearch &one = block_.shared;
    one.take();
    gather_warp_front<2>(arrays_, number_, s_);
    LuPanel &p = one.panel;
    p.mass[0][lane_] = s_.mass[0][lane_];
    p.mass[1][lane_] = s_.mass[1][lane_];
    search_lu_panel(s_.front, small_leading, k_, arrays_.rules, p, one.work);
    double *const r[] = {s_.l, one.work.s}; // column by column
    multiply_by_w(p, r[0], r[1]);
    update(r[0], r[1]);
    hand_on(add_squares(s_.mass[0][lane_], r[0] + lane_, small_leading, k_),
            add_squares(s_.mass[1][lane_], r[1] + lane_, small_leading, k_));
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < k_; ++c)
        if (lane_ < n_)
          factor(side)[c * n_ + lane_] =
              lane_ < k_ ? p.w[side][lane_ * LuPanel::leading + c] : r[side][c * small_leading + lane_];
    write_pivots(p.pivot[lane_], p.bad, p.uncertain, p.odd);
    one.give_back();
  }

private:
  /// R of both sides, in the lanes of their rows.
  __device__ void multiply_by_w(const LuPanel &p, double *r0, double *r1)
  {
    bool good = true;
    for (int c = 0; c < k_; ++c) {
      double below = 0, right = 0;
      if (lane_ >= k_ && lane_ < n_)
        for (int q = 0; q < k_; ++q) {
          below = fma(a(lane_, q), p.w[1][q * LuPanel::leading + c], below);
          right = fma(a(q, lane_), p.w[0][q * LuPanel::leading + c], right);
        }
      good = good && fabs(below) * p.root[c] <= arrays_.rules.bound;
      r0[c * small_leading + lane_] = below;
      r1[c * small_leading + lane_] = right;
    }
    if (__any_sync(whole_warp, !good) && lane_ == 0)
      arrays_.fail(f_.first);
    __syncwarp();
  }

  __device__ void update(const double *r0, const double *r1)
  {
    if (lane_ >= k_ && lane_ < n_)
      for (int j = k_; j < n_; ++j)
        for (int c = 0; c < k_; ++c)
          a(lane_, j) = fma(-r0[c * small_leading + lane_], r1[c * small_leading + j], a(lane_, j));
    __syncwarp();
  }
};

/// A front whose pivots are those on its diagonal, or one that only adds up.
class OrderedLuWarpFront : LuWarpFront {
public:
  using LuWarpFront::LuWarpFront;
  using LuWarpFront::Scratch;

  /// Returns whether the pivots are good enough; if not, nothing was written.
  __device__ __forceinline__ bool run()
  {
    gather_warp_front<2>(arrays_, number_, s_);
    EliminatedLine line{s_.mass[0][lane_], s_.mass[1][lane_], 1, true, false};
    if (k_ > 0)
      line = eliminate_lu_columns(s_.front, n_, k_, line.row_mass, line.column_mass, arrays_.rules, s_.elimination);
    if (__any_sync(whole_warp, lane_ < n_ && !line.good))
      return false;
    hand_on(line.row_mass, line.column_mass);
    if (k_ > 0)
      write_factor(line);
    return true;
  }

private:
  __device__ void write_factor(const EliminatedLine &line)
  {
    const double root = lane_ < k_ ? rsqrt(fabs(line.pivot)) : 0.0, size = fabs(line.pivot) * root;
    write_pivots(line.pivot, 0, __ballot_sync(whole_warp, line.uncertain), 0);
    for (int c = 0; c < k_; ++c) {
      const double of_l = __shfl_sync(whole_warp, size, c), of_u = __shfl_sync(whole_warp, root, c);
      if (lane_ >= k_ && lane_ < n_) {
        factor(0)[c * n_ + lane_] = a(lane_, c) * of_l;
        factor(1)[c * n_ + lane_] = a(c, lane_) * of_u;
      }
    }
    __syncwarp();
    clear_pairs(s_.elimination);
    separate_factors(s_.front, s_.l, k_, line.pivot);
    write_w(0, s_.l, root);
    write_w(1, s_.front, copysign(root, line.pivot));
  }

  __device__ void write_w(Index side, double *triangle, double scale)
  {
    invert_l(triangle, small_leading, k_, 0, s_.elimination);
    const InverseOfL inverse(triangle, small_leading, k_, 0, s_.elimination);
    for (int c = 0; c < k_; ++c) {
      const double x = entry_of_w(inverse, c, scale);
      if (lane_ < k_)
        factor(side)[c * n_ + lane_] = x;
    }
    __syncwarp();
  }
};

} // namespace

cudaError_t factor_lu_warp_fronts(const FrontArrays &arrays, const Index *order, Index count, const FrontLaunch &launch)
{
  return launch_warp_fronts<WarpMethod<OrderedLuWarpFront, SearchedLuWarpFront>>(arrays, order, count, launch);
}

} // namespace tessera
