#ifndef TESSERA_CUDA_FRONT_TILE_FACTOR_TILE_CUH
#define TESSERA_CUDA_FRONT_TILE_FACTOR_TILE_CUH

#include "cuda/front/lu/lu_tile_diagonal.cuh"
#include "cuda/front/tile/tile_diagonal.cuh"
#include "cuda/runtime/device_limits.hpp"

#include <cuda_awbarrier_primitives.h>
#include <type_traits>

namespace tessera {

/// What a thread block has in shared memory: 32 columns of two tiles each, twice, one to be multiplied while the other
/// is copied; else a tile that is put together, and beside it W, or what the factorization of a diagonal tile takes.
/// Sides: 1 for LDLᵀ, 2 for LU.
template <int Sides>
struct TileScratch {
  using Diagonal = std::conditional_t<Sides == 1, TileDiagonal, LuTileDiagonal>;
  struct Stage {
    double a[DeviceFront::half_tile_stored], b[DeviceFront::half_tile_stored];
  };
  struct Factorization {
    Diagonal diagonal;
    PanelWork work;
  };
  struct Whole {
    double a[DeviceFront::tile_width * tile_leading];
    union {
      double w[DeviceFront::tile_stored];
      Factorization factorization;
    };
  };
  union {
    Stage stage[2];
    Whole whole;
  };
  TileTask task; ///< at hand, and its front: global memory is far after every wait, which makes copies nearby invalid
  DeviceFront front;
  double mass[Sides][DeviceFront::tile_width];
  double root[DeviceFront::tile_width];
  __mbarrier_t arrived[2]; ///< what copies of group n wait at is number n % 2
};

static_assert(sizeof(TileScratch<1>) <= least_block_shared && sizeof(TileScratch<2>) <= least_block_shared,
              "room on every device");

/// By a thread block: factors the tile in the scratch with its pivots in their order; returns whether they are good
/// enough, the same in all threads. If not, of the scratch only mass is as before, and the tile is kept in place of one
/// of the factor. Like the next one a function of its own, for its registers.
template <int Sides>
__device__ __noinline__ bool factor_tile_in_order(TileScratch<Sides> &s, double *kept, const std::uint32_t *pairs,
                                                  const PivotRules &rules)
{
  auto &diagonal = s.whole.factorization.diagonal;
  PanelWork &work = s.whole.factorization.work;
  if (!rules.definite) // whose pivots are not searched
    for_tile_entries([&](int i, int j, int at) { __stcg(kept + at, s.whole.a[j * tile_leading + i]); });
  diagonal.begin_in_order(s.mass, work);
  __syncthreads();
  for (int begin = 0; begin < DeviceFront::tile_width; begin += 32)
    if (!diagonal.eliminate_panel(s.whole.a, begin, pairs, rules, work))
      return false;
  if (threadIdx.x < 64)
    diagonal.take_panel(s.whole.a, work);
  else
    diagonal.scale_r(s.whole.a, work);
  __syncthreads();
  diagonal.couple_panels(s.whole.a, work);
  return true;
}

/// After that: takes the tile back and factors it with a search, see TileDiagonal::run.
template <int Sides>
__device__ __noinline__ bool factor_tile_with_search(TileScratch<Sides> &s, const double *kept,
                                                     const std::uint32_t *pairs, const PivotRules &rules)
{
  for_tile_entries([&](int i, int j, int at) { s.whole.a[j * tile_leading + i] = __ldcg(kept + at); });
  __syncthreads();
  return s.whole.factorization.diagonal.run(s.whole.a, s.mass, pairs, rules, s.whole.factorization.work);
}

} // namespace tessera
#endif
