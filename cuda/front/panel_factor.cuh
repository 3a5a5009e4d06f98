#ifndef TESSERA_CUDA_FRONT_PANEL_FACTOR_CUH
#define TESSERA_CUDA_FRONT_PANEL_FACTOR_CUH

#include "cuda/front/eliminate_rows.cuh"

namespace tessera {

/// The diagonal block of a panel of 32 columns, factored, in shared memory.
struct PanelFactor {
  static constexpr int leading = 36; ///< apart from 32, so that rows of W lie in different banks
  double w[32 * leading];            ///< W, row by row
  double mass[32];                   ///< of its rows, before
  double pivot[32];
  double root[32]; ///< 1 / sqrt|pivot|
  unsigned negative;
  unsigned bad;       ///< rows in which a pivot or an entry of L is none
  unsigned uncertain; ///< pivots that may have another sign
  RowsScratch<32> rows;

  /// 0 where the sign of column c is plus, else the sign bit of a double's upper word.
  __device__ __forceinline__ int sign_bit(int c) const { return int(negative >> c << 31); }
};

/// x with its sign changed where bit is the sign bit.
__device__ __forceinline__ double with_sign(double x, int bit)
{
  return __hiloint2double(__double2hiint(x) ^ bit, __double2loint(x));
}

/// By one warp: W of the n x n block a, lower triangle, column-major, of which rows from n to 31 are none. a stays.
/// A function of its own, for it is most of a kernel's code.
inline __device__ __noinline__ void factor_panel(const double *a, int a_leading, int n, unsigned pairs,
                                          const PivotRules &rules, PanelFactor &p)
{
  const int lane = threadIdx.x & 31;
  double root;
  {
    EliminatedRows<32> e;
#pragma unroll
    for (int j = 0; j < 32; ++j)
      e.a[j] = lane < n && j < n && j <= lane ? a[j * a_leading + lane] : 0.0;
    e.mass = p.mass[lane];
    e.run(n, pairs, rules, p.rows);
    root = lane < n ? rsqrt(fabs(e.pivot)) : 0.0;
    p.pivot[lane] = e.pivot;
    p.root[lane] = root;
    const unsigned negative = __ballot_sync(whole_warp, lane < n && e.pivot < 0);
    const unsigned bad = __ballot_sync(whole_warp, lane < n && !e.good);
    const unsigned uncertain = __ballot_sync(whole_warp, lane < n && e.uncertain);
    if (lane == 0) {
      p.negative = negative;
      p.bad = bad;
      p.uncertain = uncertain;
    }
  }
  __syncwarp();
  double x[32];
  invert_rows<32>(x, n, pairs, p.rows);
#pragma unroll
  for (int i = 0; i < 32; ++i)
    p.w[lane * PanelFactor::leading + i] = lane < n && i < n ? x[i] * p.root[i] : 0.0;
}

} // namespace tessera
#endif
