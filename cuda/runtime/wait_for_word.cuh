#ifndef TESSERA_CUDA_RUNTIME_WAIT_FOR_WORD_CUH
#define TESSERA_CUDA_RUNTIME_WAIT_FOR_WORD_CUH

#include <atomic>
#include <chrono>
#include <cuda_runtime.h>

namespace tessera {

/// Waits until a word of pinned memory is not 0, which the last kernel on the stream writes after all else that it
/// does for the host. The device tells that it has ended some microseconds later. After a while, when these do not
/// matter, or where the kernel has failed, waits for the stream. Returns the stream's error, if any.
inline cudaError_t wait_for_word(const volatile unsigned *word, cudaStream_t stream)
{
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds while_it_matters(500);
  for (const auto begin = Clock::now(); Clock::now() - begin < while_it_matters;)
    if (*word != 0) {
      std::atomic_thread_fence(std::memory_order_acquire);
      return cudaSuccess;
    }
  return cudaStreamSynchronize(stream);
}

} // namespace tessera
#endif
