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

  /// With its pivots in their order; returns whether they are good enough, the same in all threads. a, mass and pairs
  /// as for run(). While one warp eliminates the second panel, others do what is left to do for the first one.
  __device__ bool run_in_order(double *a, const double (*mass)[64], const std::uint32_t *pairs, const PivotRules &rules,
                               PanelWork &work)
  {
    InOrder &s = in_order(work);
    const int warp = threadIdx.x / 32;
    if (threadIdx.x < 64) {
      s.mass[threadIdx.x] = mass[0][threadIdx.x];
      s.pair[threadIdx.x] = 1;
      s.other[threadIdx.x] = 0;
    }
    __syncthreads();
    if (!eliminate_in_block<tile_threads / 32>(a, tile_leading, 64, 32, __ldg(pairs), s.mass, s.v, s.columns_of(0),
                                               rules) &&
        !rules.definite)
      return false;
    bool good = true;
    if (warp == 0)
      good = eliminate_second(a, __ldg(pairs + 1), rules, s);
    else if (warp == 1)
      find_first_w(a, s);
    else
      scale_r(a, s);
    if (!__syncthreads_and(good))
      return false;
    if (warp < 2)
      take_pivots(warp, s);
    find_w_in_block(a + 32 * (tile_leading + 1), tile_leading, s.columns_of(1), s.inversion, PutW{panel[1]});
    __syncthreads();
    couple(a + 32, work.s);
    return true;
  }

  /// With a search in each panel. a: lower triangle, column-major; overwritten. mass: [1][64] of all rows. pairs: two
  /// words. Columns with entries of L between the panels that are too large are bad. panel_work: overwritten.
  __device__ void run(double *a, const double (*mass)[64], const std::uint32_t *pairs, int, const PivotRules &rules,
                      PanelWork &panel_work)
  {
    if (threadIdx.x < 64)
      panel[threadIdx.x / 32].mass[threadIdx.x % 32] = mass[0][threadIdx.x];
    __syncthreads();
    double *const work = panel_work.s;
    if (threadIdx.x < 32)
      place[threadIdx.x] = factor_panel(a, tile_leading, 32, __ldg(pairs), rules, panel[0], panel_work);
    __syncthreads();
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
    const bool within = i / 32 == c / 32;
    const double x = *(within ? panel[c / 32].w + i % 32 * PanelFactor::leading + c % 32 : a + i * tile_leading + c);
    return within || i < c ? x : 0.0;
  }

private:
  /// What the elimination in the order of the columns shares.
  struct InOrder {
    union {
      double v[16 * tile_leading];
      EliminationScratch elimination; ///< of the second panel
    };
    double mass[64], pivot[64], scale[64], pair[64], other[64];
    PanelBits bits[2];
    InversionScratch inversion;

    __device__ PanelColumns columns_of(int h)
    {
      return {pivot + 32 * h, scale + 32 * h, pair + 32 * h, other + 32 * h, bits + h};
    }
  };

  static __device__ InOrder &in_order(PanelWork &work)
  {
    static_assert(sizeof(InOrder) <= sizeof work, "takes its place");
    return reinterpret_cast<InOrder &>(work);
  }

  /// By a warp: eliminates the columns of the second panel; returns whether their pivots are good enough.
  static __device__ bool eliminate_second(double *a, unsigned pairs, const PivotRules &rules, InOrder &s)
  {
    const int lane = threadIdx.x % 32, row = 32 + lane;
    const EliminatedRow e = eliminate_columns<false, tile_leading>(a + 32 * (tile_leading + 1), 32, 32, pairs,
                                                                   s.mass[row], rules, s.elimination);
    const unsigned bad = __ballot_sync(whole_warp, !e.good), uncertain = __ballot_sync(whole_warp, e.uncertain);
    s.pivot[row] = e.pivot;
    s.scale[row] = e.scale;
    s.pair[row] = s.elimination.own[lane];
    s.other[row] = s.elimination.other[lane];
    if (lane == 0)
      s.bits[1] = {e.pairs, e.zeros, bad, uncertain};
    return bad == 0 || rules.definite;
  }

  /// Takes entries of W of a panel, in the lanes of their rows.
  struct PutW {
    PanelFactor &panel;
    __device__ __forceinline__ void operator()(int c, double x) const
    {
      panel.w[threadIdx.x % 32 * PanelFactor::leading + c] = x;
    }
  };

  /// By a warp
  __device__ void find_first_w(double *a, InOrder &s)
  {
    find_w(a, tile_leading, 32, s.columns_of(0), s.inversion, PutW{panel[0]});
  }

  /// By a warp: what became of the pivots of a panel.
  __device__ void take_pivots(int h, InOrder &s)
  {
    const int lane = threadIdx.x % 32;
    PanelFactor &p = panel[h];
    const double pivot = s.pivot[32 * h + lane];
    p.pivot[lane] = pivot;
    p.root[lane] = rsqrt(fabs(pivot));
    const unsigned negative = __ballot_sync(whole_warp, pivot < 0);
    if (lane > 0)
      return;
    const PanelBits bits = s.bits[h];
    p.zero = 0;
    p.swapped = bits.pairs | bits.pairs << 1;
    p.negative = negative & ~p.swapped;
    p.bad = bits.bad;
    p.uncertain = bits.uncertain;
    p.two_by_two = short(__popc(bits.pairs));
    p.perturbed = 0;
  }

  /// By warps 2 and 3: R₂₁ = L₂₁ sqrt|D| in place of L₂₁.
  static __device__ void scale_r(double *a, const InOrder &s)
  {
    const int lane = threadIdx.x % 32;
    const double size = fabs(s.pivot[lane]), weight = size * rsqrt(size) / s.scale[lane];
    const auto at = [=](int q) { return a + (2 * q + int(threadIdx.x) / 32 - 2) * tile_leading + 32 + lane; };
    copy_by_eights(
        0, 16, [&](int q) { return *at(q) * __shfl_sync(whole_warp, weight, 2 * q + int(threadIdx.x) / 32 - 2); },
        [&](int q, double x) { *at(q) = x; });
  }

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
