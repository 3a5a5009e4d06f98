#ifndef TESSERA_CUDA_FRONT_WARP_WARP_FRONTS_CUH
#define TESSERA_CUDA_FRONT_WARP_WARP_FRONTS_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/front/front_launch.cuh"

#include <cuda_runtime.h>

namespace tessera {

/// Queues the factorization of all fronts of kind Warp: order[0] .. order[count - 1], of which each waits for its
/// children. ticket: 0, overwritten. Returns the launch's error, if any.
cudaError_t factor_warp_fronts(const FrontArrays &arrays, const Index *order, Index count, const FrontLaunch &launch);

} // namespace tessera
#endif
