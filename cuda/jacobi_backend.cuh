#ifndef TESSERA_CUDA_JACOBI_BACKEND_CUH
#define TESSERA_CUDA_JACOBI_BACKEND_CUH

#include "launch.cuh" // before the kernels

#include "device_array.cuh"
#include "factor/jacobi_factor.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace tessera {

/// A group of lanes that does items by itself, as the kernels of factor/jacobi_ldlt.hpp want it.
template <int W>
struct CudaLanes : CudaGroup<W> {
  static constexpr int columns_at_once = 4;

  static TESSERA_COLLECTIVE int first_item() { return CudaGroup<W>::rank(); }
  static TESSERA_COLLECTIVE int item_step() { return W; }
};

template <class Kernel, int W>
struct ByLanes {
  Kernel kernel;

  TESSERA_COLLECTIVE void operator()(const CudaGroup<W> &, std::int64_t item) const { kernel(CudaLanes<W>{}, item); }
};

template <class Function>
__global__ void __launch_bounds__(256) run_each(Offset n, const Function f)
{
  const Offset i = Offset(blockIdx.x) * 256 + threadIdx.x;
  if (i < n)
    f(i);
}

/// A CUDA device as a backend of push_back.hpp and jacobi_factor.hpp. Work is queued on a stream.
struct DeviceBackend {
  template <class T>
  using Array = DeviceArray<T>;

  static constexpr Index columns_per_item = 4;

  cudaStream_t stream;
  Offset reports = 0; ///< bytes downloaded

  template <class T>
  Array<T> zeros(Offset n)
  {
    Array<T> array(n, stream);
    clear(array);
    return array;
  }
  template <class T>
  Array<T> upload(const std::vector<T> &values)
  {
    return Array<T>(values, stream);
  }
  template <class T>
  std::vector<T> download(const Array<T> &array)
  {
    std::vector<T> values(static_cast<std::size_t>(array.size()));
    if (!values.empty())
      check(cudaMemcpyAsync(values.data(), array.data(), array.bytes(), cudaMemcpyDeviceToHost, stream),
            "copying to the host");
    check(cudaStreamSynchronize(stream), "copying to the host");
    reports += array.bytes();
    return values;
  }
  template <class T>
  void clear(Array<T> &array)
  {
    if (array.size() > 0)
      check(cudaMemsetAsync(array.data(), 0, array.bytes(), stream), "clearing device memory");
  }

  template <class Function>
  void each(Offset n, const Function &f)
  {
    if (n == 0)
      return;
    run_each<<<unsigned((n + 255) / 256), 256, 0, stream>>>(n, f);
    check(cudaGetLastError(), "launching a kernel");
  }

  template <class K, class V>
  void sort(Array<K> &keys, Array<V> &values)
  {
    const Offset n = keys.size();
    Array<K> sorted_keys(n, stream);
    Array<V> sorted_values(n, stream);
    std::size_t bytes = 0;
    check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys.data(), sorted_keys.data(), values.data(),
                                          sorted_values.data(), n, 0, int(8 * sizeof(K)), stream),
          "sorting");
    Array<std::uint8_t> work(Offset(bytes), stream);
    check(cub::DeviceRadixSort::SortPairs(work.data(), bytes, keys.data(), sorted_keys.data(), values.data(),
                                          sorted_values.data(), n, 0, int(8 * sizeof(K)), stream),
          "sorting");
    keys = std::move(sorted_keys);
    values = std::move(sorted_values);
  }

  /// Returns the last of the sums.
  Offset sum(Array<Offset> &array)
  {
    const Offset n = array.size();
    std::size_t bytes = 0;
    check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, array.data(), array.data(), n, stream), "summing");
    Array<std::uint8_t> work(Offset(bytes), stream);
    check(cub::DeviceScan::ExclusiveSum(work.data(), bytes, array.data(), array.data(), n, stream), "summing");
    Offset last = 0;
    check(cudaMemcpyAsync(&last, array.data() + n - 1, sizeof last, cudaMemcpyDeviceToHost, stream), "summing");
    check(cudaStreamSynchronize(stream), "summing");
    return last;
  }

  template <int W, class Kernel>
  void run(Offset n, const Kernel &kernel)
  {
    check(launch<W, 4>(stream, n, ByLanes<Kernel, W>{kernel}), "launching a kernel");
  }
};

} // namespace tessera
#endif
