#ifndef TESSERA_CUDA_RUNTIME_HOST_VALUE_CUH
#define TESSERA_CUDA_RUNTIME_HOST_VALUE_CUH

#include "cuda/runtime/check.cuh"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <type_traits>
#include <vector>

namespace tessera {

/// Small pieces of pinned host memory, which every device can write. What is given back is kept for the next one that
/// asks: to free it would wait for all that runs on the device.
class PinnedPieces {
public:
  static constexpr std::size_t bytes = 256; ///< of a piece

  /// Those of the process. None is freed as a static object ends, for CUDA may have ended before: see
  /// free_pinned_memory().
  static PinnedPieces &all()
  {
    static PinnedPieces &pieces = *new PinnedPieces;
    return pieces;
  }

  void *take()
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) {
      free_.reserve(made_ + 1); // so that give_back() needs no memory
      void *piece = nullptr;
      check(cudaMallocHost(&piece, bytes), "allocating pinned memory");
      ++made_;
      return piece;
    }
    void *const piece = free_.back();
    free_.pop_back();
    return piece;
  }

  void give_back(void *piece) noexcept
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(piece);
  }

  /// Frees those that nobody has.
  void free_unused() noexcept
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (void *piece : free_)
      if (cudaFreeHost(piece) != cudaSuccess)
        cudaGetLastError(); // which cannot be told to anybody
    made_ -= free_.size();
    free_.clear();
  }

private:
  std::mutex mutex_;
  std::vector<void *> free_;
  std::size_t made_ = 0;
};

/// A value on the host that kernels write to directly; its contents are undefined until they have. No kernel that
/// writes it may run any more when it ends.
template <class T>
class HostValue {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= PinnedPieces::bytes);

public:
  HostValue() : value_(static_cast<T *>(PinnedPieces::all().take())) {}
  HostValue(const HostValue &) = delete;
  HostValue &operator=(const HostValue &) = delete;
  ~HostValue() { PinnedPieces::all().give_back(value_); }

  /// For kernels
  T *data() const { return value_; }
  /// What they wrote, for a host that has waited for them.
  const T &get() const { return *value_; }

private:
  T *value_;
};

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
