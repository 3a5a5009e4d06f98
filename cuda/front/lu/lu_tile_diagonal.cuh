#ifndef TESSERA_CUDA_FRONT_LU_LU_TILE_DIAGONAL_CUH
#define TESSERA_CUDA_FRONT_LU_LU_TILE_DIAGONAL_CUH

#include "cuda/front/lu/lu_panel.cuh"
#include "cuda/front/tile/tile_product.cuh"

namespace tessera {

/// Factors a 64 x 64 tile on the diagonal for LU, in two panels of 32 columns and rows, by a thread block.
struct LuTileDiagonal {
  LuPanel panel[2];

  __device__ double &mass(int side, int i) { return panel[i / 32].mass[side][i % 32]; }

  /// a: column-major; overwritten. mass(): of all rows and columns. Returns whether all entries of L between the panels
  /// are bounded, the same in all threads. panel_work: overwritten.
  __device__ bool run(double *a, const std::uint32_t *, const PivotRules &rules, PanelWork &panel_work)
  {
    if (threadIdx.x < 32)
      factor_lu_panel(a, tile_leading, 32, rules, panel[0], panel_work);
    __syncthreads();
    const bool good = find_r(a, rules, panel_work.s);
    update(a);
    __syncthreads();
    if (threadIdx.x < 32)
      factor_lu_panel(a + 32 * tile_leading + 32, tile_leading, 32, rules, panel[1], panel_work);
    __syncthreads();
    couple<0>(a, panel_work.s);
    couple<1>(a, panel_work.s);
    return good;
  }

  /// Entry (i, c) of W of a side; a as run() has left it.
  __device__ double w(const double *a, int side, int i, int c) const
  {
    if (i / 32 == c / 32)
      return panel[c / 32].w[side][i % 32 * LuPanel::leading + c % 32];
    return i > c ? 0.0 : *between(const_cast<double *>(a), side, c % 32, i);
  }

private:
  /// Entry (i, q) of what couples the panels on a side: of A₂₁ or A₁₂ᵀ.
  static __device__ __forceinline__ double *between(double *a, int side, int i, int q)
  {
    return a + (side == 0 ? q * tile_leading + 32 + i : (32 + i) * tile_leading + q);
  }

  /// R of both sides in place of A₂₁ and A₁₂.
  __device__ bool find_r(double *a, const PivotRules &rules, double *work)
  {
    bool good = true;
    for (int side = 0; side < 2; ++side) {
      multiply_half_tiles([&](int i, int q) { return *between(a, side, i, q); },
                          [&](int q, int j) { return panel[0].w[1 - side][q * LuPanel::leading + j]; },
                          [&](int i, int j, double x) {
                            good = good && (side == 1 || fabs(x) * panel[0].root[j] <= rules.bound);
                            work[j * LuPanel::leading + i] = x;
                          });
      __syncthreads();
      for (int x = threadIdx.x; x < 32 * 32; x += tile_threads)
        *between(a, side, x % 32, x / 32) = work[x / 32 * LuPanel::leading + x % 32];
      __syncthreads();
    }
    return __syncthreads_and(good);
  }

  /// A₂₂ -= R₀ R₁ᵀ, and its masses.
  __device__ void update(double *a)
  {
    double *const rest = a + 32 * tile_leading + 32;
    multiply_half_tiles([&](int i, int q) { return *between(a, 0, i, q); },
                        [&](int q, int j) { return *between(a, 1, j, q); },
                        [&](int i, int j, double x) { rest[j * tile_leading + i] -= x; });
    if (threadIdx.x < 64) {
      const int side = int(threadIdx.x) / 32, i = int(threadIdx.x) % 32;
      double *const mass = panel[1].mass[side] + i;
      *mass = add_squares(*mass, between(a, side, i, 0), side == 0 ? tile_leading : 1, 32);
    }
  }

  /// The block of W above that of the second panel, -W Rᵀ W of the panels, transposed in place of R.
  template <int Side>
  __device__ void couple(double *a, double *work)
  {
    multiply_half_tiles([&](int i, int q) { return *between(a, Side, q, i); },
                        [&](int q, int j) { return panel[1].w[Side][q * LuPanel::leading + j]; },
                        [&](int i, int j, double x) { work[i * LuPanel::leading + j] = x; });
    __syncthreads();
    multiply_half_tiles([&](int i, int q) { return panel[0].w[Side][i * LuPanel::leading + q]; },
                        [&](int q, int j) { return work[q * LuPanel::leading + j]; },
                        [&](int i, int j, double x) { *between(a, Side, j, i) = -x; });
    __syncthreads();
  }
};

} // namespace tessera
#endif
