#ifndef TESSERA_CUDA_FRONT_LU_SEARCHED_LU_ROWS_CUH
#define TESSERA_CUDA_FRONT_LU_SEARCHED_LU_ROWS_CUH

#include "cuda/front/eliminate_columns.cuh"
#include "cuda/front/lu/searched_line.cuh"
#include "cuda/lanes/largest_lane.cuh"

namespace tessera {

/// An unsymmetric matrix of n <= 32 rows in the registers of a warp, a row a lane, while its first k columns are
/// eliminated with the largest open entry of each in the first k rows as its pivot (partial pivoting). Rows stay where
/// they are. A column that is eliminated becomes one of the inverse of L, in rows whose pivot comes later; rows keep U
/// from their pivot on. Registers turn: the column at hand is always the first.
class SearchedLuRows {
public:
  /// a: column-major. Masses: of the lane's row and column. scratch: overwritten by run().
  __device__ __forceinline__ SearchedLuRows(const double *a, int n, int k, double row_mass, double column_mass,
                                            const PivotRules &rules, EliminationScratch &scratch)
      : rules_(rules), row_(scratch.l[0]), k_(k), lane_(threadIdx.x & 31),
        open_(first_bits(k)), line_{{row_mass, column_mass, 1, true, false}, 0, 0}
  {
#pragma unroll
    for (int j = 0; j < 32; ++j)
      x_[j] = j < n && lane_ < n ? a[j * small_leading + lane_] : 0.0;
    __syncwarp();
  }

  /// keep(c, l): takes column c of L in lanes of rows from k on.
  template <class Keep>
  __device__ __forceinline__ SearchedLine run(const Keep &keep)
  {
#pragma unroll 1
    for (int c = 0; c < k_; ++c)
      eliminate(c, keep);
    judge_searched(line_, lane_ < k_, rules_);
    return line_;
  }

  /// Column of the pivot in the lane's row, after run().
  __device__ int column_of_pivot() const
  {
    return pivot_column_;
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
  /// What is no number is the largest: its front has no factor anyway.
  template <class Keep>
  __device__ __forceinline__ void eliminate(int c, const Keep &keep)
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
    const double p = row_[0], inverse = fast_reciprocal(p), l = takes_part ? x_[0] * inverse : 0.0,
                 u = row_[(lane_ - c) & 31];
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
  double *const row_;      ///< [32] of the pivot at hand, in shared memory
  const int k_, lane_;
  unsigned open_; ///< rows without a pivot, among the first k
  SearchedLine line_;
  int pivot_column_ = 0;
  double x_[32]; ///< the lane's row
};

} // namespace tessera
#endif
