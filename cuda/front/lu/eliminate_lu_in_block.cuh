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

/// By a thread block of Warps warps, as eliminate_lu_columns() does: eliminates the first n <= 32 columns, and
/// those up to the next multiple of 8, which are those of the identity, of a matrix of `rows` rows and columns in
/// shared memory. row_mass, column_mass: [rows] updated. v: [16, rows] overwritten, see BlockLuColumns. Returns whether
/// L is bounded in all rows and all pivots are some, the same in all threads.
template <int Warps>
__device__ __noinline__ bool eliminate_lu_in_block(double *a, int leading, int rows, int n, double *row_mass,
                                                   double *column_mass, double *v, const LuPanelColumns &panel,
                                                   const PivotRules &rules)
{
  __builtin_assume(__isShared(a));
  __builtin_assume(__isShared(v));
  __builtin_assume(__isShared(row_mass));
  __builtin_assume(__isShared(column_mass));
  const int row = BlockLuColumns::row(), row_warps = (rows + 31) / 32;
  BlockLuColumns columns{a, leading, rows, v};
  const bool there = columns.is_row(), has_rows = row < 32 * row_warps; // the warp
  EliminatedLine line{there ? row_mass[row] : 0.0, there ? column_mass[row] : 0.0, 1, true, false};
#pragma unroll 1
  for (int c = 0; c < n; c += 8) {
    const double *const product_before = columns.v;
    columns.v = v + (c & 8) * leading;
    if (has_rows) {
      EightLuColumns<BlockLuColumns>(c, n, rules, columns, line).run();
    } else {
      EightLuColumns<BlockLuColumns>::stand_by(columns);
      if (c > 0) // what the eight columns and rows before have left to do
        add_product<2, Warps>(a, leading, rows, a + (c - 8) * leading, product_before, 8, c + 8, row_warps);
    }
    __syncthreads();
    const double *const l = a + c * leading;
    if (c + 8 >= n || row_warps == Warps) {
      add_product<2, Warps>(a, leading, rows, l, columns.v, 8, c + 8);
    } else if (has_rows) { // the next ones do not wait for the others
      add_to_eight_columns(a, leading, rows, l, columns.v, c + 8);
      add_to_eight_rows(a, leading, rows, l, columns.v, c + 8);
    }
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

/// By so many warps, each with its number: Ũᵀ, the unit lower triangle of U = D Ũ, of a diagonal block of n rows, in u,
/// a small matrix; and the root of 1 / |D| in the lane of a column.
__device__ __forceinline__ double take_u(const double *a, int leading, int n, const double *pivot, double *u,
                                         int number = 0, int warps = 1)
{
  const int lane = threadIdx.x & 31;
  const double own = lane < n ? pivot[lane] : 1.0, inverse = 1 / own;
  const int share = (n + warps - 1) / warps;
  copy_by_eights(
      number * share, min(n, (number + 1) * share), [&](int j) { return a[j * leading + lane] * inverse; },
      [&](int j, double x) {
        if (lane < j)
          u[lane * small_leading + j] = x;
      });
  return rsqrt(fabs(own));
}

/// By a warp: columns begin .. end - 1 of W of a side, see find_lu_w().
template <class Put>
__device__ __forceinline__ void put_lu_w(const InverseOfL &inverse, int begin, int end, double scale, const Put &put)
{
  copy_by_eights(
      begin, end, [&](int c) { return entry_of_w(inverse, c, scale); }, put);
  __syncwarp();
}

/// By a warp: W of both sides of a diagonal block of n rows that has L and U, column by column: put(side, c, x) in the
/// lane of row i takes entry (i, c), those of side 1 first. The block is overwritten; so is u, a small matrix, before
/// those of side 0.
template <class Put>
__device__ __forceinline__ void find_lu_w(double *a, int leading, int n, const double *pivot, double *u,
                                          InversionScratch &s, const Put &put)
{
  const int lane = threadIdx.x & 31;
  const double root = take_u(a, leading, n, pivot, u), own = lane < n ? pivot[lane] : 1.0;
  clear_pairs(s);
  const auto find = [&](int side, double *triangle, int triangle_leading, double scale) {
    invert_l(triangle, triangle_leading, n, 0, s);
    put_lu_w(InverseOfL(triangle, triangle_leading, n, 0, s), 0, n, scale, [&](int c, double x) {
      if (lane < n)
        put(side, c, x);
    });
  };
  find(1, u, small_leading, copysign(root, own));
  find(0, a, leading, root);
}

} // namespace tessera
#endif
