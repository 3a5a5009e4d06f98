#ifndef TESSERA_CUDA_FRONT_WARP_WARP_FRONT_CUH
#define TESSERA_CUDA_FRONT_WARP_WARP_FRONT_CUH

#include "cuda/front/warp/run_warp_fronts.cuh"
#include "cuda/front/warp/warp_gather.cuh"

namespace tessera {

/// One front of a warp in shared memory. Sides: 1 for LDLᵀ, 2 for LU. Method: multifrontal (Duff & Reid 1983).
template <int Sides, class WarpScratch>
class WarpFront {
public:
  using Scratch = WarpScratch;

  __device__ WarpFront(const FrontArrays &arrays, Index s, WarpScratch &scratch)
      : arrays_(arrays), number_(s), f_(arrays.front[s]), s_(scratch), lane_(threadIdx.x & 31)
  {
  }

protected:
  __device__ int columns() const { return f_.columns; }
  __device__ int rows() const { return f_.columns + f_.below; }
  /// Entry (i, j) of the front.
  __device__ double &a(int i, int j) const { return s_.front[j * small_leading + i]; }

  __device__ double *factor(Index side) const { return arrays_.factor[side] + f_.factor_begin; }

  /// Bits, the same in all lanes: of the k own columns, those with an entry of L above the bound in one of n rows. L is
  /// in place of the front's own columns.
  __device__ unsigned columns_above(double bound, int k, int n) const
  {
    unsigned columns = 0;
    for (int c = 0; c < k; ++c)
      columns |= unsigned(__any_sync(whole_warp, lane_ >= k && lane_ < n && !(fabs(a(lane_, c)) <= bound))) << c;
    return columns;
  }

  /// What is left of the front, and the masses of the lane's row and, for LU, of its column.
  __device__ void hand_on(double row_mass, double column_mass = 0) const
  {
    if (f_.parent < 0)
      return;
    const int k = f_.columns, n = f_.below, i = lane_ - k;
    double *const b = arrays_.contribution_of(f_);
#pragma unroll 8
    for (int j = 0; j < n; ++j)
      if (i >= (Sides == 1 ? j : 0) && i < n)
        __stcg(b + j * n + i, a(lane_, k + j));
    if (i >= 0 && i < n) {
      __stcg(b + n * n + i, row_mass);
      if (Sides == 2)
        __stcg(b + (n + 1) * n + i, column_mass);
    }
    __syncwarp();
    if (lane_ == 0)
      add_to_count(arrays_.arrived + f_.raised);
  }

  const FrontArrays &arrays_;
  const Index number_;
  const DeviceFront &f_;
  WarpScratch &s_;
  const int lane_;
};

} // namespace tessera
#endif
