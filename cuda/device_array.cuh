#ifndef TESSERA_CUDA_DEVICE_ARRAY_CUH
#define TESSERA_CUDA_DEVICE_ARRAY_CUH

#include "factor/backend_error.hpp"

#include <cstdint>
#include <cuda_runtime.h>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Throws what a failed CUDA call means: std::bad_alloc without memory, else BackendError. what: the call's purpose.
inline void check(cudaError_t error, const char *what)
{
  if (error == cudaSuccess)
    return;
  cudaGetLastError(); // clears an error that does not stay with the context
  if (error == cudaErrorMemoryAllocation)
    throw std::bad_alloc();
  throw BackendError(std::string("CUDA, ") + what + ": " + cudaGetErrorString(error));
}

/// Device memory of n values, allocated and freed in the order of a stream. Contents are undefined until written.
template <class T>
class DeviceArray {
public:
  DeviceArray() = default;
  DeviceArray(std::int64_t n, cudaStream_t stream) : size_(n), stream_(stream)
  {
    if (n > 0)
      check(cudaMallocAsync(reinterpret_cast<void **>(&data_), n * sizeof(T), stream), "allocating device memory");
  }
  /// A copy of host values
  DeviceArray(const std::vector<T> &values, cudaStream_t stream)
      : DeviceArray(static_cast<std::int64_t>(values.size()), stream)
  {
    if (size_ > 0)
      check(cudaMemcpyAsync(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice, stream),
            "copying to the device");
  }
  DeviceArray(DeviceArray &&other) noexcept { swap(other); }
  DeviceArray &operator=(DeviceArray &&other) noexcept
  {
    swap(other);
    return *this;
  }
  ~DeviceArray()
  {
    if (data_)
      cudaFreeAsync(data_, stream_); // its failure cannot be told to anybody
  }

  T *data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }

private:
  void swap(DeviceArray &other) noexcept
  {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(stream_, other.stream_);
  }

  T *data_ = nullptr;
  std::int64_t size_ = 0;
  cudaStream_t stream_ = nullptr;
};

} // namespace tessera
#endif
