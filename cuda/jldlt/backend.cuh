#ifndef TESSERA_CUDA_JLDLT_BACKEND_CUH
#define TESSERA_CUDA_JLDLT_BACKEND_CUH

#include "cuda/jldlt/sweep.cuh"
#include "cuda/lanes/invert_by_columns.cuh"
#include "cuda/lanes/shared_group_memory.cuh"
#include "cuda/runtime/device_array.cuh"
#include "cuda/runtime/device_limits.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"
#include "factor/jldlt/factor.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cuda_pipeline.h>

namespace tessera {

/// A group of lanes that does items by itself, as factor/jldlt/contract.hpp wants it.
template <int W>
struct CudaLanes : CudaGroup<W> {
  template <class T>
  using schur = CudaSchur<W, T, SharedGroupMemory<W>>;

  static TESSERA_COLLECTIVE int first_item() { return CudaGroup<W>::rank(); }
  static TESSERA_COLLECTIVE int item_step() { return W; }
  static TESSERA_COLLECTIVE double load_kept(std::uint32_t mask, const double *p)
  {
    const int i = CudaGroup<W>::rank();
    return mask >> i & 1 ? p[place_of_column(mask, i)] : 0;
  }
  static TESSERA_COLLECTIVE void invert_lower(const double *L, int ld, int n, const std::int32_t *perm, double *X,
                                              int ldx)
  {
    invert_by_columns<W>(L, ld, n, perm, X, ldx,
                         SharedGroupMemory<W>::of_group()); // the Schur complement has been there
  }
  /// In shared memory, columns an odd number of entries apart: a row in global memory is as many sectors as entries
  static TESSERA_COLLECTIVE TileRows by_rows(const double *p, int stride, int rows, int columns)
  {
    const int lane = CudaGroup<W>::rank();
    double *const shared = SharedGroupMemory<W>::of_group();
    for (int c = 0; c < columns; ++c)
      if (lane < rows)
        __pipeline_memcpy_async(shared + c * (W + 1) + lane, p + c * stride + lane, sizeof(double));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    CudaGroup<W>::sync();
    return {shared, W + 1};
  }
};

template <class Kernel, int W>
struct ByLanes {
  Kernel kernel;

  TESSERA_COLLECTIVE void operator()(const CudaGroup<W> &, std::int64_t item) const { kernel(CudaLanes<W>{}, item); }
};

/// Items of all widths, and the thread blocks that run them: those of class w are block[w] .. block[w + 1] - 1.
struct ItemBlocks {
  WidthRanges items;
  unsigned block[5];
};

/// Thread blocks that an SM has registers for: a factorization holds a tile, all others wait for memory.
template <class Kernel>
constexpr int widths_blocks = 12;
template <Pivoting P>
constexpr int widths_blocks<FactorTile<P>> = 7;

/// Runs kernel(group of 4 << w lanes, item) for the items of all classes: one launch, as most are short.
template <class Kernel>
__global__ void __launch_bounds__(launch_threads, widths_blocks<Kernel>)
    run_widths(const ItemBlocks blocks, const Kernel kernel)
{
  const auto run = [&](auto width_class) {
    constexpr int w = decltype(width_class)::value, lanes = 4 << w;
    const Offset i =
        blocks.items.begin[w] + (Offset(blockIdx.x - blocks.block[w]) * launch_threads + threadIdx.x) / lanes;
    if (i < blocks.items.end[w]) // the others leave their warp, and its collective operations go on without them
      kernel(CudaLanes<lanes>{}, i);
  };
  if (blockIdx.x < blocks.block[1])
    run(std::integral_constant<int, 0>());
  else if (blockIdx.x < blocks.block[2])
    run(std::integral_constant<int, 1>());
  else if (blockIdx.x < blocks.block[3])
    run(std::integral_constant<int, 2>());
  else
    run(std::integral_constant<int, 3>());
}

template <class Function>
__global__ void __launch_bounds__(256) run_each(Offset n, const Function f)
{
  const Offset i = Offset(blockIdx.x) * 256 + threadIdx.x;
  if (i < n)
    f(i);
}

/// A CUDA device as a backend (factor/jldlt/contract.hpp). Work is queued in the order of a queue.
class DeviceBackend {
public:
  template <class T>
  using Array = DeviceArray<T>;

  const DeviceQueue &stream;
  Offset reports = 0; ///< bytes downloaded

  explicit DeviceBackend(const DeviceQueue &queue) : stream(queue) {}

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
    return download(array, array.size());
  }
  template <class T>
  std::vector<T> download(const Array<T> &array, Offset n)
  {
    std::vector<T> values(static_cast<std::size_t>(n));
    if (!values.empty())
      check(cudaMemcpyAsync(values.data(), array.data(), n * sizeof(T), cudaMemcpyDeviceToHost, stream),
            "copying to the host");
    check(cudaStreamSynchronize(stream), "copying to the host");
    reports += n * Offset(sizeof(T));
    return values;
  }
  /// Waits for everything queued.
  void finish() { check(cudaStreamSynchronize(stream), "waiting for the device"); }
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
    check(launch_kernel(run_each<Function>, {thread_blocks(n, 256), 256, 0, stream}, n, f), "launching a kernel");
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

  template <int W, class Kernel>
  void run(Offset n, const Kernel &kernel)
  {
    check(launch<W, 4>(stream, n, ByLanes<Kernel, W>{kernel}), "launching a kernel");
  }

  template <class Kernel>
  void run_by_width(const WidthRanges &items, const Kernel &kernel)
  {
    ItemBlocks blocks = {items, {}};
    for (int w = 0; w < width_classes; ++w) {
      const int in_block = launch_threads / (4 << w);
      const Offset n = items.end[w] - items.begin[w];
      blocks.block[w + 1] = blocks.block[w] + thread_blocks(n, in_block);
    }
    if (blocks.block[4] == 0)
      return;
    check(launch_kernel(run_widths<Kernel>, {blocks.block[4], launch_threads, 0, stream}, blocks, kernel),
          "launching a kernel");
  }

  template <class Step>
  void sweep(const WidthRanges &ranges, const typename Step::Item *items, const JacobiView &v, Index largest_block)
  {
    Offset n = 0;
    for (int w = 0; w < width_classes; ++w)
      n += ranges.end[w] - ranges.begin[w];
    if (n == 0)
      return;
    const unsigned blocks = thread_blocks(n, sweep_warps);
    const auto kernel = !device_limits().tensor_cores ? run_sweep_step<Step, 32, FmaProducts>
                        : largest_block <= 8          ? run_sweep_step<Step, 8, TensorProducts>
                                                      : run_sweep_step<Step, 32, TensorProducts>;
    check(launch_kernel(kernel, {blocks, 32 * sweep_warps, 0, stream}, ranges, items, v), "launching a sweep");
  }
};

} // namespace tessera
#endif
