#ifndef TESSERA_CUDA_FRONT_PANEL_FACTOR_CUH
#define TESSERA_CUDA_FRONT_PANEL_FACTOR_CUH

#include "base/bunch_kaufman.hpp"
#include "cuda/front/eliminate_columns.cuh"

#include <cfloat>

namespace tessera {

/// The diagonal block of a panel of 32 columns, factored, in shared memory. Columns of W are those of the pivots, in
/// any order.
struct PanelFactor {
  static constexpr int leading = small_leading;
  double w[32 * leading]; ///< W, row by row
  double mass[32];        ///< of its rows, before
  double pivot[32];
  double root[32];    ///< 1 / sqrt|pivot|: of A₂₁ W, times this is L. Of a zero pivot see PanelSearch
  unsigned zero;      ///< columns in which J and R are 0, for a zero pivot
  unsigned negative;  ///< columns in which J has a minus
  unsigned swapped;   ///< columns of pairs, which J exchanges
  unsigned bad;       ///< rows in which a pivot or an entry of L is none
  unsigned uncertain; ///< pivots that may have another sign
  int two_by_two;     ///< pivots that are

  __device__ int pairs() const { return two_by_two; }
  __device__ int is_odd() const { return 0; } ///< a symmetric permutation does not change the determinant

  /// 0 where the sign of column c is plus, else the sign bit of a double's upper word.
  __device__ __forceinline__ int sign_bit(int c) const { return int(negative >> c << 31); }
  /// The column of A W that is column c of A W J, but for its sign.
  __device__ __forceinline__ int partner(int c) const { return c ^ int(swapped >> c & 1); }
  /// What is kept of an entry x of A₂₁ W in column c.
  __device__ __forceinline__ double kept(double x, int c) const { return zero >> c & 1 ? 0.0 : x; }
};

/// What a warp shares while it factors a diagonal block.
struct PanelWork {
  EliminationScratch elimination;
  double s[32 * small_leading]; ///< what is left of the block
};

/// x with its sign changed where bit is the sign bit.
__device__ __forceinline__ double with_sign(double x, int bit)
{
  return __hiloint2double(__double2hiint(x) ^ bit, __double2loint(x));
}

/// A row's mass, and what n columns of R add to it. r: its entry in the first column, others are `leading` apart.
__device__ __forceinline__ double add_squares(double mass, const double *r, int leading, int n)
{
  for (int c = 0; c < n; ++c)
    mass = fma(r[c * leading], r[c * leading], mass);
  return mass;
}

/// By one warp: the n x n block in work.s, n > 0, factored with a search of the whole block for each pivot (Bunch &
/// Parlett 1971). Overwrites all of p and work. Rows stay where they are. When nothing but rounding is left, the pivots
/// are zero if that is so below the block, too: entries of A₂₁ W in such a column, whose entry of W at the pivot is 1,
/// have to be at most rules.zero times its mass, and its root makes that the test of all columns.
class PanelSearch {
public:
  __device__ PanelSearch(PanelFactor &p, PanelWork &work, int n, const PivotRules &rules)
      : p_(p), work_(work), rules_(rules), n_(n), lane_(threadIdx.x & 31), open_(first_bits(n))
  {
  }

  __device__ void run()
  {
    for (int i = 0; i < 32; ++i)
      x(i) = i == lane_ ? 1 : 0;
    __syncwarp();
    while (open_) {
      const Choice c = choose();
      if (c.second >= 0)
        rotate(c.first, c.second);
      eliminate(c.first);
      if (c.second >= 0)
        eliminate(c.second);
    }
    finish();
  }

private:
  struct Choice {
    int first, second; ///< second: -1 for a 1x1 pivot
  };

  /// Entry i of the lane's column of the inverse of L: what the steps make of the identity.
  __device__ double &x(int i) const { return p_.w[lane_ * PanelFactor::leading + i]; }
  /// Entry of what is left of the block, which has both triangles.
  __device__ double &s(int i, int j) const { return work_.s[i * small_leading + j]; }
  __device__ bool is_open(int i) const { return open_ >> i & 1; }

  /// The lane with the largest value, and the value; the first of equal ones.
  static __device__ int largest_lane(double &value)
  {
    int at = threadIdx.x & 31;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      const double other = __shfl_xor_sync(whole_warp, value, step);
      const int other_at = __shfl_xor_sync(whole_warp, at, step);
      if (other > value || (other == value && other_at < at)) {
        value = other;
        at = other_at;
      }
    }
    return at;
  }

  __device__ Choice choose() const
  {
    const double own = fabs(s(lane_, lane_));
    double diagonal = is_open(lane_) && own >= 0 ? own : -1.0, beside = -1; // what is no number is never the largest
    int row = -1;
    for (int i = 0; i < n_; ++i) {
      const double v = fabs(s(i, lane_));
      if (is_open(i) && is_open(lane_) && i != lane_ && v > beside) {
        beside = v;
        row = i;
      }
    }
    const int single = largest_lane(diagonal), pair = largest_lane(beside);
    row = __shfl_sync(whole_warp, row, pair);
    if (beside > 0 && diagonal < bunch_kaufman_constant<double> * beside)
      return {pair, row};
    return {is_open(single) ? single : __ffs(open_) - 1, -1};
  }

  __device__ void rotate(int i, int j)
  {
    const PairRotation r = rotation_of(s(i, i), s(i, j), s(j, j));
    const double a = s(i, lane_), b = s(j, lane_), mass_i = p_.mass[i], mass_j = p_.mass[j];
    const double cc = r.cosine * r.cosine, ss = r.sine * r.sine;
    __syncwarp();
    const bool other = lane_ != i && lane_ != j;
    const double first = other ? fma(r.cosine, a, -r.sine * b) : lane_ == i ? r.first : 0.0;
    const double second = other ? fma(r.sine, a, r.cosine * b) : lane_ == j ? r.second : 0.0;
    s(i, lane_) = s(lane_, i) = first;
    s(j, lane_) = s(lane_, j) = second;
    const double y = x(i), z = x(j);
    x(i) = fma(r.cosine, y, -r.sine * z);
    x(j) = fma(r.sine, y, r.cosine * z);
    if (lane_ == 0) {
      p_.mass[i] = cc * mass_i + ss * mass_j;
      p_.mass[j] = ss * mass_i + cc * mass_j;
    }
    ++pairs_;
    __syncwarp();
  }

  __device__ void eliminate(int r)
  {
    const double d = s(r, r), mass = p_.mass[r], v = s(lane_, r);
    open_ &= ~(1u << r);
    const bool finite = __all_sync(whole_warp, fabs(v) <= DBL_MAX || (lane_ != r && !is_open(lane_)));
    const bool nonzero = fabs(d) > rules_.zero * mass;
    bad_ |= unsigned(!finite) << r;
    zero_ |= unsigned(finite && !nonzero) << r;
    uncertain_ |= unsigned(nonzero && !(fabs(d) > rules_.uncertain * mass)) << r;
    if (lane_ == r)
      pivot_ = nonzero ? d : 0.0;
    const double l = finite && nonzero && is_open(lane_) ? v / d : 0.0;
    p_.root[lane_] = l;
    p_.mass[lane_] = fma(fabs(l), fabs(v), p_.mass[lane_]);
    __syncwarp();
    const double own = s(r, lane_), inverse = x(r);
    for (int i = 0; i < n_; ++i)
      if (is_open(i)) {
        s(i, lane_) = fma(-p_.root[i], own, s(i, lane_));
        x(i) = fma(-p_.root[i], inverse, x(i));
      }
    __syncwarp();
  }

  __device__ void finish()
  {
    const bool zero = zero_ >> lane_ & 1;
    const double root = zero ? 1.0 : lane_ < n_ ? rsqrt(fabs(pivot_)) : 0.0;
    p_.pivot[lane_] = pivot_;
    p_.root[lane_] = root;
    const unsigned negative = __ballot_sync(whole_warp, lane_ < n_ && pivot_ < 0);
    __syncwarp();
    for (int i = 0; i < 32; ++i)
      x(i) = lane_ < n_ && i < n_ ? x(i) * p_.root[i] : 0.0;
    __syncwarp();
    if (zero)
      p_.root[lane_] = fmin(rules_.bound / (rules_.zero * p_.mass[lane_]), largest_root); // the mass may be 0
    if (lane_ == 0) {
      p_.zero = zero_;
      p_.negative = negative;
      p_.swapped = 0; // pairs are rotated to their eigenvalues here
      p_.bad = bad_;
      p_.uncertain = uncertain_;
      p_.two_by_two = pairs_;
    }
    __syncwarp();
  }

  static constexpr double largest_root = 1e300; ///< that makes no NaN of an entry that is 0

  PanelFactor &p_;
  PanelWork &work_;
  const PivotRules &rules_;
  const int n_, lane_;
  unsigned open_; ///< rows that are not eliminated
  unsigned bad_ = 0, zero_ = 0, uncertain_ = 0;
  int pairs_ = 0;
  double pivot_ = 1; ///< of the lane's row
};

/// Factors with a search what the order of the pivots does not suit.
inline __device__ __noinline__ void search_panel(const double *a, int a_leading, int n, const PivotRules &rules,
                                                 PanelFactor &p, PanelWork &work)
{
  const int lane = threadIdx.x & 31;
  for (int j = 0; j < n; ++j)
    if (lane < n)
      work.s[j * small_leading + lane] = lane >= j ? a[j * a_leading + lane] : a[lane * a_leading + j];
  __syncwarp();
  PanelSearch(p, work, n, rules).run();
}

/// By one warp: W of the n x n block a, lower triangle, column-major, of which rows from n to 31 are none. a stays. In
/// the order of the columns, with the proposed pairs; where that gives entries of L above own_bound, with a search.
inline __device__ __noinline__ void factor_panel(const double *a, int a_leading, int n, unsigned pairs,
                                                 const PivotRules &rules, PanelFactor &p, PanelWork &work)
{
  __builtin_assume(__isShared(a));
  __builtin_assume(__isShared(&p));
  __builtin_assume(__isShared(&work));
  const int lane = threadIdx.x & 31;
  // Halves of it are read before they are written: as far as the compiler knows, the two may overlap.
  for (int half = 0; half < 32; half += 16) {
    double x[16];
#pragma unroll
    for (int j = 0; j < 16; ++j)
      x[j] = a[min(half + j, n - 1) * a_leading + min(lane, n - 1)];
#pragma unroll
    for (int j = 0; j < 16; ++j)
      work.s[(half + j) * small_leading + lane] = (lane < n) & (half + j <= lane) ? x[j] : 0.0;
  }
  __syncwarp();
  const EliminatedRow e = eliminate_columns(work.s, n, n, pairs, p.mass[lane], rules, work.elimination);
  const unsigned bad = __ballot_sync(whole_warp, lane < n && !e.good);
  if (bad && !rules.definite) {
    search_panel(a, a_leading, n, rules, p, work);
    return;
  }
  p.pivot[lane] = e.pivot;
  const double root = lane < n ? rsqrt(fabs(e.pivot)) : 0.0;
  p.root[lane] = root * e.scale;
  const unsigned swapped = e.pairs | e.pairs << 1;
  const unsigned negative = __ballot_sync(whole_warp, lane < n && e.pivot < 0) & ~swapped;
  const unsigned uncertain = __ballot_sync(whole_warp, lane < n && e.uncertain);
  if (lane == 0) {
    p.zero = 0;
    p.negative = negative;
    p.swapped = swapped;
    p.bad = bad;
    p.uncertain = uncertain;
    p.two_by_two = __popc(e.pairs);
  }
  invert_l(work.s, small_leading, n, e.pairs, work.elimination);
  const InverseOfL inverse(work.s, small_leading, n, e.pairs, work.elimination);
  for (int half = 0; half < 32; half += 16) {
    double x[16];
#pragma unroll
    for (int c = 0; c < 16; ++c)
      x[c] = inverse.at(half + c, lane) * p.root[half + c];
#pragma unroll
    for (int c = 0; c < 16; ++c)
      p.w[lane * PanelFactor::leading + half + c] = (half + c < n) & (lane < n) ? x[c] : 0.0;
  }
  __syncwarp();
  p.root[lane] = root;
  __syncwarp();
}

} // namespace tessera
#endif
