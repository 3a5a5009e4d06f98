#ifndef TESSERA_CUDA_FRONT_TILE_TILE_FRONTS_CUH
#define TESSERA_CUDA_FRONT_TILE_TILE_FRONTS_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/front/front_launch.cuh"

#include <cuda_runtime.h>

namespace tessera {

/// DevicePlan::tile_order and tile_ticket in device memory.
struct TileOrder {
  const TileTask *task;
  const Index *first; ///< [tickets + 1] task of a ticket
  Offset tickets;
};

/// Queues the factorization of all fronts of kind Tiles, of which each tile waits for those that it depends on, which
/// come before it. Sides: 1 for LDLᵀ, 2 for LU. Returns the launch's error, if any.
template <int Sides>
cudaError_t factor_tile_fronts(const FrontArrays &arrays, const TileOrder &order, const FrontLaunch &launch);

} // namespace tessera
#endif
