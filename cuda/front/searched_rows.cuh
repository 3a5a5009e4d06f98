#ifndef TESSERA_CUDA_FRONT_SEARCHED_ROWS_CUH
#define TESSERA_CUDA_FRONT_SEARCHED_ROWS_CUH

#include "base/bunch_kaufman.hpp"
#include "cuda/front/eliminate_columns.cuh"
#include "cuda/lanes/largest_lane.cuh"

#include <cfloat>

namespace tessera {

/// What became of the lane's row where pivots were searched, and of all rows: bits that are the same in all lanes.
struct SearchedRow {
  double mass;         ///< what its pivot was made of; what all of it was made of, if it is below the pivots
  double pivot;        ///< or 1 below the pivots
  double root;         ///< what the row of the inverse of L is to be multiplied with
  bool good;           ///< whether L is bounded, if it is below the pivots
  SearchedPlace place; ///< of its pivot
  unsigned zero;       ///< rows whose pivots are nothing but rounding
  unsigned bad;        ///< whose pivots are none
  unsigned uncertain;  ///< whose pivots may have another sign
  unsigned negative;   ///< whose pivots are
  int pairs;           ///< 2x2 pivots
  int perturbed;       ///< 1x1 pivots that were replaced
};

/// A symmetric matrix of n <= 32 rows in the registers of a warp, a row a lane, while pivots are searched in its first
/// k rows and columns: the largest open entry, on the diagonal or beside it (Bunch & Parlett 1971). Rows stay where
/// they are, and pairs are rotated to their eigenvalues. Columns that are eliminated become those of the inverse of L,
/// in rows that have a pivot. When nothing but rounding is left, the pivots are zero if that is so in all rows below.
/// With static pivoting, when no large pivot is left, the first row has one that is replaced.
class SearchedRows {
public:
  /// a: lower triangle, column-major. mass: of the lane's row. scratch: overwritten by run().
  __device__ __forceinline__ SearchedRows(const double *a, int leading, int n, int k, double mass,
                                          const PivotRules &rules, EliminationScratch &scratch)
      : rules_(rules), least_(rules.is_static ? rules.least_pivot() : 0), row_(scratch.l[0]), k_(k),
        lane_(threadIdx.x & 31), open_(first_bits(k)), mass_(mass)
  {
#pragma unroll
    for (int j = 0; j < 32; ++j) {
      const int lower = max(lane_, j), upper = min(lane_, j);
      x_[j] = lower < n ? a[upper * leading + lower] : 0.0;
    }
    diagonal_ = lane_ < n ? a[lane_ * (leading + 1)] : 0.0;
    __syncwarp();
  }

  /// keep(c, l): takes column c of L in lanes of rows from k on.
  template <class Keep>
  __device__ __forceinline__ SearchedRow run(const Keep &keep)
  {
    while (open_) {
      Choice c = choose();
      if (least_ > 0 && !is_large(c))
        c = choose_single();
      eliminate(c, keep);
    }
    const double root = lane_ >= k_ ? 0.0 : zero_ >> lane_ & 1 ? 1.0 : rsqrt(fabs(pivot_));
    const unsigned negative = __ballot_sync(whole_warp, lane_ < k_ && pivot_ < 0);
    return {mass_, pivot_, root, good_, place_, zero_, bad_, uncertain_, negative, pairs_, perturbed_};
  }

  /// f(j, x): entry j of the lane's row, after run().
  template <class F>
  __device__ __forceinline__ void for_entries(const F &f) const
  {
#pragma unroll
    for (int j = 0; j < 32; ++j)
      f(j, x_[j]);
  }

private:
  struct Choice {
    int first, second; ///< second: -1 for a 1x1 pivot
  };

  /// The five lowest bits of a magnitude make room for the column in which it is: 15 bits behind the point are left.
  /// What is no number is the largest: its block has no factor anyway.
  __device__ __forceinline__ Choice choose() const
  {
    const bool open = open_ >> lane_ & 1;
    const unsigned others = open ? open_ & ~(1u << lane_) : 0, columns = 31;
    unsigned own_pair = 0;
#pragma unroll
    for (int j = 0; j < 32; ++j) {
      const unsigned size = (leading_magnitude(x_[j]) & ~columns) | unsigned(j);
      own_pair = others >> j & 1 ? max(own_pair, size) : own_pair;
    }
    const unsigned own_single = open ? leading_magnitude(diagonal_) + 1 : 0;
    const unsigned pair = __reduce_max_sync(whole_warp, own_pair), single = __reduce_max_sync(whole_warp, own_single);
    const double beside = from_leading_word<double>(int(pair & ~columns));
    if (beside > 0 && from_leading_word<double>(int(single - 1)) < bunch_kaufman_constant<double> * beside)
      return {first_lane(others != 0 && own_pair == pair), int(pair & columns)};
    return {first_lane(own_single == single), -1};
  }

  /// Static pivoting: whether the pivot is as large as it has to be. Lanes agree.
  __device__ __forceinline__ bool is_large(const Choice &c) const
  {
    const double a = __shfl_sync(whole_warp, diagonal_, c.first);
    if (c.second < 0)
      return fabs(a) >= least_;
    double b = 0;
#pragma unroll
    for (int j = 0; j < 32; ++j)
      b = j == c.second ? x_[j] : b;
    b = __shfl_sync(whole_warp, b, c.first);
    const double p = a / b, q = __shfl_sync(whole_warp, diagonal_, c.second) / b;
    return is_large_pair(fabs(fma(p, q, -1.0)), fabs(b), fabs(p), fabs(q), least_);
  }

  /// Static pivoting, where the largest pivot is too small: the first open row with a diagonal entry that is not, or
  /// the first one.
  __device__ __forceinline__ Choice choose_single() const
  {
    const unsigned large = __ballot_sync(whole_warp, (open_ >> lane_ & 1) && fabs(diagonal_) >= least_);
    return {__ffs(int(large ? large : open_)) - 1, -1};
  }

  template <class Keep>
  __device__ __forceinline__ void eliminate(const Choice &c, const Keep &keep)
  {
    __builtin_assume(__isShared(row_)); // said of what is computed from it, in a branch, it made nvcc 13.0 drop code
    const bool first = lane_ == c.first, second = lane_ == c.second, pair = c.second >= 0;
    const int place = k_ - __popc(open_);
    place_ = first ? SearchedPlace::at(place, pair) : second ? SearchedPlace::at(place + 1, true) : place_;
    double *const other = row_ + small_leading, *const own = second ? other : row_;
    if (first || second)
#pragma unroll
      for (int j = 0; j < 32; ++j)
        own[j] = x_[j];
    __syncwarp();
    double v = row_[lane_], w = 0, p = row_[c.first], q = 0, cosine = 1, sine = 0;
    double v_mass = __shfl_sync(whole_warp, mass_, c.first), w_mass = 0;
    if (pair) {
      const PairRotation r = rotation_of(p, row_[c.second], other[c.second]);
      const double cc = r.cosine * r.cosine, ss = r.sine * r.sine, x = v, y = other[lane_], x_mass = v_mass,
                   y_mass = __shfl_sync(whole_warp, mass_, c.second);
      cosine = r.cosine;
      sine = r.sine;
      v = fma(cosine, x, -sine * y);
      w = fma(sine, x, cosine * y);
      v_mass = cc * x_mass + ss * y_mass;
      w_mass = ss * x_mass + cc * y_mass;
      p = r.first;
      q = r.second;
      ++pairs_;
    } else if (fabs(p) < least_) {
      p = pivot_of_size(p, least_);
      ++perturbed_;
    }
    __syncwarp();
    row_[lane_] = first ? cosine : second ? -sine : v; // where it is rows of the inverse: those of a rotation
    open_ &= ~(1u << c.first);
    if (pair) {
      other[lane_] = first ? sine : second ? cosine : w;
      open_ &= ~(1u << c.second);
    }
    __syncwarp();
    const double l = take_pivot(c.first, p, v_mass, v, keep), m = pair ? take_pivot(c.second, q, w_mass, w, keep) : 0.0;
    diagonal_ = fma(-m, w, fma(-l, v, diagonal_));
    const unsigned cleared = first || second ? ~0u : 1u << c.first | (pair ? 1u << c.second : 0);
#pragma unroll
    for (int j = 0; j < 32; ++j)
      x_[j] = cleared >> j & 1 ? 0.0 : x_[j];
    subtract(first ? -1.0 : l, row_);
    if (pair)
      subtract(second ? -1.0 : m, other);
    __syncwarp();
  }

  /// Row r, with entries v in the lanes of other rows, has pivot d: returns that column of L.
  template <class Keep>
  __device__ __forceinline__ double take_pivot(int r, double d, double mass, double v, const Keep &keep)
  {
    const bool below = lane_ >= k_, takes_part = below || (open_ >> lane_ & 1);
    const bool finite = __all_sync(whole_warp, !takes_part || fabs(v) <= DBL_MAX) && fabs(d) <= DBL_MAX;
    const bool nonzero = fabs(d) > rules_.zero * mass, is_pivot = finite && nonzero;
    bad_ |= unsigned(!finite) << r;
    zero_ |= unsigned(finite && !nonzero) << r;
    uncertain_ |= unsigned(nonzero && !(fabs(d) > rules_.uncertain * mass)) << r;
    if (lane_ == r) {
      pivot_ = nonzero ? d : 0.0;
      mass_ = mass;
    }
    const double l = is_pivot && takes_part ? v / d : 0.0;
    mass_ = fma(fabs(l), fabs(v), mass_);
    if (below) {
      good_ = good_ && (is_pivot ? fabs(l) <= rules_.bound : rules_.may_be_left_out(v, mass_, mass));
      keep(r, l);
    }
    return l;
  }

  __device__ __forceinline__ void subtract(double l, const double *row)
  {
#pragma unroll
    for (int j = 0; j < 32; ++j)
      x_[j] = fma(-l, row[j], x_[j]);
  }

  const PivotRules rules_; ///< a copy, in registers
  const double least_;     ///< magnitude of a pivot; 0 but for static pivoting
  double *const row_;      ///< [2, small_leading] of the pivots at hand, in shared memory
  const int k_, lane_;
  unsigned open_; ///< rows without a pivot, among the first k
  unsigned bad_ = 0, zero_ = 0, uncertain_ = 0;
  int pairs_ = 0, perturbed_ = 0;
  bool good_ = true;
  SearchedPlace place_{};
  double x_[32]; ///< the lane's row, of both triangles
  double diagonal_, mass_, pivot_ = 1;
};

} // namespace tessera
#endif
