#ifndef TESSERA_CUDA_RUNTIME_VALUE_POOL_CUH
#define TESSERA_CUDA_RUNTIME_VALUE_POOL_CUH

#include "base/types.hpp"
#include "cuda/runtime/device_array.cuh"

#include <algorithm>

namespace tessera {

/// Device memory for the values that a factor keeps, of which nobody knows how many there will be. It grows by chunks
/// while a first factorization runs; later ones of about the same size have a single chunk that holds all.
template <class T>
class ValuePool {
public:
  static constexpr Offset least = 1 << 12; ///< values of a chunk

  /// Begins anew, in one chunk of at least `values`. Keeps the present one if it is large enough.
  void restart(Offset values, const DeviceQueue &queue)
  {
    if (chunks_.size() == 1 && chunks_[0].size() >= values)
      return;
    chunks_.clear();
    check(cudaStreamSynchronize(queue), "freeing an earlier factor"); // before there is more than one in memory
    add(values, queue);
  }

  /// Adds a chunk of at least `values`, and of a quarter of what there is.
  void grow(Offset values, const DeviceQueue &queue) { add(std::max(values, bytes() / Offset(4 * sizeof(T))), queue); }

  T *values() const { return chunks_.back().data(); }       ///< of the last chunk
  Offset capacity() const { return chunks_.back().size(); } ///< likewise
  Offset bytes() const
  {
    Offset sum = 0;
    for (const DeviceArray<T> &chunk : chunks_)
      sum += chunk.bytes();
    return sum;
  }

private:
  void add(Offset values, const DeviceQueue &queue) { chunks_.emplace_back(std::max(values, least), queue); }

  std::vector<DeviceArray<T>> chunks_;
};

} // namespace tessera
#endif
