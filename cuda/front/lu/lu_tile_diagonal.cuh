#ifndef TESSERA_CUDA_FRONT_LU_LU_TILE_DIAGONAL_CUH
#define TESSERA_CUDA_FRONT_LU_LU_TILE_DIAGONAL_CUH

#include "cuda/front/lu/eliminate_lu_in_block.cuh"
#include "cuda/front/lu/lu_panel.cuh"
#include "cuda/front/tile/tile_product.cuh"

namespace tessera {

/// Factors a 64 x 64 tile on the diagonal for LU, in two panels of 32 columns and rows, by a thread block.
struct LuTileDiagonal {
  LuPanel panel[2];
  SearchedPlace place[64]; ///< after run()

  /// What the elimination in the order of the columns shares.
  struct InOrder {
    double v[8 * tile_leading];
    double mass[2][64], pivot[64];
    PanelBits bits[2];
    int row[64]; ///< of the pivot of a column, in its panel
    int odd[2];
  };

  static __device__ InOrder &in_order(PanelWork &work)
  {
    static_assert(sizeof(InOrder) <= sizeof work.s, "takes its place");
    return reinterpret_cast<InOrder &>(work.s);
  }

  /// Begins the elimination in the order of the diagonal, see factor_tile_in_order(). mass: [2][64] of all rows, and of
  /// all columns.
  static __device__ void begin_in_order(const double (*mass)[64], PanelWork &work)
  {
    in_order(work).mass[threadIdx.x / 64][threadIdx.x % 64] = mass[threadIdx.x / 64][threadIdx.x % 64];
  }

  /// Eliminates columns and rows begin .. begin + 31 of `size`; returns whether their pivots are good enough, the same
  /// in all threads. own: columns without padding; first: of them, in elimination order.
  static __device__ bool eliminate_panel(double *a, int begin, int size, const std::uint32_t *, int own, Index first,
                                         const PivotRules &rules, PanelWork &work)
  {
    InOrder &s = in_order(work);
    const RowOrder order = RowOrder::of(RowOrder::known_place(rules, first + begin, min(32, own - begin)));
    if (threadIdx.x < 32) {
      s.row[begin + threadIdx.x] = order.row;
      s.odd[begin / 32] = order.odd();
    }
    if (order.given) {
      order_panel_rows<tile_threads / 32>(a + begin * (tile_leading + 1), tile_leading, size - begin, s.mass[0] + begin,
                                          order.row);
      __syncthreads();
    }
    return eliminate_lu_in_block<tile_threads / 32>(a + begin * (tile_leading + 1), tile_leading, size - begin, 32,
                                                    s.mass[0] + begin, s.mass[1] + begin, s.v,
                                                    {s.pivot + begin, s.bits + begin / 32}, rules);
  }

  /// By two warps, one for each panel: W of both sides, and what became of the pivots.
  __device__ void take_panel(double *a, PanelWork &work)
  {
    InOrder &s = in_order(work);
    const int h = threadIdx.x / 32, lane = threadIdx.x % 32;
    LuPanel &p = panel[h];
    const int row = s.row[32 * h + lane], odd = s.odd[h];
    find_lu_w(a + 32 * h * (tile_leading + 1), tile_leading, 32, s.pivot + 32 * h, p.w[0],
              reinterpret_cast<InversionScratch *>(&work.elimination)[h],
              [&](int side, int c, double x) { p.w[side][(side == 0 ? row : lane) * LuPanel::leading + c] = x; });
    const double pivot = s.pivot[32 * h + lane];
    p.pivot[lane] = pivot;
    p.root[lane] = rsqrt(fabs(pivot));
    if (lane > 0)
      return;
    p.bad = 0;
    p.uncertain = s.bits[h].uncertain;
    p.odd = odd;
    p.perturbed = 0;
  }

  /// By the other warps: R₀ = L₂₁ sqrt|D| and R₁ = U₁₂ᵀ / sqrt|D| in place of L₂₁ and U₁₂.
  __device__ void scale_r(double *a, PanelWork &work) const
  {
    const InOrder &s = in_order(work);
    const int lane = threadIdx.x % 32;
    const double size = fabs(s.pivot[lane]), root = rsqrt(size);
#pragma unroll 4
    for (int c = int(threadIdx.x / 32) - 2; c < 32; c += 2) {
      *between(a, 0, lane, c) *= __shfl_sync(whole_warp, size * root, c);
      *between(a, 1, lane, c) *= __shfl_sync(whole_warp, root, c);
    }
  }

  /// After both: the blocks of W above those of the second panel, in place of R. Overwrites work.s.
  __device__ void couple_panels(double *a, PanelWork &work)
  {
    couple<0>(a, work.s);
    couple<1>(a, work.s);
  }

  /// With a search in each panel. a: column-major; overwritten. mass: [2][64] of all rows, and of all columns. size: 32
  /// where there is no second panel. own: columns without padding; first: of them, in elimination order. Columns with
  /// entries of L between the panels that are too large are bad. panel_work: overwritten.
  __device__ void run(double *a, const double (*mass)[64], const std::uint32_t *, int size, int own, Index first,
                      const PivotRules &rules, PanelWork &panel_work)
  {
    panel[threadIdx.x / 32 % 2].mass[threadIdx.x / 64][threadIdx.x % 32] = mass[threadIdx.x / 64][threadIdx.x % 64];
    __syncthreads();
    if (threadIdx.x < 32)
      place[threadIdx.x] = factor_lu_panel(a, tile_leading, 32, min(32, own), first, rules, panel[0], panel_work);
    __syncthreads();
    if (size == 32)
      return;
    find_r(a, rules, panel_work.s);
    update(a);
    __syncthreads();
    if (threadIdx.x < 32)
      place[32 + threadIdx.x] = factor_lu_panel(a + 32 * tile_leading + 32, tile_leading, 32, min(32, own - 32),
                                                first + 32, rules, panel[1], panel_work);
    __syncthreads();
    couple<0>(a, panel_work.s);
    couple<1>(a, panel_work.s);
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
  __device__ void find_r(double *a, const PivotRules &rules, double *work)
  {
    for (int side = 0; side < 2; ++side) {
      multiply_half_tiles([&](int i, int q) { return *between(a, side, i, q); },
                          [&](int q, int j) { return panel[0].w[1 - side][q * LuPanel::leading + j]; },
                          [&](int i, int j, double x) {
                            if (side == 0 && !(fabs(x) * panel[0].root[j] <= rules.bound))
                              atomicOr(&panel[0].bad, 1u << j);
                            work[j * LuPanel::leading + i] = x;
                          });
      __syncthreads();
      for (int x = threadIdx.x; x < 32 * 32; x += tile_threads)
        *between(a, side, x % 32, x / 32) = work[x / 32 * LuPanel::leading + x % 32];
      __syncthreads();
    }
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
