#ifndef TESSERA_CUDA_FRONT_TILE_TILE_DIAGONAL_CUH
#define TESSERA_CUDA_FRONT_TILE_TILE_DIAGONAL_CUH

#include "cuda/front/tile/tile_product.cuh"

namespace tessera {

/// Factors a 64 x 64 tile on the diagonal, in two panels of 32 columns, by a thread block.
struct TileDiagonal {
  PanelFactor panel[2];

  __device__ double &mass(int, int i) { return panel[i / 32].mass[i % 32]; }

  /// a: lower triangle, column-major; overwritten. mass(): of all rows. pairs: two words. Returns whether all entries
  /// of L between the panels are bounded, the same in all threads. panel_work: overwritten.
  __device__ bool run(double *a, const std::uint32_t *pairs, const PivotRules &rules, PanelWork &panel_work)
  {
    double *const work = panel_work.s;
    if (threadIdx.x < 32)
      factor_panel(a, tile_leading, 32, __ldg(pairs), rules, panel[0], panel_work);
    __syncthreads();
    bool good = true;
    double *const r = a + 32; // A₂₁, then R₂₁
    multiply_half_tiles([&](int i, int q) { return r[q * tile_leading + i]; },
                        [&](int q, int j) { return panel[0].w[q * PanelFactor::leading + j]; },
                        [&](int i, int j, double x) {
                          good = good && fabs(x) * panel[0].root[j] <= rules.bound;
                          work[j * PanelFactor::leading + i] = panel[0].kept(x, j);
                        });
    good = __syncthreads_and(good || rules.definite);
    for (int x = threadIdx.x; x < 32 * 32; x += tile_threads)
      r[x / 32 * tile_leading + x % 32] =
          with_sign(work[panel[0].partner(x / 32) * PanelFactor::leading + x % 32], panel[0].sign_bit(x / 32));
    __syncthreads();
    update(a);
    __syncthreads();
    if (threadIdx.x < 32)
      factor_panel(a + 32 * tile_leading + 32, tile_leading, 32, __ldg(pairs + 1), rules, panel[1], panel_work);
    __syncthreads();
    couple(r, work);
    return good;
  }

  /// Entry (i, c) of W; a as run() has left it.
  __device__ double w(const double *a, int, int i, int c) const
  {
    if (i / 32 == c / 32)
      return panel[c / 32].w[i % 32 * PanelFactor::leading + c % 32];
    return i > c ? 0.0 : a[i * tile_leading + c];
  }

private:
  /// A₂₂ -= R₂₁ J R₂₁ᵀ, and its masses.
  __device__ void update(double *a)
  {
    const double *r = a + 32;
    double *rest = a + 32 * tile_leading + 32;
    multiply_half_tiles(
        [&](int i, int q) { return r[q * tile_leading + i]; },
        [&](int q, int j) { return with_sign(r[panel[0].partner(q) * tile_leading + j], panel[0].sign_bit(q)); },
        [&](int i, int j, double x) { rest[j * tile_leading + i] -= x; });
    double *const mass = panel[1].mass + threadIdx.x;
    if (threadIdx.x < 32)
      *mass = add_squares(*mass, r + threadIdx.x, tile_leading, 32);
  }

  /// The block of W above that of the second panel: W₁₂ = -W₁ R₂₁ᵀ W₂, in place of R₂₁, transposed.
  __device__ void couple(double *r, double *work)
  {
    multiply_half_tiles([&](int i, int q) { return r[i * tile_leading + q]; },
                        [&](int q, int j) { return panel[1].w[q * PanelFactor::leading + j]; },
                        [&](int i, int j, double x) { work[i * PanelFactor::leading + j] = x; });
    __syncthreads();
    multiply_half_tiles([&](int i, int q) { return panel[0].w[i * PanelFactor::leading + q]; },
                        [&](int q, int j) { return work[q * PanelFactor::leading + j]; },
                        [&](int i, int j, double x) { r[i * tile_leading + j] = -x; });
    __syncthreads();
  }
};

} // namespace tessera
#endif
