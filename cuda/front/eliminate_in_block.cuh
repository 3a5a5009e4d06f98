#ifndef TESSERA_CUDA_FRONT_ELIMINATE_IN_BLOCK_CUH
#define TESSERA_CUDA_FRONT_ELIMINATE_IN_BLOCK_CUH

#include "cuda/front/eight_columns.cuh"
#include "cuda/front/invert_l.cuh"
#include "cuda/front/shared_columns.cuh"
#include "cuda/lanes/tensor_cores.cuh"

namespace tessera {

/// The first columns of a matrix in the shared memory of a thread block, column-major, whose rows its threads have, see
/// EightColumns. Rows are a multiple of 8, and no more than threads.
template <bool Saves>
struct BlockColumns {
  double *a;
  int leading, rows;
  double *v; ///< [8, rows] overwritten, leading dimension as a's, more than rows: - (L D)ᵀ of the columns at hand;
             ///< then, if Saves, [8, rows] what they were
  double *pair, *other; ///< [32] of pairs, see PairFactor

  static __device__ __forceinline__ int row() { return int(threadIdx.x); }
  __device__ __forceinline__ double at(int i, int j) const { return a[j * leading + i]; }
  __device__ __forceinline__ double own(int j) const { return at(min(row(), rows - 1), j); }
  static __device__ __forceinline__ void wait() { __syncthreads(); }
  static __device__ __forceinline__ bool all(bool x) { return __syncthreads_and(x); }
  __device__ __forceinline__ double share(int c, double x) const
  {
    double *const shared = v + leading - 1; // below the rows
    __syncthreads();
    if (row() == c)
      *shared = x;
    __syncthreads();
    return *shared;
  }
  __device__ __forceinline__ void save(int q, double x) const
  {
    if (Saves && row() < rows)
      v[(8 + q) * leading + row()] = x;
  }
  /// The columns from c on as they were saved.
  __device__ __forceinline__ void restore(int c) const
  {
    for (int q = 0; q < 8; ++q)
      if (row() >= c + q)
        keep(c + q, v[(8 + q) * leading + min(row(), rows - 1)]);
  }
  __device__ __forceinline__ void keep(int j, double x) const
  {
    if (row() < rows)
      a[j * leading + row()] = x;
  }
  __device__ __forceinline__ void put(int q, double, double product) const
  {
    if (row() < rows)
      v[q * leading + row()] = -product;
  }
  /// By threads of columns.
  __device__ __forceinline__ void put_pair(double own_factor, double other_factor) const
  {
    pair[row()] = own_factor;
    other[row()] = other_factor;
  }
};

/// By a thread block of Warps warps: A += B Cᵀ for a matrix of m rows and columns, a multiple of 8, from row and column
/// `begin` on, 16 x 16 entries a warp at a time. B and C have n columns, a multiple of 4, and the same leading
/// dimension. Sides: 1 for the lower triangle, 2 for both. Matrix: FullColumns or, of the lower triangle, LowerColumns.
template <int Sides, int Warps, class Matrix>
__device__ __forceinline__ void add_product(const Matrix &a, int m, const double *b, const double *c, int leading,
                                            int n, int begin)
{
  const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, row = lane / 4, inner = lane % 4;
  const int tiles = (m - begin + 15) / 16;
  for (int ti = warp, tj = 0;; ti += Warps) {
    for (; ti >= tiles && tj < tiles; ++tj) // on to the next column of tiles
      ti += (Sides == 1 ? tj + 1 : 0) - tiles;
    if (tj >= tiles)
      return;
    const int i0 = begin + 16 * ti, j0 = begin + 16 * tj;
    const int i1 = min(i0 + 8, m - 8), j1 = min(j0 + 8, m - 8); // the last tile may be half: then twice the same
    const bool upper = Sides == 1 && ti == tj;                  // rows i0 of columns j1: those of i1 twice
    double *const column0 = a.column(j0 + 2 * inner) + row, *const column1 = a.column(j1 + 2 * inner) + row;
    double sum[2][2][2];
    const auto for_entries = [&](const auto &f) {
#pragma unroll
      for (int x = 0; x < 2; ++x)
#pragma unroll
        for (int y = 0; y < 2; ++y)
#pragma unroll
          for (int z = 0; z < 2; ++z)
            f(sum[x][y][z], (y ? column1 : column0)[z * a.leading_at(y ? j1 : j0) + (x || (y && upper) ? i1 : i0)]);
    };
    for_entries([](double &x, double entry) { x = entry; });
#pragma unroll 2
    for (int q = 0; q < n; q += 4) {
      const double *left = b + (q + inner) * leading + row, *right = c + (q + inner) * leading + row;
      const double left0 = left[i0], left1 = left[i1], right0 = right[j0], right1 = right[j1];
      TensorProducts::multiply(sum[0][0], sum[1][0], left0, left1, right0);
      TensorProducts::multiply(sum[0][1], sum[1][1], upper ? left1 : left0, left1, right1);
    }
    for_entries([](double x, double &entry) { entry = x; });
  }
}

/// Bits of a panel's columns, see EliminatedRow.
struct PanelBits {
  unsigned pairs, zeros, bad, uncertain;
};

/// What becomes of a panel's columns, in shared memory.
struct PanelColumns {
  double *pivot, *scale; ///< [columns] see EliminatedRow
  double *pair, *other;  ///< [columns] see PairFactor; 1 and 0 before
  PanelBits *bits;
};

/// By a thread block of Warps warps, as eliminate_columns() does: eliminates the first n <= 32 columns, and those up to
/// the next multiple of 8, which are those of the identity, of a Matrix of `rows` rows in shared memory. mass: [rows]
/// updated. v: see BlockColumns. Returns whether L is bounded in all rows and all pivots are some, the same in all
/// threads, as it always is for LLᵀ. If not, the matrix is of no use.
template <int Warps, bool TakesZeros = false, class Matrix>
__device__ __noinline__ bool eliminate_in_block(const Matrix matrix, int rows, int n, unsigned pairs, double *mass,
                                                double *v, const PanelColumns &panel, const PivotRules &rules)
{
  double *const a = matrix.a;
  const int leading = matrix.leading;
  __builtin_assume(__isShared(a));
  __builtin_assume(__isShared(v));
  __builtin_assume(__isShared(mass));
  using Columns = BlockColumns<TakesZeros>;
  const Columns columns{a, leading, rows, v, panel.pair, panel.other};
  const int row = Columns::row();
  const bool there = row < rows, has_rows = row / 32 * 32 < rows; // the warp
  EliminatedRow result{there ? mass[row] : 0.0, 1, 1, 0, 0, true, false};
#pragma unroll 1
  for (int c = 0; c < n; c += 8) {
    const double mass_before = result.mass;
    if (has_rows) {
      EightColumns<Columns> eight(c, n, pairs, rules, columns, result);
      eight.eliminate();
      eight.keep();
    } else {
      EightColumns<Columns>::stand_by(columns);
    }
    if (!TakesZeros) {
      __syncthreads();
    } else if (!columns.all(result.good | rules.definite)) {
      columns.restore(c);
      __syncthreads();
      result.mass = mass_before;
      result = eliminate_with_zeros(c, n, pairs, rules, columns, result);
      if (!result.good)
        return false;
      __syncthreads();
    }
    add_product<1, Warps>(matrix, rows, a + c * leading, v, leading, 8, c + 8);
    __syncthreads();
  }
  if (there)
    mass[row] = result.mass;
  if (row < (n + 7) / 8 * 8) {
    panel.pivot[row] = result.pivot;
    panel.scale[row] = result.scale;
  }
  if (rules.is_static && row < n)
    result.good = result.good & is_large_pivot(result, row, panel.other[row], rules);
  const bool good = result.good | !there;
  const unsigned bad = __ballot_sync(whole_warp, row < n && !good),
                 uncertain = __ballot_sync(whole_warp, row < n && result.uncertain);
  if (row == 0)
    *panel.bits = {result.pairs, result.zeros, bad, uncertain};
  return __syncthreads_and(good | rules.definite);
}

/// By a warp: column c of W = L⁻ᵀ |D|^(-1/2), with 1 in place of the root of a zero pivot, of a diagonal block of n
/// rows whose columns are eliminated, column by column: put(c, x) in the lane of row i takes entry (i, c). L is
/// overwritten.
template <class Put>
__device__ __forceinline__ void find_w(double *a, int leading, int n, const PanelColumns &panel, InversionScratch &s,
                                       const Put &put)
{
  const int lane = threadIdx.x & 31;
  const unsigned pairs = panel.bits->pairs;
  s.own[lane] = lane < n ? panel.pair[lane] : 1.0;
  s.other[lane] = lane < n ? panel.other[lane] : 0.0;
  __syncwarp();
  const bool is_zero = panel.bits->zeros >> lane & 1;
  const double root = is_zero ? 1.0 : lane < n ? rsqrt(fabs(panel.pivot[lane])) * panel.scale[lane] : 0.0;
  invert_l(a, leading, n, pairs, s);
  const InverseOfL inverse(a, leading, n, pairs, s);
#pragma unroll 8
  for (int c = 0; c < n; ++c) {
    const double x = inverse.at(c, lane) * __shfl_sync(whole_warp, root, c);
    if (lane < n)
      put(c, x);
  }
  __syncwarp();
}

} // namespace tessera
#endif
