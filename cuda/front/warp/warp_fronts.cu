#include "cuda/front/warp/warp_fronts.cuh"

#include "cuda/front/searched_rows.cuh"
#include "cuda/front/warp/warp_front.cuh"

namespace tessera {
namespace {

/// What a warp has in shared memory: a front, and what its elimination needs.
struct WarpScratch : GatheredFront<1> {
  EliminationScratch elimination;
};

using LdltWarpFront = WarpFront<1, WarpScratch>;

/// A front of which pivots are searched, with all of it in registers.
class SearchedWarpFront : LdltWarpFront {
public:
  using LdltWarpFront::LdltWarpFront;
  using LdltWarpFront::Scratch;

  __device__ void run()
  {
    gather_warp_front<1>(arrays_, number_, s_);
    const int k = f_.columns, n = rows();
    SearchedRows searched(s_.front, small_leading, n, k, s_.mass[0][lane_], arrays_.rules, s_.elimination);
    const SearchedRow row = searched.run([&](int c, double l) { a(lane_, c) = l; });
    const bool good = __all_sync(whole_warp, lane_ >= n || row.good);
    arrays_.tell_order(f_.first, k, row.place);
    const unsigned failed = good ? 0u : row.zero | columns_above(arrays_.rules.bound, k, n);
    if (lane_ == 0)
      arrays_.tell(f_.first, k, row.bad | failed, row.uncertain, row.pairs, 0, row.perturbed);
    searched.for_entries([&](int j, double x) {
      if (j >= k && j <= lane_ && lane_ < n)
        a(lane_, j) = x;
    });
    hand_on(row.mass);
    write_factor(searched, row, n);
  }

private:
  /// W, R and the signs of D: see DeviceFront. A lane has a column of W, and a row of R.
  __device__ __forceinline__ void write_factor(const SearchedRows &searched, const SearchedRow &row, int n)
  {
    const int k = f_.columns;
    const double size = fabs(row.pivot) * row.root;
    double *const w = factor(0);
    searched.for_entries([&](int i, double x) {
      if (i < k && lane_ < k)
        w[lane_ * n + i] = x * row.root;
    });
    for (int c = 0; c < k; ++c) {
      const double r = a(lane_, c) * __shfl_sync(whole_warp, size, c);
      if (lane_ >= k && lane_ < n)
        w[c * n + lane_] = r;
    }
    if (lane_ < k)
      arrays_.pivot[f_.first + lane_] = row.pivot;
    if (lane_ > 0)
      return;
    arrays_.live[f_.sign_begin] = first_bits(k) & ~row.zero;
    arrays_.negative[f_.sign_begin] = row.negative;
    arrays_.swapped[f_.sign_begin] = 0; // pairs are rotated to their eigenvalues here
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
    row_ = eliminate_columns<true>(s_.front, n, f_.columns, arrays_.pair[f_.sign_begin], s_.mass[0][lane_],
                                   arrays_.rules, s_.elimination);
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
    const bool is_zero = row_.zeros >> lane_ & 1;
    const double inverse_root = rsqrt(fabs(row_.pivot)), root = is_zero ? 1.0 : inverse_root * row_.scale;
    const double weight = is_zero ? 0.0 : fabs(row_.pivot) * inverse_root / row_.scale;
    const unsigned swapped = row_.pairs | row_.pairs << 1;
    const unsigned negative = __ballot_sync(whole_warp, lane_ < k && row_.pivot < 0) & ~swapped;
    double *const w = factor(0);
    if (lane_ < k)
      arrays_.pivot[f_.first + lane_] = row_.pivot;
    if (lane_ == 0) {
      arrays_.live[f_.sign_begin] = first_bits(k) & ~row_.zeros;
      arrays_.negative[f_.sign_begin] = negative;
      arrays_.swapped[f_.sign_begin] = swapped;
    }
#pragma unroll 8
    for (int c = 0; c < k; ++c) {
      const double x = a(lane_, c) * __shfl_sync(whole_warp, weight, c);
      if (lane_ >= k && lane_ < n)
        w[c * n + lane_] = x;
    }
    __syncwarp();
    invert_l(s_.front, small_leading, k, row_.pairs, s_.elimination);
    const InverseOfL inverse(s_.front, small_leading, k, row_.pairs, s_.elimination);
#pragma unroll 8
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
