#ifndef TESSERA_CUDA_LANES_SHARED_BARRIER_CUH
#define TESSERA_CUDA_LANES_SHARED_BARRIER_CUH

#include <cuda_awbarrier_primitives.h>

namespace tessera {

/// Waits for the end of a phase of a barrier, counted from 0. The one before must have ended. CUDA's own function
/// sleeps between two tries, which this does not.
inline __device__ void wait_for_phase(__mbarrier_t *barrier, unsigned phase)
{
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
  int ended;
  do
    asm volatile("{\n"
                 ".reg .pred p;\n"
#if __CUDA_ARCH__ >= 900 // where a try waits a little
                 "mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
#else
                 "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
#endif
                 "selp.b32 %0, 1, 0, p;\n"
                 "}"
                 : "=r"(ended)
                 : "r"(address), "r"(phase & 1)
                 : "memory");
  while (!ended);
}

} // namespace tessera
#endif
