#ifndef TESSERA_CUDA_FRONT_LU_LU_TILE_DIAGONAL_CUH
#define TESSERA_CUDA_FRONT_LU_LU_TILE_DIAGONAL_CUH

#include "cuda/front/lu/eliminate_lu_in_block.cuh"
#include "cuda/front/lu/lu_panel.cuh"
#include "cuda/front/tile/tile_product.cuh"

namespace tessera {

/// Factors a 64 x 64 tile on the diagonal for LU, in two panels of 32 columns and rows, by a thread block.
struct LuTileDiagonal {
  LuPanel panel[2];

  /// With its pivots in their order; returns whether they are good enough, the same in all threads. a, mass and own as
  /// for run(). While one warp eliminates the second panel, the others do what is left to do for the first one.
  __device__ bool run_in_order(double *a, const double (*mass)[64], const std::uint32_t *, const PivotRules &rules,
                               PanelWork &work)
  {
    InOrder &s = in_order(work);
    const int warp = threadIdx.x / 32;
    s.mass[threadIdx.x / 64][threadIdx.x % 64] = mass[threadIdx.x / 64][threadIdx.x % 64];
    __syncthreads();
    if (!eliminate_lu_in_block<tile_threads / 32>(a, tile_leading, 64, 32, s.mass[0], s.mass[1], s.v, {s.pivot, s.bits},
                                                  rules))
      return false;
    take_u(a, tile_leading, 32, s.pivot, panel[1].w[0], warp, 4); // W of L takes the place of U
    __syncthreads();
    bool good = true;
    if (warp == 0)
      good = eliminate_second(a, rules, s);
    else if (warp == 1)
      scale_r(a, s);
    else
      find_first_w(warp - 2, a, s);
    if (!__syncthreads_and(good))
      return false;
    if (warp < 2)
      take_pivots(warp, s);
    find_second_w(a + 32 * (tile_leading + 1), s);
    __syncthreads();
    couple<0>(a, work.s);
    couple<1>(a, work.s);
    return true;
  }

  /// With a search in each panel. a: column-major; overwritten. mass: [2][64] of all rows, and of all columns. own:
  /// columns without padding. Columns with entries of L between the panels that are too large are bad. panel_work:
  /// overwritten.
  __device__ void run(double *a, const double (*mass)[64], const std::uint32_t *, int own, const PivotRules &rules,
                      PanelWork &panel_work)
  {
    panel[threadIdx.x / 32 % 2].mass[threadIdx.x / 64][threadIdx.x % 32] = mass[threadIdx.x / 64][threadIdx.x % 64];
    __syncthreads();
    if (threadIdx.x < 32)
      factor_lu_panel(a, tile_leading, 32, min(32, own), rules, panel[0], panel_work);
    __syncthreads();
    find_r(a, rules, panel_work.s);
    update(a);
    __syncthreads();
    if (threadIdx.x < 32)
      factor_lu_panel(a + 32 * tile_leading + 32, tile_leading, 32, min(32, own - 32), rules, panel[1], panel_work);
    __syncthreads();
    couple<0>(a, panel_work.s);
    couple<1>(a, panel_work.s);
  }

  /// Entry (i, c) of W of a side; a as run() has left it.
  __device__ double w(const double *a, int side, int i, int c) const
  {
    const bool within = i / 32 == c / 32;
    const double x = *(within ? panel[c / 32].w[side] + i % 32 * LuPanel::leading + c % 32
                              : between(const_cast<double *>(a), side, c % 32, i % 32));
    return within || i < c ? x : 0.0;
  }

private:
  /// What the elimination in the order of the columns shares.
  struct InOrder {
    union {
      double v[16 * tile_leading];
      EliminationScratch elimination; ///< of the second panel
      double u[32 * small_leading];   ///< of the second panel
    };
    double mass[2][64], pivot[64];
    PanelBits bits[2];
    InversionScratch inversion[2]; ///< of the sides
  };

  static __device__ InOrder &in_order(PanelWork &work)
  {
    static_assert(sizeof(InOrder) <= sizeof work, "takes its place");
    return reinterpret_cast<InOrder &>(work);
  }

  /// By a warp: eliminates the columns and rows of the second panel; returns whether their pivots are good enough.
  static __device__ bool eliminate_second(double *a, const PivotRules &rules, InOrder &s)
  {
    const int row = 32 + int(threadIdx.x % 32);
    const EliminatedLine line = eliminate_lu_columns<tile_leading>(a + 32 * (tile_leading + 1), 32, 32, s.mass[0][row],
                                                                   s.mass[1][row], rules, s.elimination);
    const unsigned bad = __ballot_sync(whole_warp, !line.good), uncertain = __ballot_sync(whole_warp, line.uncertain);
    s.pivot[row] = line.pivot;
    if (row == 32)
      s.bits[1] = {0, 0, bad, uncertain};
    return bad == 0;
  }

  /// Takes entries of W of a side of a panel, in the lanes of their rows.
  struct PutW {
    double *w;
    __device__ __forceinline__ void operator()(int c, double x) const
    {
      w[threadIdx.x % 32 * LuPanel::leading + c] = x;
    }
  };

  /// By a warp: W of a side of the first panel, whose U is in the second one's room.
  __device__ void find_first_w(int side, double *a, InOrder &s)
  {
    double *const triangle = side == 0 ? a : panel[1].w[0];
    const int leading = side == 0 ? tile_leading : small_leading;
    const double own = s.pivot[threadIdx.x % 32];
    clear_pairs(s.inversion[side]);
    invert_l(triangle, leading, 32, 0, s.inversion[side]);
    put_lu_w(InverseOfL(triangle, leading, 32, 0, s.inversion[side]), 0, 32, scale_of(side, own),
             PutW{panel[0].w[side]});
  }

  /// By all: W of both sides of the second panel, two warps each.
  __device__ void find_second_w(double *a, InOrder &s)
  {
    const int warp = threadIdx.x / 32, side = warp / 2, number = warp % 2;
    const double own = s.pivot[32 + threadIdx.x % 32];
    take_u(a, tile_leading, 32, s.pivot + 32, s.u, warp, 4);
    if (number == 0)
      clear_pairs(s.inversion[side]);
    __syncthreads();
    InverseOfL inverse(side == 0 ? a : s.u, side == 0 ? tile_leading : small_leading, 32, 0, s.inversion[side]);
    inverse.run_by_two(number);
    put_lu_w(inverse, 16 * number, 16 * number + 16, scale_of(side, own), PutW{panel[1].w[side]});
  }

  /// Of a column of W: side 1 has the sign of the pivot.
  static __device__ double scale_of(int side, double pivot)
  {
    return copysign(rsqrt(fabs(pivot)), side == 0 ? 1.0 : pivot);
  }

  /// By a warp: what became of the pivots of a panel.
  __device__ void take_pivots(int h, const InOrder &s)
  {
    const int lane = threadIdx.x % 32;
    LuPanel &p = panel[h];
    p.pivot[lane] = s.pivot[32 * h + lane];
    p.root[lane] = rsqrt(fabs(p.pivot[lane]));
    if (lane > 0)
      return;
    p.bad = 0;
    p.uncertain = s.bits[h].uncertain;
    p.odd = p.perturbed = 0;
  }

  /// By a warp: R₀ = L₂₁ sqrt|D| and R₁ = U₁₂ᵀ / sqrt|D| in place of L₂₁ and U₁₂.
  static __device__ void scale_r(double *a, const InOrder &s)
  {
    const int lane = threadIdx.x % 32;
    const double size = fabs(s.pivot[lane]), root = rsqrt(size);
    for (int side = 0; side < 2; ++side)
      copy_by_eights(
          0, 32,
          [&](int c) {
            return *between(a, side, lane, c) * __shfl_sync(whole_warp, side == 0 ? size * root : root, c);
          },
          [&](int c, double x) { *between(a, side, lane, c) = x; });
  }

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
