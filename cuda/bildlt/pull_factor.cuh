#ifndef TESSERA_CUDA_BILDLT_PULL_FACTOR_CUH
#define TESSERA_CUDA_BILDLT_PULL_FACTOR_CUH

#include "cuda/bildlt/block_factor.cuh"

namespace tessera {

/// Queues a run of short levels in one launch: thread blocks take pulls in the order of the levels, wait for the rows
/// that these read, and whoever completes a piece, or a row, goes on with it. Same bits as level by level. ticket: of
/// the run.
template <class T>
void queue_pulls_of_rows(const FactorRun<T> &run, const LevelRun &levels, Index largest_block, int *ticket,
                         cudaStream_t stream);

} // namespace tessera
#endif
