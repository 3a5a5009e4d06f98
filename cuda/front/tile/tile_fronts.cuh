#ifndef TESSERA_CUDA_FRONT_TILE_TILE_FRONTS_CUH
#define TESSERA_CUDA_FRONT_TILE_TILE_FRONTS_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/front/front_launch.cuh"

#include <cuda_runtime.h>

namespace tessera {

/// Queues the factorization of all fronts of kind Tiles: order[0] .. order[count - 1], of which each waits for those
/// that it depends on, which come before it. Sides: 1 for LDLᵀ, 2 for LU. ticket: 0, overwritten. Returns the launch's
/// error, if any.
template <int Sides>
cudaError_t factor_tile_fronts(const FrontArrays &arrays, const TileTask *order, Offset count,
                               const FrontLaunch &launch);

} // namespace tessera
#endif
