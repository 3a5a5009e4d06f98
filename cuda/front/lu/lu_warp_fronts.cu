#include "cuda/front/lu/lu_fronts.cuh"

#include "cuda/front/lu/eliminate_lu_columns.cuh"
#include "cuda/front/lu/row_order.cuh"
#include "cuda/front/lu/searched_lu_rows.cuh"
#include "cuda/front/warp/warp_front.cuh"

namespace tessera {
namespace {

/// What a warp has in shared memory: a front, L of its own columns apart, and what its elimination needs.
struct WarpScratch : GatheredFront<2> {
  double l[32 * small_leading];
  EliminationScratch elimination;
};

class LuWarpFront : public WarpFront<2, WarpScratch> {
public:
  using WarpFront::WarpFront;

protected:
  /// Pivots in the lanes of their columns; bits of what became of them.
  __device__ void write_pivots(double pivot, unsigned bad, unsigned uncertain, int odd, int perturbed) const
  {
    if (lane_ < k_)
      arrays_.pivot[f_.first + lane_] = pivot;
    if (lane_ > 0)
      return;
    arrays_.live[f_.sign_begin] = first_bits(k_);
    arrays_.tell(f_.first, k_, bad, uncertain, 0, odd, perturbed);
  }

  /// W of a side, from a unit lower triangle. scale: of the column that has the lane's number; line: the place of the
  /// lane's row or column of the triangle.
  __device__ __forceinline__ void write_w(Index side, double *triangle, double scale, int line)
  {
    invert_l(triangle, small_leading, k_, 0, s_.elimination);
    const InverseOfL inverse(triangle, small_leading, k_, 0, s_.elimination);
#pragma unroll 8
    for (int c = 0; c < k_; ++c) {
      const double x = entry_of_w(inverse, c, scale);
      if (lane_ < k_)
        factor(side)[c * n_ + line] = x;
    }
    __syncwarp();
  }

  const int k_ = columns(), n_ = rows();
};

/// A front of which pivots are searched, with all of it in registers.
class SearchedLuWarpFront : LuWarpFront {
public:
  using LuWarpFront::LuWarpFront;
  using LuWarpFront::Scratch;

  __device__ void run()
  {
    gather_warp_front<2>(arrays_, number_, s_);
    SearchedLuRows searched(s_.front, n_, k_, s_.mass[0][lane_], s_.mass[1][lane_], arrays_.rules, s_.elimination);
    const SearchedLine line = searched.run(f_.first, [&](int c, double l) { a(lane_, c) = l; });
    if (!arrays_.rules.puts_off())
      arrays_.tell_order(f_.first, k_, SearchedPlace::at(line.row, false));
    const bool good = __all_sync(whole_warp, lane_ < k_ || lane_ >= n_ || line.good);
    const unsigned failed = good ? 0u : columns_above(arrays_.rules.bound, k_, n_);
    searched.for_entries([&](int j, double x) {
      if (j >= k_ && j < n_ && lane_ >= k_ && lane_ < n_)
        a(lane_, j) = x;
    });
    hand_on(line.row_mass, line.column_mass);
    write_factor(searched, line, failed);
  }

private:
  __device__ __forceinline__ void write_factor(const SearchedLuRows &searched, const SearchedLine &line,
                                               unsigned failed)
  {
    const double root = root_of_inverse(line.pivot, lane_ < k_), size = fabs(line.pivot) * root;
    write_pivots(line.pivot, failed | __ballot_sync(whole_warp, lane_ < k_ && !line.good),
                 __ballot_sync(whole_warp, line.uncertain), line.odd, line.perturbed);
    for (int c = 0; c < k_; ++c) {
      const double l = a(lane_, c) * __shfl_sync(whole_warp, size, c);
      if (lane_ >= k_ && lane_ < n_)
        factor(0)[c * n_ + lane_] = l;
    }
    __syncwarp();
    searched.write_rows(
        root, n_, [&](int i, int c, double x) { factor(0)[c * n_ + i] = x; },
        [&](int c, int j, double x) { s_.front[c * small_leading + j] = x; },
        [&](int c, int j, double x) { factor(1)[c * n_ + j] = x; });
    clear_pairs(s_.elimination);
    write_w(1, s_.front, copysign(root, line.pivot), searched.column());
  }
};

/// A front whose pivots are those on its diagonal, or in rows that are Known, or one that only adds up.
template <bool Known>
class OrderedLuWarpFront : LuWarpFront {
public:
  using LuWarpFront::LuWarpFront;
  using LuWarpFront::Scratch;

  /// Returns whether the pivots are good enough; if not, nothing was written.
  __device__ __forceinline__ bool run()
  {
    const SearchedPlace place = Known ? RowOrder::known_place(arrays_.rules, f_.first, k_) : SearchedPlace{};
    gather_warp_front<2>(arrays_, number_, s_);
    const RowOrder order = Known ? RowOrder::of(place) : RowOrder::diagonal();
    if (order.given) {
      order_panel_rows<1>(s_.front, small_leading, n_, s_.mass[0], order.row);
      __syncwarp();
    }
    EliminatedLine line{s_.mass[0][lane_], s_.mass[1][lane_], 1, true, false};
    if (k_ > 0)
      line = eliminate_lu_columns(s_.front, n_, k_, line.row_mass, line.column_mass, arrays_.rules, s_.elimination);
    if (__any_sync(whole_warp, lane_ < n_ && !line.good))
      return false;
    hand_on(line.row_mass, line.column_mass);
    if (k_ > 0)
      write_factor(line, order);
    return true;
  }

private:
  __device__ void write_factor(const EliminatedLine &line, const RowOrder &order)
  {
    const double root = lane_ < k_ ? rsqrt(fabs(line.pivot)) : 0.0, size = fabs(line.pivot) * root;
    write_pivots(line.pivot, 0, __ballot_sync(whole_warp, line.uncertain), order.odd(), 0);
#pragma unroll 4
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
    write_w(0, s_.l, root, order.row);
    write_w(1, s_.front, copysign(root, line.pivot), lane_);
  }
};

template <bool Known>
using LuWarpMethod = WarpMethod<OrderedLuWarpFront<Known>, SearchedLuWarpFront>;

} // namespace

cudaError_t factor_lu_warp_fronts(const FrontArrays &arrays, const Index *order, Index count, const FrontLaunch &launch)
{
  // A kernel of its own for rows that are known: in the same one it would take registers of the other.
  const auto launch_method =
      arrays.rules.row_order ? launch_warp_fronts<LuWarpMethod<true>> : launch_warp_fronts<LuWarpMethod<false>>;
  return launch_method(arrays, order, count, launch);
}

} // namespace tessera
