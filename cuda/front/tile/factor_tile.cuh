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
  TileTask task[most]; ///< at hand, and their front and strip: global memory is far after every wait, which makes
                       ///< copies nearby invalid
  DeviceFront front;
  TileStrip strip;
  double mass[Sides][DeviceFront::tile_width];
  double root[DeviceFront::tile_width];
  __mbarrier_t arrived[2]; ///< what copies of group n wait at is number n % 2
};

static_assert(sizeof(TileScratch<1>) <= least_block_shared && sizeof(TileScratch<2>) <= least_block_shared,
              "room on every device");

/// By a thread block: factors the first `size` columns and rows of a tile, 32 or 64, with its pivots in their order;
/// returns whether they are good enough, the same in all threads. If not, these columns are kept in place of a tile of
/// the factor, see DeviceFront::kept_of(). mass: [Sides][64] of its rows, and columns. own: columns without padding;
/// first: of them, in elimination order. Like the next one a function of its own, for its registers.
template <int Sides>
__device__ __noinline__ bool factor_tile_in_order(WholeTile<Sides> &whole, const double (*mass)[64], double *kept,
                                                  const std::uint32_t *pairs, int size, int own, Index first,
                                                  const PivotRules &rules)
{
  auto &diagonal = whole.factorization.diagonal;
  PanelWork &work = whole.factorization.work;
  if (!rules.definite) // whose pivots are not searched
    for_tile_entries<DeviceFront::kept_together(Sides)>(DeviceFront::kept_of(own, Sides), [&](int i, int j, int at) {
      __stcg(kept + at, whole.a[j * tile_leading + i]);
    });
  diagonal.begin_in_order(mass, work);
  __syncthreads();
  for (int begin = 0; begin < size; begin += 32)
    if (!diagonal.eliminate_panel(whole.a, begin, size, pairs, own, first, rules, work))
      return false;
  const bool coupled = size > 32;
  if (threadIdx.x < size)
    diagonal.take_panel(whole.a, work);
  else if (coupled)
    diagonal.scale_r(whole.a, work);
  __syncthreads();
  if (coupled)
    diagonal.couple_panels(whole.a, work);
  return true;
}

/// After that: takes the tile back and factors it with a search, see TileDiagonal::run.
template <int Sides>
__device__ __noinline__ void factor_tile_with_search(WholeTile<Sides> &whole, const double (*mass)[64],
                                                     const double *kept, const std::uint32_t *pairs, int size, int own,
                                                     Index first, const PivotRules &rules)
{
  for_tile_entries<32>(size, [&](int i, int j, int at) {
    const bool is_kept = j < DeviceFront::kept_of(own, Sides);
    whole.a[j * tile_leading + i] = is_kept ? __ldcg(kept + at) : i == j ? rules.padding_pivot() : 0.0;
  });
  __syncthreads();
  whole.factorization.diagonal.run(whole.a, mass, pairs, size, own, first, rules, whole.factorization.work);
}

} // namespace tessera
#endif
