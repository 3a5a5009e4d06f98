#ifndef TESSERA_CUDA_SOLVE_ROW_LIST_CUH
#define TESSERA_CUDA_SOLVE_ROW_LIST_CUH

#include "cuda/runtime/device_array.cuh"
#include "factor/bildlt/solve_places.hpp"

namespace tessera {

/// The rows of bundles entry by entry, as a sweep reads them, in steps: of a bundle whose longest row has n entries,
/// step n - 1 has the last entry of each row, step n - 2 the last but one of each that has one, and so on, so that the
/// lanes of a warp, a row each, read what lies together. Rows end together because their last entries are the last to
/// be known.
template <class T>
struct RowListView {
  const T *value;
  const Index *target;        ///< row of the solution that each entry meets
  const double *inverse;      ///< rows of L⁻¹ P of each block, or of its transpose, in the same order
  const std::uint8_t *length; ///< [rows] entries of each, those of the inverse not counted
};

/// The memory of such a list. Filled after each factorization.
template <class T>
struct RowList {
  DeviceArray<T> value;
  DeviceArray<Index> target;
  DeviceArray<double> inverse;
  DeviceArray<std::uint8_t> length;
  DeviceArray<Offset> start; ///< [bundles + 1] of each in `value`

  RowList(const SolveOrder &order, const DeviceQueue &queue)
      : inverse(order.inverse_entries, queue), length(order.in_bundles ? Offset(order.perm.size()) : 0, queue),
        start(Offset(order.bundles.size()) + 1, queue)
  {
  }

  /// Sees to it that there is room for so many entries.
  void reserve(Offset entries, const DeviceQueue &queue)
  {
    if (target.size() >= entries) // the last one to be allocated
      return;
    value = DeviceArray<T>(entries, queue);
    target = DeviceArray<Index>(entries, queue);
  }

  RowListView<T> view() const { return {value.data(), target.data(), inverse.data(), length.data()}; }
  std::int64_t bytes() const
  {
    return value.bytes() + target.bytes() + inverse.bytes() + length.bytes() + start.bytes();
  }
};

} // namespace tessera
#endif
