#ifndef TESSERA_CUDA_RUNTIME_DEVICE_ARRAY_CUH
#define TESSERA_CUDA_RUNTIME_DEVICE_ARRAY_CUH

#include "cuda/runtime/check.cuh"
#include "cuda/runtime/device_queue.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera {

/// Device memory of n values, allocated and freed in the order of a queue, which outlives it. Contents are undefined
/// until written.
template <class T>
class DeviceArray {
public:
  DeviceArray() = default;
  DeviceArray(std::int64_t n, const DeviceQueue &queue) : DeviceArray(n, &queue) {}
  /// A copy of host values
  DeviceArray(const std::vector<T> &values, const DeviceQueue &queue) : DeviceArray(values, &queue) {}
  /// On the default stream, for programs that know no other.
  DeviceArray(std::int64_t n, std::nullptr_t) : DeviceArray(n, static_cast<const DeviceQueue *>(nullptr)) {}
  DeviceArray(const std::vector<T> &values, std::nullptr_t)
      : DeviceArray(values, static_cast<const DeviceQueue *>(nullptr))
  {
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
      cudaFreeAsync(data_, stream()); // its failure cannot be told to anybody
  }

  T *data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }

private:
  DeviceArray(std::int64_t n, const DeviceQueue *queue) : size_(n), queue_(queue)
  {
    if (n > 0)
      check(cudaMallocAsync(reinterpret_cast<void **>(&data_), n * sizeof(T), stream()), "allocating device memory");
  }
  DeviceArray(const std::vector<T> &values, const DeviceQueue *queue)
      : DeviceArray(static_cast<std::int64_t>(values.size()), queue)
  {
    if (size_ > 0)
      check(cudaMemcpyAsync(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice, stream()),
            "copying to the device");
  }

  cudaStream_t stream() const { return queue_ ? cudaStream_t(*queue_) : nullptr; }
  void swap(DeviceArray &other) noexcept
  {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(queue_, other.queue_);
  }

  T *data_ = nullptr;
  std::int64_t size_ = 0;
  const DeviceQueue *queue_ = nullptr;
};

/// The values of an array, when the queue has come to them.
template <class T>
std::vector<T> copy_to_host(const DeviceArray<T> &values, const DeviceQueue &queue)
{
  std::vector<T> copy(values.size());
  check(cudaMemcpyAsync(copy.data(), values.data(), values.bytes(), cudaMemcpyDeviceToHost, queue),
        "copying to the host");
  check(cudaStreamSynchronize(queue), "copying to the host");
  return copy;
}

} // namespace tessera
#endif
