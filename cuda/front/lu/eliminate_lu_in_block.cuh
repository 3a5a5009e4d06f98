#ifndef TESSERA_CUDA_FRONT_LU_ELIMINATE_LU_IN_BLOCK_CUH
#define TESSERA_CUDA_FRONT_LU_ELIMINATE_LU_IN_BLOCK_CUH

#include "cuda/front/eliminate_in_block.cuh"
#include "cuda/front/lu/eliminate_lu_columns.cuh"

namespace tessera {

/// A matrix in the shared memory of a thread block, column-major, whose rows and columns its threads have, see
/// EightLuColumns. There are as many columns as rows, a multiple of 8, and no more than threads.
struct BlockLuColumns {
  double *a;
  int leading, rows;
  double *v; ///< [8, rows] overwritten, leading dimension as a's: - Uᵀ of the rows at hand

  static __device__ __forceinline__ int row() { return int(threadIdx.x); }
  __device__ __forceinline__ bool is_row() const { return row() < rows; }
  __device__ __forceinline__ double &at(int i, int j) const { return a[j * leading + i]; }
  __device__ __forceinline__ void wait() const { __syncthreads(); }
  __device__ __forceinline__ void put(int q, double, double u) const { v[q * leading + row()] = -u; }
};

/// What becomes of a panel's pivots, in shared memory.
struct LuPanelColumns {
  double *pivot;   ///< [columns]
  PanelBits *bits; ///< pairs: none
};

/// By a thread block of Warps warps, as eliminate_lu_columns() does: eliminates the first n <= 32 columns, and those up
/// to the next multiple of 8, which are those of the identity, of a matrix of `rows` rows and columns in shared memory.
/// row_mass, column_mass: [rows] updated. v: see BlockLuColumns. Returns whether L is bounded in all rows and all
/// pivots are some, the same in all threads.
template <int Warps>
__device__ __noinline__ bool eliminate_lu_in_block(double *a, int leading, int rows, int n, double *row_mass,
                                                   double *column_mass, double *v, const LuPanelColumns &panel,
                                                   const PivotRules &rules)
{
  __builtin_assume(__isShared(a));
  __builtin_assume(__isShared(v));
  __builtin_assume(__isShared(row_mass));
  __builtin_assume(__isShared(column_mass));
  const BlockLuColumns columns{a, leading, rows, v};
  const int row = BlockLuColumns::row();
  const bool there = columns.is_row(), has_rows = row / 32 * 32 < rows; // the warp
  EliminatedLine line{there ? row_mass[row] : 0.0, there ? column_mass[row] : 0.0, 1, true, false};
#pragma unroll 1
  for (int c = 0; c < n; c += 8) {
    if (has_rows)
      EightLuColumns<BlockLuColumns>(c, n, rules, columns, line).run();
    else
      EightLuColumns<BlockLuColumns>::stand_by(columns);
    add_product<2, Warps>(FullColumns{a, leading}, rows, a + c * leading, v, leading, 8, c + 8);
    __syncthreads();
  }
  judge_pivot(line, row < n, rules);
  if (there) {
    row_mass[row] = line.row_mass;
    column_mass[row] = line.column_mass;
  }
  if (row < (n + 7) / 8 * 8)
    panel.pivot[row] = line.pivot;
  const bool good = line.good | !there;
  const unsigned bad = __ballot_sync(whole_warp, row < n && !good),
                 uncertain = __ballot_sync(whole_warp, row < n && line.uncertain);
  if (row == 0)
    *panel.bits = {0, 0, bad, uncertain};
  return __syncthreads_and(good);
}

/// By a warp: W of both sides of a diagonal block of n rows that has L and U, column by column: put(side, c, x) in the
/// lane of row i takes entry (i, c), those of side 1 first. The block is overwritten; so is u, a small matrix, before
/// those of side 0.
template <class Put>
__device__ __forceinline__ void find_lu_w(double *a, int leading, int n, const double *pivot, double *u,
                                          InversionScratch &s, const Put &put)
{
  const int lane = threadIdx.x & 31;
  const double own = lane < n ? pivot[lane] : 1.0, inverse = 1 / own, root = rsqrt(fabs(own));
#pragma unroll 8
  for (int j = 0; j < n; ++j)
    if (lane < j)
      u[lane * small_leading + j] = a[j * leading + lane] * inverse;
  clear_pairs(s);
  const auto find = [&](int side, double *triangle, int triangle_leading, double scale) {
    invert_l(triangle, triangle_leading, n, 0, s);
    const InverseOfL inverted(triangle, triangle_leading, n, 0, s);
#pragma unroll 8
    for (int c = 0; c < n; ++c) {
      const double x = entry_of_w(inverted, c, scale);
      if (lane < n)
        put(side, c, x);
    }
    __syncwarp();
  };
  find(1, u, small_leading, copysign(root, own));
  find(0, a, leading, root);
}

} // namespace tessera
#endif
