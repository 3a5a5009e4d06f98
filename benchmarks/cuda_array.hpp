#ifndef TESSERA_BENCHMARKS_CUDA_ARRAY_HPP
#define TESSERA_BENCHMARKS_CUDA_ARRAY_HPP

#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera {

/// Throws std::runtime_error where a call has failed.
inline void check(cudaError_t status, const char *what)
{
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// Numbers in device memory.
template <class T>
class CudaArray {
public:
  explicit CudaArray(std::size_t n) : size_(n)
  {
    check(cudaMalloc(&data_, std::max<std::size_t>(n, 1) * sizeof(T)), "cudaMalloc");
  }
  explicit CudaArray(const std::vector<T> &x) : CudaArray(x.size()) { set(x); }
  CudaArray(const CudaArray &) = delete;
  CudaArray &operator=(const CudaArray &) = delete;
  ~CudaArray() { cudaFree(data_); }

  void set(const std::vector<T> &x)
  {
    check(cudaMemcpy(data_, x.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  /// From another one of the same size.
  void copy(const CudaArray &from)
  {
    check(cudaMemcpy(data_, from.data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice), "cudaMemcpy");
  }
  std::vector<T> on_host() const
  {
    std::vector<T> x(size_);
    check(cudaMemcpy(x.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return x;
  }
  T *data() { return data_; }

private:
  T *data_ = nullptr;
  std::size_t size_;
};

} // namespace tessera
#endif
