#ifndef TESSERA_CUDA_FRONT_LU_SEARCHED_LU_ROWS_CUH
#define TESSERA_CUDA_FRONT_LU_SEARCHED_LU_ROWS_CUH

#include "cuda/front/eliminate_columns.cuh"
#include "cuda/front/lu/searched_line.cuh"
#include "cuda/lanes/largest_lane.cuh"

namespace tessera {

/// An unsymmetric matrix of n <= 32 rows in the registers of a warp, a row a lane, while its first k columns are
/// eliminated with the largest open entry of each in the first k rows as its pivot (partial pivoting). Rows stay where
/// they are. A column that is eliminated becomes one of the inverse of L, in rows whose pivot comes later; rows keep U
/// from their pivot on. Registers turn: the column at hand is always the first. With rules that put columns off, one
/// without an entry that is large enough comes after the others. Where all are without, static pivoting replaces the
/// pivot of the first, and else all of them are left out: their pivots are 0, as are W and R in their columns.
class SearchedLuRows {
public:
  /// a: column-major. Masses: of the lane's row and column. scratch: overwritten by run().
  __device__ __forceinline__ SearchedLuRows(const double *a, int n, int k, double row_mass, double column_mass,
                                            const PivotRules &rules, EliminationScratch &scratch)
      : rules_(rules), least_(rules.is_static ? rules.least_pivot() : 0), row_(scratch.l[0]), k_(k),
        lane_(threadIdx.x & 31), open_(first_bits(k)), line_{{row_mass, column_mass, 1, true, false}, 0, 0, 0},
        column_(lane_)
  {
#pragma unroll
    for (int j = 0; j < 32; ++j)
      x_[j] = j < n && lane_ < n ? a[j * small_leading + lane_] : 0.0;
    __syncwarp();
  }

  /// keep(c, l): takes column c of L in lanes of rows from k on. first: of its rows and columns, in elimination order.
  template <class Keep>
  __device__ __forceinline__ SearchedLine run(Index first, const Keep &keep)
  {
#pragma unroll 1
    for (int c = 0; c < k_; ++c) {
      const bool found = !rules_.puts_off() || bring_pivot(c);
      eliminate(c, !found && rules_.leaves_out, keep);
    }
    judge_searched(line_, lane_ < k_, rules_);
    if (rules_.leaves_out)
      tell_left_out(first);
    return line_;
  }

  /// The column of the matrix that is the one with the lane's number, after run().
  __device__ int column() const
  {
    return column_;
  }

  /// By the lanes of rows with pivots, after run(): put_w(i, c, x) takes an entry of the W of side 0, put_u(c, j, x)
  /// one of U divided by its pivots, and put_right(c, j, x) R of side 1 in columns k .. n - 1. root: 1 / sqrt|pivot| in
  /// the lanes of columns.
  template <class PutW, class PutU, class PutRight>
  __device__ __forceinline__ void write_rows(double root, int n, const PutW &put_w, const PutU &put_u,
                                             const PutRight &put_right) const
  {
    const int c = pivot_column_;
    const double own_root = __shfl_sync(whole_warp, root, c), pivot = __shfl_sync(whole_warp, line_.pivot, c),
                 inverse = pivot == 0 ? 0 : 1 / pivot;
    for_entries([&](int j, double x) {
      const int row = __shfl_sync(whole_warp, line_.row, j);
      if (lane_ >= k_ || j >= n)
        return;
      if (j >= k_)
        put_right(c, j, x * own_root);
      else
        put_w(row, c, j < c ? x * own_root : j == c ? own_root : 0.0);
      if (j > c && j < k_)
        put_u(c, j, x * inverse);
    });
  }

  /// f(j, x): entry j of the lane's row; for the row of pivot c, the inverse of L has j < c in the row of pivot j.
  template <class F>
  __device__ __forceinline__ void for_entries(const F &f) const
  {
#pragma unroll
    for (int j = 0; j < 32; ++j)
      f((k_ + j) & 31, x_[j]);
  }

private:
  /// Makes a column with a large enough open entry the one at hand, number c, if there is any; returns whether there
  /// is.
  __device__ __forceinline__ bool bring_pivot(int c)
  {
#pragma unroll 1
    for (int left = k_ - c; left > 0; --left) {
      const int row = largest_lane(x_[0], open_);
      if (!is_too_small(__shfl_sync(whole_warp, x_[0], row), row, c))
        return true;
      put_off(c);
    }
    return false;
  }

  /// Of a pivot of column c.
  __device__ __forceinline__ bool is_too_small(double pivot, int row, int c) const
  {
    if (rules_.is_static)
      return fabs(pivot) < least_;
    return fabs(pivot) <= rules_.zero * (sqrt(__shfl_sync(whole_warp, line_.row_mass, row)) *
                                         sqrt(__shfl_sync(whole_warp, line_.column_mass, c)));
  }

  __device__ __forceinline__ void tell_left_out(Index first)
  {
    const double row_mass = __shfl_sync(whole_warp, line_.row_mass, line_.row);
    if (lane_ >= k_ || line_.pivot != 0)
      return;
    rules_.leave_out({first + line_.row, first + column_, row_mass, line_.column_mass});
    line_.good = true;
    line_.uncertain = false;
  }

  /// Puts the column at hand, number c, behind the others that are to have a pivot.
  __device__ __forceinline__ void put_off(int c)
  {
    const int last = k_ - 1 - c;
    const double first = x_[0];
#pragma unroll
    for (int j = 0; j < 32; ++j)
      x_[j] = j < last ? x_[(j + 1) & 31] : j == last ? first : x_[j];
    const int from = lane_ < c || lane_ >= k_ ? lane_ : lane_ == k_ - 1 ? c : lane_ + 1;
    line_.column_mass = __shfl_sync(whole_warp, line_.column_mass, from);
    column_ = __shfl_sync(whole_warp, column_, from);
    line_.odd ^= last & 1;
  }

  /// What is no number is the largest: its front has no factor anyway.
  template <class Keep>
  __device__ __forceinline__ void eliminate(int c, bool left_out, const Keep &keep)
  {
    __builtin_assume(__isShared(row_));
    const int r = largest_lane(x_[0], open_);
    if (lane_ == r)
#pragma unroll
      for (int j = 0; j < 32; ++j)
        row_[j] = x_[j];
    __syncwarp();
    open_ &= ~(1u << r);
    line_.odd ^= __popc(open_ & first_bits(r)) & 1; // rows before this one that come later
    const bool below = lane_ >= k_, takes_part = below || (open_ >> lane_ & 1);
    const double found = row_[0],
                 p = left_out               ? 0
                     : fabs(found) < least_ ? pivot_of_size(found, least_)
                                            : found,
                 inverse = left_out ? 0 : fast_reciprocal(p), l = takes_part ? x_[0] * inverse : 0.0,
                 u = row_[(lane_ - c) & 31];
    line_.perturbed += fabs(found) < least_;
    const double kept = takes_part ? -l : x_[0];
#pragma unroll
    for (int j = 0; j < 31; ++j)
      x_[j] = fma(-l, row_[j + 1], x_[j + 1]);
    x_[31] = kept;
    line_.row_mass = fma(l * l, fabs(p), line_.row_mass);
    line_.column_mass = lane_ > c ? fma(u * u, fabs(inverse), line_.column_mass) : line_.column_mass;
    line_.pivot = lane_ == c ? p : line_.pivot;
    line_.row = lane_ == c ? r : line_.row;
    pivot_column_ = lane_ == r ? c : pivot_column_;
    if (below) {
      line_.good = line_.good && fabs(l) <= rules_.bound;
      keep(c, l);
    }
    __syncwarp();
  }

  const PivotRules rules_; ///< a copy, in registers
  const double least_;     ///< static pivoting: magnitude of a pivot, else 0
  double *const row_;      ///< [32] of the pivot at hand, in shared memory
  const int k_, lane_;
  unsigned open_; ///< rows without a pivot, among the first k
  SearchedLine line_;
  int pivot_column_ = 0; ///< of the lane's row
  int column_;           ///< see column()
  double x_[32];         ///< the lane's row
};

} // namespace tessera
#endif
