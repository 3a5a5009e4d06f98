#ifndef TESSERA_CUDA_FRONT_LU_ELIMINATE_LU_COLUMNS_CUH
#define TESSERA_CUDA_FRONT_LU_ELIMINATE_LU_COLUMNS_CUH

#include "cuda/front/eliminate_columns.cuh"

namespace tessera {

/// What became of the row and the column that have the lane's number.
struct EliminatedLine {
  double row_mass, column_mass; ///< see is_pivot() of the host
  double pivot;
  bool good;      ///< L is bounded in this row, and the pivot in it is one
  bool uncertain; ///< the pivot is little more than rounding
};

/// Eight columns of a small unsymmetric matrix while they are eliminated, and then the rows of U that they give. Lane i
/// has row i of the columns, and column i of the rows.
class EightLuColumns {
public:
  /// Columns from k on have no pivots here.
  __device__ __forceinline__ EightLuColumns(int begin, int k, const PivotRules &rules, EliminationScratch &s,
                                            EliminatedLine &line)
      : begin_(begin), own_(min(8, k - begin)), lane_(threadIdx.x & 31),
        bound_(lane_ < k ? rules.own_bound : rules.bound), s_(s), line_(line)
  {
  }

  /// a has `padded` rows and columns. Overwrites the columns and the rows, and leaves both in the scratch.
  __device__ __forceinline__ void run(double *a, int padded)
  {
    eliminate(a);
    __syncwarp();
    substitute(a, padded);
  }

private:
  __device__ __forceinline__ void eliminate(double *a)
  {
    double x[8];
#pragma unroll
    for (int j = 0; j < 8; ++j)
      x[j] = a[(begin_ + j) * small_leading + lane_];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int c = begin_ + j;
      inverse_[j] = 0;
      if (j < own_) {
        const double p = __shfl_sync(whole_warp, x[j], c);
        const double inverse = fast_reciprocal(p), l = lane_ > c ? x[j] * inverse : 0.0;
#pragma unroll
        for (int i = j + 1; i < 8; ++i)
          x[i] = fma(-l, __shfl_sync(whole_warp, x[i], c), x[i]);
        line_.good = line_.good & (fabs(l) <= bound_);
        line_.row_mass = fma(l * l, fabs(p), line_.row_mass);
        line_.pivot = lane_ == c ? p : line_.pivot;
        x[j] = lane_ > c ? l : x[j];
        inverse_[j] = fabs(inverse);
      }
      s_.l[j][lane_] = j < own_ ? x[j] : 0.0;
    }
#pragma unroll
    for (int j = 0; j < 8; ++j)
      a[(begin_ + j) * small_leading + lane_] = x[j];
  }

  /// Rows of U right of the columns, and what all of them add to the masses of columns.
  __device__ __forceinline__ void substitute(double *a, int padded)
  {
    if (lane_ < padded) {
      double y[8];
      double *const own = a + lane_ * small_leading + begin_;
      const bool right = lane_ >= begin_ + 8;
#pragma unroll
      for (int i = 0; i < 8; ++i)
        y[i] = own[i];
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int q = 0; q < i; ++q)
          y[i] = right ? fma(-s_.l[q][begin_ + i], y[q], y[i]) : y[i];
        const bool above = i < own_ && lane_ > begin_ + i;
        line_.column_mass = above ? fma(y[i] * y[i], inverse_[i], line_.column_mass) : line_.column_mass;
        s_.v[i][lane_] = i < own_ ? y[i] : 0.0;
        if (right)
          own[i] = y[i];
      }
    }
    __syncwarp();
  }

  const int begin_, own_, lane_;
  const double bound_; ///< of L in the lane's row
  EliminationScratch &s_;
  EliminatedLine &line_;
  double inverse_[8]; ///< of the pivots' magnitudes
};

/// By one warp: what is left of a small matrix from tile `begin` of 8 x 8 on, both triangles, after the elimination of
/// eight columns.
__device__ __forceinline__ void update_all_tiles(double *a, int begin, int tiles, const EliminationScratch &s)
{
  const int lane = threadIdx.x & 31, row = lane / 4, inner = lane % 4;
#pragma unroll 1
  for (int tj = begin; tj < tiles; ++tj)
#pragma unroll 1
    for (int ti = begin; ti < tiles; ++ti) {
      double *const at = a + (8 * tj + 2 * inner) * small_leading + 8 * ti + row;
      double sum[2] = {at[0], at[small_leading]};
#pragma unroll
      for (int q = 0; q < 8; q += 4)
        TensorProducts::multiply(sum, -s.l[q + inner][8 * ti + row], s.v[q + inner][8 * tj + row]);
      at[0] = sum[0];
      at[small_leading] = sum[1];
    }
}

/// By one warp: eliminates the first k columns of a small matrix of n rows and columns with the pivots on its diagonal,
/// in their order. Rows and columns from n up to the next multiple of 8 are 0. Overwritten by L below its unit diagonal
/// in the first k columns, U in the first k rows, and the Schur complement. Lane i knows of row and column i; its
/// masses are given.
inline __device__ __noinline__ EliminatedLine eliminate_lu_columns(double *a, int n, int k, double row_mass,
                                                                   double column_mass, const PivotRules rules,
                                                                   EliminationScratch &s)
{
  __builtin_assume(__isShared(a));
  __builtin_assume(__isShared(&s));
  const int lane = threadIdx.x & 31, tiles = (n + 7) / 8;
  EliminatedLine line{row_mass, column_mass, 1, true, false};
#pragma unroll 1
  for (int c = 0; c < k; c += 8) {
    EightLuColumns(c, k, rules, s, line).run(a, 8 * tiles);
    update_all_tiles(a, c / 8 + 1, tiles, s);
    __syncwarp();
  }
  const double size = fabs(line.pivot), mass = sqrt(line.row_mass) * sqrt(line.column_mass);
  line.good = line.good & (lane >= k || ((size > rules.zero * mass) & (size <= DBL_MAX)));
  line.uncertain = lane < k && !(size > rules.uncertain * mass);
  return line;
}

/// By one warp: L of k columns that eliminate_lu_columns() has left in a to `l`, below a diagonal that is not set; and
/// in a, over L, the transpose of U with every row divided by its pivot: U = D Ũ, of which Ũᵀ is unit lower triangular.
/// pivot: of the lane's row.
__device__ __forceinline__ void separate_factors(double *a, double *l, int k, double pivot)
{
  const int lane = threadIdx.x & 31;
  const double inverse = lane < k ? 1 / pivot : 0.0;
  for (int c = 0; c < k; ++c)
    if (lane > c && lane < k)
      l[c * small_leading + lane] = a[c * small_leading + lane];
  __syncwarp();
  for (int j = 0; j < k; ++j)
    if (lane < j)
      a[lane * small_leading + j] = a[j * small_leading + lane] * inverse;
  __syncwarp();
}

/// By one warp: column c of the W of a side in the lanes of its rows, from the inverse of its unit lower triangle and
/// the root of 1 / |D|, given in the lanes of the columns; on side 1 with the sign of the pivot.
__device__ __forceinline__ double entry_of_w(const InverseOfL &inverse, int c, double scale)
{
  return inverse.at(c, threadIdx.x & 31) * __shfl_sync(whole_warp, scale, c);
}

/// By one warp: what InverseOfL needs of the scratch where no columns are pairs.
__device__ __forceinline__ void clear_pairs(EliminationScratch &s)
{
  s.own[threadIdx.x & 31] = 1;
  s.other[threadIdx.x & 31] = 0;
  __syncwarp();
}

} // namespace tessera
#endif
