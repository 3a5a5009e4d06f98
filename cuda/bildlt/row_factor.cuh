#ifndef TESSERA_CUDA_BILDLT_ROW_FACTOR_CUH
#define TESSERA_CUDA_BILDLT_ROW_FACTOR_CUH

#include "cuda/bildlt/block_factor.cuh"

namespace tessera {

/// Doubles that queue_rows needs as scratch for all runs of a schedule on the current device.
template <class T>
Offset row_scratch_size(const DeviceSchedule &schedule);

/// Queues the rows of a run of levels in one launch: a thread block computes a row from its updates to its kept
/// columns, and waits for the rows it depends on, so that levels overlap. Same bits as level by level. ticket: of the
/// run.
template <class T>
void queue_rows(const FactorRun<T> &run, const LevelRun &rows, Index largest_block, int *ticket, cudaStream_t stream);

} // namespace tessera
#endif
