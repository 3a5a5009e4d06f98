#ifndef TESSERA_CUDA_FRONT_FRONT_FACTOR_CUH
#define TESSERA_CUDA_FRONT_FRONT_FACTOR_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/front/pivot_report.cuh"
#include "cuda/front/solve/residual.cuh"
#include "cuda/runtime/device_array.cuh"
#include "cuda/runtime/host_value.cuh"
#include "cuda/runtime/recorded_launches.cuh"
#include "factor/front/options.hpp"

namespace tessera {

/// Rules for LDLᵀ and for LU. own_bound: see PivotRules.
PivotRules pivot_rules(const DirectOptions &options, double own_bound);

/// Rules for LLᵀ.
PivotRules definite_rules();

/// A factor by fronts in device memory, and the factorization that makes it: launches in which warps and thread
/// blocks take fronts, or tiles of them, and wait for what these depend on. When they are asked for again, they are
/// replayed as a CUDA graph. The same bits every time.
class FrontFactor {
public:
  /// `queue` must outlive it. column_scale: for LU, [rows] in elimination order.
  FrontFactor(const FrontPlan &plan, const DevicePlan &fronts, const DeviceQueue &queue,
              const std::vector<double> &column_scale = {});

  /// Has the matrix, FrontPlan::matrix, take the caller's values, which are in device memory and may still be queued,
  /// factors it, and waits for the device, once. Where values are not finite, the factor stays as it was. A replay
  /// needs the same matrix, and the caller's values in the same place again. Static pivoting needs a matrix that has
  /// its scale.
  PivotTotals run(DeviceRefinement &matrix, const double *values, const PivotRules &rules);

  /// For LU: makes the scale factors of the matrix those of its plan, row and column, fitted to the values of its last
  /// run, as lu/fit_scale.cuh says. Waits for the device.
  void fit_scale(const DeviceRefinement &matrix, const std::vector<double> &row, const std::vector<double> &column);
  /// For LDLᵀ: takes other scale factors of its plan, [rows] in elimination order. Waits for the device.
  void take_scale(const std::vector<double> &scale);
  /// Scale factors of a side, [rows] in elimination order; and the logarithm of their product over that of the plan's.
  const double *scale(Index side) const { return (side == 0 ? scale_ : column_scale_).data(); }
  long long scale_exponent() const { return scale_exponent_; }

  /// The pivots that the last factorization, which was complete, has left out, `count` <= most_left_out of them, in the
  /// order of their columns. Waits for the device. LDLᵀ: those that are zero, without their masses.
  std::vector<LeftOut> left_out(Offset count) const;

  /// [rows] in elimination order: 1 where a column had no pivot in the last factorization.
  std::vector<std::uint8_t> failed_columns() const;

  /// [rows] in elimination order, where pivots were searched in this factorization or in the last one that did.
  std::vector<SearchedPlace> searched_places() const;

  /// LU: from now on looks for pivots first in the rows of searched_places(). Static pivoting does not.
  void take_row_order();
  /// Looks for them on the diagonal again; returns whether it did not.
  bool forget_row_order();

  FrontFactorView view() const;

  /// Device memory held, in bytes.
  std::int64_t bytes() const;

private:
  /// What launches are given that may differ from one time to the next.
  struct Run {
    const DeviceRefinement *matrix;
    const double *values; ///< the caller's
    PivotRules rules;

    bool operator==(const Run &o) const { return matrix == o.matrix && values == o.values && rules == o.rules; }
  };

  double *factor(Index side) const { return memory_.data() + factor_place_ + side * factor_numbers_; }
  FrontArrays arrays_of(const Run &run) const;
  void queue_factorization(const Run &run, cudaStream_t stream) const;
  void clear_searched_places() const;

  const DeviceQueue &queue_;
  const Index rows_, sides_;
  const std::vector<BlockGroup> block_group_;
  const Offset counts_;                        ///< one for each front, each strip and each tile
  const Offset factor_place_, factor_numbers_; ///< see DevicePlan
  DeviceArray<DeviceFront> front_;
  DeviceArray<Index> child_, to_parent_, scale_row_, scale_column_, warp_order_, block_order_;
  DeviceArray<std::uint32_t> source_, place_, pair_, live_, negative_, swapped_;
  DeviceArray<TilePiece> piece_;
  DeviceArray<TileStrip> strip_;
  DeviceArray<GatheredFirst> gathered_first_;
  DeviceArray<TileTask> tile_order_;
  DeviceArray<Index> tile_ticket_;
  DeviceArray<double> scale_, column_scale_, memory_, pivot_, root_, padding_;
  /// What begins and ends as zeros: the verdict; thread blocks of the report that have ended; and then arrivals, tiles
  /// that are gathered, tiles that are done, [fronts + strips + tiles], and a ticket for each launch.
  DeviceArray<int> zeros_;
  long long scale_exponent_ = 0; ///< see scale_exponent()
  bool are_zeros_ = false;       ///< as is what is found in values; a factorization that went wrong may leave others
  DeviceArray<std::uint8_t> failed_;     ///< [rows] zeros but after a factorization that failed
  DeviceArray<SearchedPlace> searched_;  ///< [rows]
  DeviceArray<SearchedPlace> row_order_; ///< [rows], or nothing, see PivotRules::row_order
  DeviceArray<LeftOut> left_out_;        ///< [most_left_out]
  bool has_failed_ = false;              ///< the last one has
  DeviceArray<PivotSums> part_;          ///< [report_parts]
  HostValue<PivotReport> report_;
  RecordedLaunches<Run> launches_;
};

} // namespace tessera
#endif
