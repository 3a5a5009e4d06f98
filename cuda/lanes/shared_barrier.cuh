#ifndef TESSERA_CUDA_LANES_SHARED_BARRIER_CUH
#define TESSERA_CUDA_LANES_SHARED_BARRIER_CUH

#include "cuda/lanes/instructions.cuh"

namespace tessera {

/// Waits for the end of a phase of a barrier, counted from 0. The one before must have ended.
inline __device__ void wait_for_phase(__mbarrier_t *barrier, unsigned phase)
{
  while (!has_phase_ended(barrier, phase)) {
  }
}

} // namespace tessera
#endif
