#ifndef TESSERA_CUDA_FRONT_ELIMINATE_COLUMNS_CUH
#define TESSERA_CUDA_FRONT_ELIMINATE_COLUMNS_CUH

#include "cuda/front/eight_columns.cuh"
#include "cuda/front/invert_l.cuh"
#include "cuda/lanes/tensor_cores.cuh"

namespace tessera {

/// Small dense matrices of a warp in shared memory: column-major, with this leading dimension, at most 32 rows. Four
/// columns of eight rows lie in different banks.
constexpr int small_leading = 36;

/// What a warp shares while it eliminates columns, eight at a time.
struct EliminationScratch : InversionScratch {
  double l[8][small_leading], v[8][small_leading]; ///< L, and L D, of the columns at hand
};

/// A small matrix whose rows a warp's lanes have, see EightColumns.
struct WarpColumns {
  double *a;
  EliminationScratch &s;

  static __device__ __forceinline__ int row() { return int(threadIdx.x & 31); }
  __device__ __forceinline__ double at(int i, int j) const { return a[j * small_leading + i]; }
  __device__ __forceinline__ double own(int j) const { return at(row(), j); }
  static __device__ __forceinline__ void wait() { __syncwarp(); }
  static __device__ __forceinline__ bool all(bool x) { return __all_sync(whole_warp, x); }
  static __device__ __forceinline__ double share(int c, double x) { return __shfl_sync(whole_warp, x, c); }
  static __device__ __forceinline__ void save(int, double) {} // it is known whether L is good before it is kept
  __device__ __forceinline__ void keep(int j, double x) const { a[j * small_leading + row()] = x; }
  __device__ __forceinline__ void put(int q, double l, double v) const
  {
    s.l[q][row()] = l;
    s.v[q][row()] = v;
  }
  __device__ __forceinline__ void put_pair(double own, double other) const
  {
    s.own[row()] = own;
    s.other[row()] = other;
  }
};

/// By one warp: what is left of a small matrix from tile `begin` of 8 x 8 on, after the elimination of eight columns.
__device__ __forceinline__ void update_tiles(double *a, int begin, int tiles, const EliminationScratch &s)
{
  const int lane = threadIdx.x & 31, row = lane / 4, inner = lane % 4;
#pragma unroll 1
  for (int tj = begin; tj < tiles; ++tj) {
    double sum[3][2];
    double *at[3];
#pragma unroll
    for (int u = 0; u < 3; ++u) {
      at[u] = a + (8 * tj + 2 * inner) * small_leading + 8 * min(tj + u, tiles - 1) + row;
      sum[u][0] = at[u][0];
      sum[u][1] = at[u][small_leading];
    }
#pragma unroll
    for (int q = 0; q < 8; q += 4) {
      const double v = s.v[q + inner][8 * tj + row];
      double l[3];
#pragma unroll
      for (int u = 0; u < 3; ++u)
        l[u] = -s.l[q + inner][8 * min(tj + u, tiles - 1) + row];
      TensorProducts::multiply(sum[0], sum[1], l[0], l[1], v);
      TensorProducts::multiply(sum[2], l[2], v);
    }
#pragma unroll
    for (int u = 0; u < 3; ++u)
      if (tj + u < tiles) {
        at[u][0] = sum[u][0];
        at[u][small_leading] = sum[u][1];
      }
  }
}

/// By one warp: eliminates the first k columns of a small matrix of n rows in their order, without a search. Rows and
/// columns from n up to the next multiple of 8 are 0. Lower triangle: overwritten by L below its unit diagonal in the
/// first k columns, by the Schur complement in the others. A proposed pair that begins in an even column and is
/// indefinite is one 2x2 pivot, which becomes [0 d; d 0]; other pairs are two 1x1 pivots. Factors P of pairs are L's
/// diagonal blocks. Lane i knows of row i. Ends where it is not good in some lane, but for LLᵀ. TakesZeros: see
/// EightColumns.
template <bool TakesZeros>
__device__ __noinline__ EliminatedRow eliminate_columns(double *a, int n, int k, unsigned pairs, double mass,
                                                        const PivotRules rules, EliminationScratch &s)
{
  __builtin_assume(__isShared(a));
  __builtin_assume(__isShared(&s));
  const int lane = threadIdx.x & 31, tiles = (n + 7) / 8;
  const WarpColumns columns{a, s};
  EliminatedRow result{mass, 1, 1, 0, 0, true, false};
  s.own[lane] = 1;
  s.other[lane] = 0;
#pragma unroll 1
  for (int c = 0; c < k; c += 8) {
    const double mass_before = result.mass;
    EightColumns<WarpColumns> eight(c, k, pairs, rules, columns, result);
    eight.eliminate();
    if (columns.all(result.good | rules.definite)) {
      eight.keep();
    } else {
      if (!TakesZeros)
        break;
      result.mass = mass_before;
      result = eliminate_with_zeros(c, k, pairs, rules, columns, result);
      if (!result.good)
        break;
    }
    __syncwarp();
    update_tiles(a, c / 8 + 1, tiles, s);
    __syncwarp();
  }
  if (rules.is_static && lane < k)
    result.good = result.good & is_large_pivot(result, lane, s.other[lane], rules);
  return result;
}

} // namespace tessera
#endif
