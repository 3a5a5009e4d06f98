#ifndef TESSERA_CUDA_FRONT_LU_ELIMINATE_LU_COLUMNS_CUH
#define TESSERA_CUDA_FRONT_LU_ELIMINATE_LU_COLUMNS_CUH

#include "cuda/front/eliminate_columns.cuh"
#include "cuda/front/lu/eight_lu_columns.cuh"

namespace tessera {

/// A small matrix whose rows and columns a warp's lanes have, see EightLuColumns.
struct WarpLuColumns {
  double *a;
  int rows; ///< padded to a multiple of 8
  EliminationScratch &s;

  static __device__ __forceinline__ int row() { return int(threadIdx.x & 31); }
  __device__ __forceinline__ bool is_row() const { return row() < rows; }
  __device__ __forceinline__ double &at(int i, int j) const { return a[j * small_leading + i]; }
  __device__ __forceinline__ void wait() const { __syncwarp(); }
  __device__ __forceinline__ void put(int q, double l, double u) const
  {
    s.l[q][row()] = l;
    s.v[q][row()] = u;
  }
};

/// By one warp: what is left of a small matrix from tile `begin` of 8 x 8 on, both triangles, after the elimination of
/// eight columns.
__device__ __forceinline__ void update_all_tiles(double *a, int begin, int tiles, const EliminationScratch &s)
{
  const int lane = threadIdx.x & 31, row = lane / 4, inner = lane % 4;
#pragma unroll 1
  for (int tj = begin; tj < tiles; ++tj)
#pragma unroll 1
    for (int ti = begin; ti < tiles; ti += 2) {
      const int i0 = 8 * ti + row,
                i1 = 8 * min(ti + 1, tiles - 1) + row; // the last tile may be alone: then twice the same
      double *const at = a + (8 * tj + 2 * inner) * small_leading;
      double upper[2] = {at[i0], at[small_leading + i0]}, lower[2] = {at[i1], at[small_leading + i1]};
#pragma unroll
      for (int q = 0; q < 8; q += 4)
        TensorProducts::multiply(upper, lower, -s.l[q + inner][i0], -s.l[q + inner][i1], s.v[q + inner][8 * tj + row]);
#pragma unroll
      for (int z = 0; z < 2; ++z) {
        at[z * small_leading + i0] = upper[z];
        at[z * small_leading + i1] = lower[z];
      }
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
  const WarpLuColumns columns{a, 8 * tiles, s};
  EliminatedLine line{row_mass, column_mass, 1, true, false};
#pragma unroll 1
  for (int c = 0; c < k; c += 8) {
    EightLuColumns<WarpLuColumns>(c, k, rules, columns, line).run();
    update_all_tiles(a, c / 8 + 1, tiles, s);
    __syncwarp();
  }
  judge_pivot(line, lane < k, rules);
  return line;
}

/// By one warp: L of k columns that eliminate_lu_columns() has left in a to `l`, below a diagonal that is not set; and
/// in a, over L, the transpose of U with every row divided by its pivot: U = D Ũ, of which Ũᵀ is unit lower triangular.
/// pivot: of the lane's row.
__device__ __forceinline__ void separate_factors(double *a, double *l, int k, double pivot)
{
  const int lane = threadIdx.x & 31;
  const double inverse = lane < k ? 1 / pivot : 0.0;
#pragma unroll 8
  for (int c = 0; c < k; ++c)
    if (lane > c && lane < k)
      l[c * small_leading + lane] = a[c * small_leading + lane];
  __syncwarp();
#pragma unroll 8
  for (int j = 0; j < k; ++j)
    if (lane < j)
      a[lane * small_leading + j] = a[j * small_leading + lane] * inverse;
  __syncwarp();
}

/// The root of 1 / |pivot|; 0 of a pivot that is left out, and where there is none.
__device__ __forceinline__ double root_of_inverse(double pivot, bool has_pivot)
{
  return has_pivot && pivot != 0 ? rsqrt(fabs(pivot)) : 0.0;
}

/// By one warp: column c of the W of a side in the lanes of its rows, from the inverse of its unit lower triangle and
/// the root of 1 / |D|, given in the lanes of the columns; on side 1 with the sign of the pivot.
__device__ __forceinline__ double entry_of_w(const InverseOfL &inverse, int c, double scale)
{
  return inverse.at(c, threadIdx.x & 31) * __shfl_sync(whole_warp, scale, c);
}

/// By one warp: what InverseOfL needs of the scratch where no columns are pairs.
__device__ __forceinline__ void clear_pairs(InversionScratch &s)
{
  s.own[threadIdx.x & 31] = 1;
  s.other[threadIdx.x & 31] = 0;
  __syncwarp();
}

} // namespace tessera
#endif
