#ifndef TESSERA_EMULATION_CUDA_AWBARRIER_PRIMITIVES_H
#define TESSERA_EMULATION_CUDA_AWBARRIER_PRIMITIVES_H

#include <cuda_runtime.h>

/// A barrier in shared memory: a phase ends when so many have arrived, and all bytes that were expected.
struct __mbarrier_t {
  int expected, missing, bytes;
  unsigned phase;
};
using __mbarrier_token_t = unsigned;

inline void emulated_end_phase(__mbarrier_t *barrier)
{
  if (barrier->missing > 0 || barrier->bytes > 0)
    return;
  barrier->missing = barrier->expected;
  ++barrier->phase;
}

inline void __mbarrier_init(__mbarrier_t *barrier, int count)
{
  *barrier = {count, count, 0, 0};
}

inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier)
{
  const unsigned phase = barrier->phase;
  --barrier->missing;
  emulated_end_phase(barrier);
  return phase;
}

inline bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token)
{
  if (barrier->phase == token)
    tessera::emulation::let_others_run();
  return barrier->phase != token;
}

#endif
