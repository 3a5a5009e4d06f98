#ifndef TESSERA_CUDA_FRONT_BLOCK_BLOCK_FRONTS_CUH
#define TESSERA_CUDA_FRONT_BLOCK_BLOCK_FRONTS_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/front/front_launch.cuh"

#include <cuda_runtime.h>

namespace tessera {

/// Rows, both parts padded to multiples of 8, of the largest front that a thread block has shared memory for on the
/// current device.
Index most_block_rows();

/// Queues the factorization of fronts of kind Block, order[0] .. order[count - 1], of which each waits for its
/// children: these are among them, or queued before. rows: of the largest of them, padded. ticket: 0, overwritten.
/// Returns the launch's error, if any.
cudaError_t factor_block_fronts(const FrontArrays &arrays, const Index *order, Index count, Index rows,
                                const FrontLaunch &launch);

} // namespace tessera
#endif
