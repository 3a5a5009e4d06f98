#ifndef TESSERA_CUDA_FRONT_FRONT_FACTOR_CUH
#define TESSERA_CUDA_FRONT_FRONT_FACTOR_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/front/pivot_report.cuh"
#include "cuda/runtime/device_array.cuh"
#include "factor/front/options.hpp"

namespace tessera {

/// A factor by fronts in device memory, and the factorization that makes it: three launches in which warps and thread
/// blocks take fronts, or tiles of them, and wait for what these depend on. The same bits every time.
class FrontFactor {
public:
  /// `queue` must outlive it.
  FrontFactor(const FrontPlan &plan, const DevicePlan &fronts, const DeviceQueue &queue);

  /// Factors the matrix with these values, in device memory, and waits for the device. own_bound: see PivotRules.
  PivotTotals run(const double *values, const DirectOptions &options, FactorKind kind, double own_bound);

  const double *factor() const { return factor_.data(); }
  const std::uint32_t *live() const { return live_.data(); }
  const std::uint32_t *negative() const { return negative_.data(); }
  const std::uint32_t *swapped() const { return swapped_.data(); }

  /// Device memory held, in bytes.
  std::int64_t bytes() const;

private:
  void queue_factorization(const FrontArrays &arrays);

  const DeviceQueue &queue_;
  const Index rows_, block_rows_;
  const Offset counts_; ///< fronts and tiles
  DeviceArray<DeviceFront> front_;
  DeviceArray<Index> child_, to_parent_, scale_row_, scale_column_, warp_order_, block_order_;
  DeviceArray<Offset> source_;
  DeviceArray<std::uint32_t> place_, pair_, live_, negative_, swapped_;
  DeviceArray<TilePiece> piece_;
  DeviceArray<TileTask> tile_order_;
  DeviceArray<double> scale_, factor_, contribution_, pivot_, root_;
  DeviceArray<int> count_; ///< [fronts + tiles + 3]: arrivals, tiles that are done, tickets
  DeviceArray<FrontVerdict> verdict_;
  DeviceArray<PivotTotals> totals_; ///< [report_parts + 1], the last of them of all pivots
};

} // namespace tessera
#endif
