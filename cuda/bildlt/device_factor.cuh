#ifndef TESSERA_CUDA_BILDLT_DEVICE_FACTOR_CUH
#define TESSERA_CUDA_BILDLT_DEVICE_FACTOR_CUH

#include "analysis/tiles/block_structure.hpp"
#include "cuda/runtime/value_pool.cuh"
#include "factor/bildlt/factor_copy.hpp"

#include <numeric>

namespace tessera {

/// Storage of a block factor in device memory; shapes as in FactorView. Allocated for a structure, but for the values
/// above the diagonal tiles, whose pool starts empty.
template <class T>
class DeviceFactor {
public:
  DeviceFactor(const BlockStructure &structure, const DeviceQueue &queue)
      : inverse_start(inverse_starts(structure), queue), inverse(inverse_starts(structure).back(), queue),
        d(structure.rows, queue), e(structure.rows, queue),
        first(structure.tiles.upper.entries() + structure.blocks(), queue), value(structure.blocks(), queue),
        column(structure.blocks(), queue), columns(columns_above(structure), queue)
  {
  }

  FactorView<T> view() const
  {
    return {inverse.data(), inverse_start.data(), d.data(), e.data(), first.data(), value.data(), column.data()};
  }

  Offset bytes() const
  {
    return inverse_start.bytes() + inverse.bytes() + d.bytes() + e.bytes() + first.bytes() + value.bytes() +
           column.bytes() + columns.bytes() + pool.bytes();
  }

  /// Entries of the diagonal tiles, of which the triangle counts.
  Offset diagonal_entries() const { return (inverse.size() + d.size()) / 2; }

  /// A copy in host memory, once the stream has done what is queued.
  FactorCopy copy(const BlockStructure &s, cudaStream_t stream) const
  {
    FactorCopy copy;
    download(inverse.data(), inverse.size(), copy.inverse, stream);
    download(d.data(), d.size(), copy.d, stream);
    download(e.data(), e.size(), copy.e, stream);
    download(first.data(), first.size(), copy.first, stream);
    std::vector<T *> value_of;
    std::vector<std::uint8_t *> column_of;
    download(value.data(), value.size(), value_of, stream);
    download(column.data(), column.size(), column_of, stream);
    std::vector<T> values;
    for (Index b = 0; b < s.blocks(); ++b) {
      const Index kept = copy.first[s.tiles.upper.start[b + 1] + b];
      download(value_of[b], Offset(kept) * s.block_rows(b), values, stream);
      download(column_of[b], kept, copy.column, stream);
    }
    copy.value.assign(values.begin(), values.end());
    return copy;
  }

  DeviceArray<Offset> inverse_start;
  DeviceArray<double> inverse, d, e;
  DeviceArray<Index> first;
  DeviceArray<T *> value;
  DeviceArray<std::uint8_t *> column;
  DeviceArray<std::uint8_t> columns; ///< what `column` points to: room for every column above the diagonal tiles
  ValuePool<T> pool;                 ///< what `value` points to

private:
  static std::vector<Offset> inverse_starts(const BlockStructure &s)
  {
    std::vector<Offset> start(s.blocks() + 1, 0);
    for (Index b = 0; b < s.blocks(); ++b)
      start[b + 1] = start[b] + Offset(s.block_rows(b)) * s.block_rows(b);
    return start;
  }

  static Offset columns_above(const BlockStructure &s)
  {
    return std::accumulate(s.panel_width.begin(), s.panel_width.end(), Offset(0)) - s.rows;
  }

  /// Appends n values of device memory.
  template <class X>
  static void download(const X *from, Offset n, std::vector<X> &to, cudaStream_t stream)
  {
    to.resize(to.size() + n);
    if (n > 0)
      check(cudaMemcpyAsync(to.data() + to.size() - n, from, n * sizeof(X), cudaMemcpyDeviceToHost, stream),
            "copying a factor to the host");
    check(cudaStreamSynchronize(stream), "copying a factor to the host");
  }
};

} // namespace tessera
#endif
