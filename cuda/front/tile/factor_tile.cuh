#ifndef TESSERA_CUDA_FRONT_TILE_FACTOR_TILE_CUH
#define TESSERA_CUDA_FRONT_TILE_FACTOR_TILE_CUH

#include "cuda/front/lu/lu_tile_diagonal.cuh"
#include "cuda/front/tile/tile_diagonal.cuh"
#include "cuda/runtime/device_limits.hpp"

#include <cuda_awbarrier_primitives.h>
#include <type_traits>

namespace tessera {

/// A tile that is put together, and beside it W, or what the factorization of a diagonal tile takes. Sides: 1 for LDLᵀ,
/// 2 for LU.
template <int Sides>
struct WholeTile {
  using Diagonal = std::conditional_t<Sides == 1, TileDiagonal, LuTileDiagonal>;
  struct Factorization {
    Diagonal diagonal;
    PanelWork work;
  };
  double a[DeviceFront::tile_width * tile_leading];
  union {
    double w[DeviceFront::tile_stored];
    Factorization factorization;
  };
};

/// What a thread block has in shared memory: 32 columns of the tiles that it multiplies, twice, one to be multiplied
/// while the other is copied; else a whole tile.
template <int Sides>
struct TileScratch {
  /// Tiles that a thread block takes at a time. Registers for two leave room for two thread blocks on a multiprocessor,
  /// those for one and LDLᵀ for three, which gains as much; for LU they are two anyway.
  static constexpr int most = Sides;
  struct Stage {
    double a[most][DeviceFront::half_tile_stored], b[DeviceFront::half_tile_stored];
  };
  union {
    Stage stage[2];
    WholeTile<Sides> whole;
  };
  TileTask task[most]; ///< at hand, and their front: global memory is far after every wait, which makes copies nearby
                       ///< invalid
  DeviceFront front;
  double mass[Sides][DeviceFront::tile_width];
  double root[DeviceFront::tile_width];
  __mbarrier_t arrived[2]; ///< what copies of group n wait at is number n % 2
};

static_assert(sizeof(TileScratch<1>) <= least_block_shared && sizeof(TileScratch<2>) <= least_block_shared,
              "room on every device");

/// By a thread block: factors a tile with its pivots in their order; returns whether they are good enough, the same in
/// all threads. If not, the tile is kept in place of one of the factor. mass: [Sides][64] of its rows, and columns.
/// Like the next one a function of its own, for its registers.
template <int Sides>
__device__ __noinline__ bool factor_tile_in_order(WholeTile<Sides> &whole, const double (*mass)[64], double *kept,
                                                  const std::uint32_t *pairs, const PivotRules &rules)
{
  if (!rules.definite) // whose pivots are not searched
    copy_tile([&](int i, int j, int) { return whole.a[j * tile_leading + i]; },
              [&](int, int, int at, double x) { __stcg(kept + at, x); });
  return whole.factorization.diagonal.run_in_order(whole.a, mass, pairs, rules, whole.factorization.work);
}

/// After that: takes the tile back and factors it with a search, see TileDiagonal::run. own: columns without padding.
template <int Sides>
__device__ __noinline__ void factor_tile_with_search(WholeTile<Sides> &whole, const double (*mass)[64],
                                                     const double *kept, const std::uint32_t *pairs, int own,
                                                     const PivotRules &rules)
{
  copy_tile([&](int, int, int at) { return __ldcg(kept + at); },
            [&](int i, int j, int, double x) { whole.a[j * tile_leading + i] = x; });
  __syncthreads();
  whole.factorization.diagonal.run(whole.a, mass, pairs, own, rules, whole.factorization.work);
}

/// After either: W of a side to its place in the factor, with zeros in columns of padding.
template <int Sides>
__device__ __noinline__ void write_tile_w(const WholeTile<Sides> &whole, int side, int own, double *w)
{
  copy_tile([&](int i, int c, int) { return c < own ? whole.factorization.diagonal.w(whole.a, side, i, c) : 0.0; },
            [&](int, int, int at, double x) { __stcg(w + at, x); });
}

} // namespace tessera
#endif
