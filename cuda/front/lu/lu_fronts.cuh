#ifndef TESSERA_CUDA_FRONT_LU_LU_FRONTS_CUH
#define TESSERA_CUDA_FRONT_LU_LU_FRONTS_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/front/front_launch.cuh"

#include <cuda_runtime.h>

namespace tessera {

// The counterparts for LU of what warp_fronts.cuh, block_fronts.cuh and tile_fronts.cuh declare, where they are
// described. Pivots are those on the diagonal, or in the rows of PivotRules::row_order; a front of kind Warp, or a
// panel of 32 columns, in which one of these is too small searches its own diagonal block for others. Where that does
// not do either, the factorization fails.

cudaError_t factor_lu_warp_fronts(const FrontArrays &arrays, const Index *order, Index count,
                                  const FrontLaunch &launch);

Index most_lu_block_rows();
cudaError_t factor_lu_block_fronts(const FrontArrays &arrays, const Index *order, Index count, Index rows,
                                   const FrontLaunch &launch);

} // namespace tessera
#endif
