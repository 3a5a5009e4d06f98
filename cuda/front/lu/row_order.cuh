#ifndef TESSERA_CUDA_FRONT_LU_ROW_ORDER_CUH
#define TESSERA_CUDA_FRONT_LU_ROW_ORDER_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/lanes/warp.cuh"

namespace tessera {

/// Rows of a panel in which its pivots are looked for first, each in the lane of its column.
struct RowOrder {
  int row;    ///< the lane's number where there is no column
  bool given; ///< false: it is the diagonal; the same in all lanes

  static __device__ __forceinline__ RowOrder diagonal() { return {int(threadIdx.x & 31), false}; }

  /// By a warp: from what is known of the lane's column.
  static __device__ __forceinline__ RowOrder of(SearchedPlace place)
  {
    return {place.is_found() ? place.place() : int(threadIdx.x & 31), bool(__any_sync(whole_warp, place.is_found()))};
  }

  /// What that is, of columns from `first` on, in elimination order.
  static __device__ __forceinline__ SearchedPlace known_place(const PivotRules &rules, Index first, int columns)
  {
    const int lane = threadIdx.x & 31;
    return rules.row_order && lane < columns ? rules.row_order[first + lane] : SearchedPlace{};
  }

  /// By a warp: 1 if it is an odd permutation.
  __device__ __forceinline__ int odd() const
  {
    if (!given)
      return 0;
    int inversions = 0;
    for (int j = 0; j < 32; ++j)
      inversions += __shfl_sync(whole_warp, row, j) > row && j < int(threadIdx.x & 31);
    return __popc(__ballot_sync(whole_warp, inversions % 2)) % 2;
  }
};

/// By a thread block of Warps warps, or where that is 1 by any warp: in so many columns of a matrix, row i of the first
/// 32 becomes what was row `row` of lane i. Likewise of their masses: [32]. All threads have to have come here, and to
/// wait after it.
template <int Warps>
__device__ __forceinline__ void order_panel_rows(double *a, int leading, int columns, double *mass, int row)
{
  const int lane = threadIdx.x & 31, warp = Warps == 1 ? 0 : int(threadIdx.x / 32);
  const auto order = [&](double *x) {
    const double taken = row == lane ? 0 : x[row];
    __syncwarp();
    if (row != lane)
      x[lane] = taken;
  };
  for (int j = warp; j < columns; j += Warps)
    order(a + j * leading);
  if (warp == 0)
    order(mass);
}

} // namespace tessera
#endif
