#ifndef TESSERA_CUDA_FRONT_TILE_TILE_DIAGONAL_CUH
#define TESSERA_CUDA_FRONT_TILE_TILE_DIAGONAL_CUH

#include "cuda/front/eliminate_in_block.cuh"
#include "cuda/front/panel_factor.cuh"
#include "cuda/front/tile/tile_product.cuh"

namespace tessera {

/// Factors a 64 x 64 tile on the diagonal, in two panels of 32 columns, by a thread block.
struct TileDiagonal {
  PanelFactor panel[2];
  SearchedPlace place[64]; ///< after run()

  /// What the elimination in the order of the columns shares.
  struct InOrder {
    double v[8 * tile_leading];
    double mass[64], pivot[64], scale[64], pair[64], other[64];
    PanelBits bits[2];

    __device__ PanelColumns columns_from(int begin)
    {
      return {pivot + begin, scale + begin, pair + begin, other + begin, bits + begin / 32};
    }
  };

  static __device__ InOrder &in_order(PanelWork &work)
  {
    static_assert(sizeof(InOrder) <= sizeof work.s, "takes its place");
    return reinterpret_cast<InOrder &>(work.s);
  }

  /// Begins the elimination in the order of the columns, see factor_tile_in_order(). mass: [1][64] of all rows.
  static __device__ void begin_in_order(const double (*mass)[64], PanelWork &work)
  {
    InOrder &s = in_order(work);
    if (threadIdx.x < 64) {
      s.mass[threadIdx.x] = mass[0][threadIdx.x];
      s.pair[threadIdx.x] = 1;
      s.other[threadIdx.x] = 0;
    }
  }

  /// Eliminates columns begin .. begin + 31 in all `size` rows; returns whether their pivots are good enough, the same
  /// in all threads. pairs: two words.
  static __device__ bool eliminate_panel(double *a, int begin, int size, const std::uint32_t *pairs, int, Index,
                                         const PivotRules &rules, PanelWork &work)
  {
    InOrder &s = in_order(work);
    return eliminate_in_block<tile_threads / 32>(FullColumns{a, tile_leading}.from(begin), size - begin, 32,
                                                 __ldg(pairs + begin / 32), s.mass + begin, s.v, s.columns_from(begin),
                                                 rules) ||
           rules.definite;
  }

  /// By two warps, one for each panel: W, and what became of the pivots.
  __device__ void take_panel(double *a, PanelWork &work)
  {
    InOrder &s = in_order(work);
    static_assert(2 * sizeof(InversionScratch) <= sizeof work.elimination, "one for each warp");
    const int h = threadIdx.x / 32, lane = threadIdx.x % 32;
    PanelFactor &p = panel[h];
    const PanelColumns columns = s.columns_from(32 * h);
    find_w(a + 32 * h * (tile_leading + 1), tile_leading, 32, columns,
           reinterpret_cast<InversionScratch *>(&work.elimination)[h],
           [&](int c, double x) { p.w[lane * PanelFactor::leading + c] = x; });
    const double pivot = columns.pivot[lane];
    p.pivot[lane] = pivot;
    p.root[lane] = rsqrt(fabs(pivot));
    const unsigned negative = __ballot_sync(whole_warp, pivot < 0);
    if (lane > 0)
      return;
    const PanelBits bits = *columns.bits;
    p.zero = 0;
    p.swapped = bits.pairs | bits.pairs << 1;
    p.negative = negative & ~p.swapped;
    p.bad = bits.bad;
    p.uncertain = bits.uncertain;
    p.two_by_two = short(__popc(bits.pairs));
    p.perturbed = 0;
  }

  /// By the other warps: R₂₁ = L₂₁ sqrt|D| in place of L₂₁.
  __device__ void scale_r(double *a, PanelWork &work) const
  {
    const InOrder &s = in_order(work);
    const int lane = threadIdx.x % 32;
    const double size = fabs(s.pivot[lane]), weight = size * rsqrt(size) / s.scale[lane];
#pragma unroll 4
    for (int c = int(threadIdx.x / 32) - 2; c < 32; c += 2)
      a[c * tile_leading + 32 + lane] *= __shfl_sync(whole_warp, weight, c);
  }

  /// After both: the block of W above that of the second panel, in place of R₂₁. Overwrites work.s.
  __device__ void couple_panels(double *a, PanelWork &work)
  {
    couple(a + 32, work.s);
  }

  /// With a search in each panel. a: lower triangle, column-major; overwritten. mass: [1][64] of all rows. pairs: two
  /// words. size: 32 where there is no second panel. Columns with entries of L between the panels that are too large
  /// are bad. panel_work: overwritten.
  __device__ void run(double *a, const double (*mass)[64], const std::uint32_t *pairs, int size, int, Index,
                      const PivotRules &rules, PanelWork &panel_work)
  {
    if (threadIdx.x < 64)
      panel[threadIdx.x / 32].mass[threadIdx.x % 32] = mass[0][threadIdx.x];
    __syncthreads();
    double *const work = panel_work.s;
    if (threadIdx.x < 32)
      place[threadIdx.x] = factor_panel(a, tile_leading, 32, __ldg(pairs), rules, panel[0], panel_work);
    __syncthreads();
    if (size == 32)
      return;
    double *const r = a + 32; // A₂₁, then R₂₁
    multiply_half_tiles([&](int i, int q) { return r[q * tile_leading + i]; },
                        [&](int q, int j) { return panel[0].w[q * PanelFactor::leading + j]; },
                        [&](int i, int j, double x) {
                          if (!(fabs(x) * panel[0].root[j] <= rules.bound) && !rules.definite)
                            atomicOr(&panel[0].bad, 1u << j);
                          work[j * PanelFactor::leading + i] = panel[0].kept(x, j);
                        });
    __syncthreads();
    for (int x = threadIdx.x; x < 32 * 32; x += tile_threads)
      r[x / 32 * tile_leading + x % 32] =
          with_sign(work[panel[0].partner(x / 32) * PanelFactor::leading + x % 32], panel[0].sign_bit(x / 32));
    __syncthreads();
    update(a);
    __syncthreads();
    if (threadIdx.x < 32)
      place[32 + threadIdx.x] =
          factor_panel(a + 32 * tile_leading + 32, tile_leading, 32, __ldg(pairs + 1), rules, panel[1], panel_work);
    __syncthreads();
    couple(r, work);
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
