#ifndef TESSERA_CUDA_FRONT_SOLVE_SOLVE_CUH
#define TESSERA_CUDA_FRONT_SOLVE_SOLVE_CUH

#include "cuda/front/solve/solve_view.cuh"
#include "cuda/runtime/device_array.cuh"

namespace tessera {

/// The substitutions with a factor by fronts in device memory: a launch for the forward sweep and one for the backward
/// sweep, in which thread blocks wait for the numbers that they need. The same bits every time.
class FrontSubstitution {
public:
  /// `queue` must outlive it.
  FrontSubstitution(const FrontPlan &plan, const DevicePlan &fronts, const DeviceQueue &queue);

  /// Queues X = A⁻¹ B for `columns` right-hand sides in the caller's order and scale; all in device memory. factor:
  /// [factor_numbers], live, negative, swapped: [words] as in DeviceFront. b: [columns, b_leading], x likewise, apart
  /// from b. Right-hand sides are done eight at a time; a single one in launches of its own.
  void run(const double *factor, const std::uint32_t *live, const std::uint32_t *negative, const std::uint32_t *swapped,
           Index columns, const double *b, Offset b_leading, double *x, Offset x_leading);

  /// Queues the halves of that for one right-hand side, y = Pᵀ J z and x from y, as SolveHalves has them. Each of them
  /// marks all vectors as unknown first, which run() need not.
  void run_forward(const double *factor, const std::uint32_t *live, const std::uint32_t *negative,
                   const std::uint32_t *swapped, const double *b, double *y);
  void run_backward(const double *factor, const std::uint32_t *live, const std::uint32_t *negative,
                    const std::uint32_t *swapped, const double *y, double *x);

  /// Device memory held, in bytes.
  std::int64_t bytes() const;

private:
  FrontSubstitution(const FrontPlan &plan, const DevicePlan &fronts, const SolvePlan &solve, const DeviceQueue &queue);

  void make_room(int columns);
  void forget();
  FrontSweep sweep_with(const double *factor, const std::uint32_t *live, const std::uint32_t *negative,
                        const std::uint32_t *swapped) const;
  template <int N>
  void queue_forward(FrontSweep sweep, const double *b, Offset leading);
  template <int N>
  void queue_backward(FrontSweep sweep, double *x, Offset leading);

  const DeviceQueue &queue_;
  Offset rows_, below_, sums_rows_;
  Index most_block_rows_;
  DeviceArray<SolveItem> forward_, backward_;
  DeviceArray<Index> below_row_, perm_;
  DeviceArray<std::uint32_t> source_begin_, source_, sign_;
  DeviceArray<double> scale_;
  DeviceArray<unsigned> ticket_;              ///< [2]
  DeviceArray<double> handed_, z_, x_, sums_; ///< for room_ right-hand sides
  int room_ = 0;
  bool clean_ = false; ///< the last solve was queued to its end, or the vectors are as before the first
};

} // namespace tessera
#endif
