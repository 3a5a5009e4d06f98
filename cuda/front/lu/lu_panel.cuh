#ifndef TESSERA_CUDA_FRONT_LU_LU_PANEL_CUH
#define TESSERA_CUDA_FRONT_LU_LU_PANEL_CUH

#include "cuda/front/lu/eliminate_lu_columns.cuh"
#include "cuda/front/panel_factor.cuh"

namespace tessera {

/// The diagonal block of a panel of 32 columns for LU, factored, in shared memory: W of both sides, see DeviceFront.
/// The pivot of a column may be in any row.
struct LuPanel {
  static constexpr int leading = small_leading;
  double w[2][32 * leading]; ///< row by row
  double mass[2][32];        ///< of its rows and columns, before
  double pivot[32];
  double root[32];    ///< 1 / sqrt|pivot|: of A₂₁ W₁, times this is L
  unsigned bad;       ///< columns whose pivot is none, or rows in which an entry of L is not bounded
  unsigned uncertain; ///< pivots that are little more than rounding
  int odd;            ///< 1 if the rows of the pivots are an odd permutation

  __device__ int pairs() const { return 0; } ///< LU has no 2x2 pivots
  __device__ int is_odd() const { return odd; }
};

/// By one warp: the n x n block in work.s, n > 0, factored with a search of the whole block for each pivot (complete
/// pivoting). Overwrites all of p and work. Rows and columns stay where they are.
class LuSearch {
public:
  __device__ LuSearch(LuPanel &p, PanelWork &work, int n, const PivotRules &rules)
      : p_(p), work_(work), rules_(rules), n_(n), lane_(threadIdx.x & 31), open_row_(first_bits(n)),
        open_column_(first_bits(n))
  {
  }

  __device__ void run()
  {
    for (int i = 0; i < 32; ++i)
      x(i) = y(i) = i == lane_ ? 1 : 0;
    __syncwarp();
    while (open_row_)
      eliminate(choose());
    finish();
  }

private:
  struct Pivot {
    int row, column;
  };

  __device__ double &s(int i, int j) const { return work_.s[j * small_leading + i]; }
  /// Entry i of the lane's column of what row operations make of the identity.
  __device__ double &x(int i) const { return p_.w[0][lane_ * LuPanel::leading + i]; }
  /// Entry j of the lane's row of what column operations make of it.
  __device__ double &y(int j) const { return p_.w[1][lane_ * LuPanel::leading + j]; }

  /// The largest open entry; the first open one where all are 0 or no numbers.
  __device__ Pivot choose() const
  {
    double largest = -1; // what is no number is never the largest
    int row = __ffs(open_row_) - 1, at = lane_;
    for (int i = 0; i < n_; ++i)
      if ((open_row_ >> i & 1) && (open_column_ >> lane_ & 1) && fabs(s(i, lane_)) > largest) {
        largest = fabs(s(i, lane_));
        row = i;
      }
    for (int step = 16; step > 0; step /= 2) {
      const double other = __shfl_xor_sync(whole_warp, largest, step);
      const int other_at = __shfl_xor_sync(whole_warp, at, step);
      if (other > largest || (other == largest && other_at < at)) {
        largest = other;
        at = other_at;
      }
    }
    at = largest < 0 ? __ffs(open_column_) - 1 : at;
    return {__shfl_sync(whole_warp, row, at), at};
  }

  __device__ void eliminate(Pivot at)
  {
    const double d = s(at.row, at.column);
    open_row_ &= ~(1u << at.row);
    open_column_ &= ~(1u << at.column);
    row_of_ = lane_ == at.column ? at.row : row_of_;
    pivot_ = lane_ == at.column ? d : pivot_;
    const double mass = sqrt(p_.mass[0][at.row]) * sqrt(p_.mass[1][at.column]);
    const bool good = (fabs(d) > rules_.zero * mass) & (fabs(d) <= DBL_MAX);
    bad_ |= unsigned(!good) << at.column;
    uncertain_ |= unsigned(!(fabs(d) > rules_.uncertain * mass)) << at.column;
    const bool row = open_row_ >> lane_ & 1, column = open_column_ >> lane_ & 1;
    const double l = good && row ? s(lane_, at.column) / d : 0.0;
    const double right = good && column ? s(at.row, lane_) : 0.0, u = right / d;
    __syncwarp();
    p_.mass[0][lane_] = row ? fma(l * l, fabs(d), p_.mass[0][lane_]) : p_.mass[0][lane_];
    p_.mass[1][lane_] = column ? fma(u * u, fabs(d), p_.mass[1][lane_]) : p_.mass[1][lane_];
    const double of_x = x(at.row), of_y = y(at.column);
    for (int i = 0; i < n_; ++i) {
      const double factor = __shfl_sync(whole_warp, l, i), beside = __shfl_sync(whole_warp, u, i);
      if (open_row_ >> i & 1) {
        x(i) = fma(-factor, of_x, x(i));
        if (column)
          s(i, lane_) = fma(-factor, right, s(i, lane_));
      }
      if (open_column_ >> i & 1)
        y(i) = fma(-beside, of_y, y(i));
    }
    __syncwarp();
  }

  /// Columns of W₀ are the rows of the pivots, in the places of their columns.
  __device__ void finish()
  {
    const double root = lane_ < n_ ? rsqrt(fabs(pivot_)) : 0.0;
    p_.pivot[lane_] = pivot_;
    p_.root[lane_] = root;
    for (int c = 0; c < 32; ++c) {
      const int row = __shfl_sync(whole_warp, row_of_, c);
      const double scale = __shfl_sync(whole_warp, root, c),
                   signed_scale = copysign(scale, __shfl_sync(whole_warp, pivot_, c));
      const bool is_own = c < n_ && lane_ < n_;
      work_.s[lane_ * small_leading + c] = is_own ? x(row) * scale : 0.0;
      y(c) = is_own ? y(c) * signed_scale : 0.0;
    }
    for (int c = 0; c < 32; ++c)
      x(c) = work_.s[lane_ * small_leading + c];
    const int odd = is_odd();
    if (lane_ == 0) {
      p_.bad = bad_;
      p_.uncertain = uncertain_;
      p_.odd = odd;
    }
    __syncwarp();
  }

  /// The same in all lanes: 1 if an odd number of pairs of columns has the rows of its pivots the other way round.
  __device__ int is_odd() const
  {
    int odd = 0;
    for (int c = 0; c < n_; ++c) {
      const int row = __shfl_sync(whole_warp, row_of_, c);
      odd ^= __popc(__ballot_sync(whole_warp, lane_ > c && lane_ < n_ && row_of_ < row));
    }
    return odd & 1;
  }

  LuPanel &p_;
  PanelWork &work_;
  const PivotRules &rules_;
  const int n_, lane_;
  unsigned open_row_, open_column_;
  unsigned bad_ = 0, uncertain_ = 0;
  int row_of_ = 0;   ///< of the pivot in the lane's column
  double pivot_ = 1; ///< in the lane's column
};

/// Copies the n x n block a to work.s; 0 beyond it.
__device__ __forceinline__ void load_block(const double *a, int a_leading, int n, PanelWork &work)
{
  const int lane = threadIdx.x & 31;
  for (int j = 0; j < 32; ++j)
    work.s[j * small_leading + lane] = lane < n && j < n ? a[j * a_leading + lane] : 0.0;
  __syncwarp();
}

inline __device__ __noinline__ void search_lu_panel(const double *a, int a_leading, int n, const PivotRules &rules,
                                                    LuPanel &p, PanelWork &work)
{
  load_block(a, a_leading, n, work);
  LuSearch(p, work, n, rules).run();
}

/// By one warp: W of the unit lower triangle in `from` to p.w[side]. scale: of the column that has the lane's number.
__device__ __forceinline__ void write_w(double *from, int n, double scale, double *w, PanelWork &work)
{
  const int lane = threadIdx.x & 31;
  invert_l(from, small_leading, n, 0, work.elimination);
  const InverseOfL inverse(from, small_leading, n, 0, work.elimination);
  for (int c = 0; c < 32; ++c) {
    const double entry = c < n ? entry_of_w(inverse, c, scale) : 0.0;
    w[lane * LuPanel::leading + c] = lane < n ? entry : 0.0;
  }
  __syncwarp();
}

/// By one warp: both W of the n x n block a, column-major, which stays. In the order of the diagonal; where that gives
/// entries of L above own_bound, or a pivot that is none, with a search. p.mass is given.
inline __device__ __noinline__ void factor_lu_panel(const double *a, int a_leading, int n, const PivotRules &rules,
                                                    LuPanel &p, PanelWork &work)
{
  __builtin_assume(__isShared(a));
  __builtin_assume(__isShared(&p));
  __builtin_assume(__isShared(&work));
  const int lane = threadIdx.x & 31;
  load_block(a, a_leading, n, work);
  const EliminatedLine e =
      eliminate_lu_columns(work.s, n, n, p.mass[0][lane], p.mass[1][lane], rules, work.elimination);
  if (__any_sync(whole_warp, lane < n && !e.good)) {
    search_lu_panel(a, a_leading, n, rules, p, work);
    return;
  }
  const double root = lane < n ? rsqrt(fabs(e.pivot)) : 0.0;
  p.pivot[lane] = e.pivot;
  p.root[lane] = root;
  const unsigned uncertain = __ballot_sync(whole_warp, e.uncertain);
  if (lane == 0) {
    p.bad = 0;
    p.uncertain = uncertain;
    p.odd = 0;
  }
  clear_pairs(work.elimination);
  separate_factors(work.s, p.w[1], n, e.pivot);
  write_w(p.w[1], n, root, p.w[0], work);
  write_w(work.s, n, copysign(root, e.pivot), p.w[1], work);
}

} // namespace tessera
#endif
