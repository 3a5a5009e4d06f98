#ifndef TESSERA_CUDA_FRONT_SOLVE_RESIDUAL_CUH
#define TESSERA_CUDA_FRONT_SOLVE_RESIDUAL_CUH

#include "base/scalar.hpp"
#include "cuda/front/front_arrays.cuh"
#include "cuda/front/solve/krylov_vectors.cuh"
#include "cuda/runtime/device_array.cuh"
#include "factor/front/flexible_gmres.hpp"
#include "factor/front/front_plan.hpp"
#include "factor/front/options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tessera {

/// A sparse matrix by rows in device memory.
struct DeviceMatrix {
  Index rows, long_rows;
  const Offset *start;
  const Index *column;
  const Index *long_row; ///< [long_rows] rows with so many entries that a thread block has each of them alone
  double *value;
};

/// Iterative refinement in device memory, with the values of the matrix at its last factorization: as
/// host/front/solve/refinement.hpp, for all right-hand sides together. The same bits every time.
class DeviceRefinement {
public:
  /// source: [entries] where the caller stores the values of a matrix with this pattern, mirror: those of the mirror
  /// images, where values are to be compared with them, see FrontPlan. `queue` must outlive it. Throws std::bad_alloc
  /// where 32 bits do not count the caller's values.
  DeviceRefinement(const Pattern &matrix, const std::vector<Offset> &source, const DeviceQueue &queue,
                   const std::vector<Offset> &mirror = {});

  /// Queues a copy of the values of the matrix from the caller's, which are in device memory, and the search for what
  /// is to be found in them: one launch, which lets the next one begin, see Grid. What was found before must have been
  /// cleared, by who was told of it or here.
  void queue_values(const double *values, cudaStream_t stream) const;
  void clear_findings();

  /// Gives the matrix scale factors of its rows and columns, in its order, which queue_largest() needs. Waits for the
  /// device.
  void take_scale(const std::vector<double> &row, const std::vector<double> &column);
  bool has_scale() const { return row_scale_.size() == rows_; }

  /// Queues, after queue_values(), the search for the largest magnitude in the scaled matrix: its bits, where they are
  /// above those that are there.
  void queue_largest(unsigned long long *largest, cudaStream_t stream) const;

  /// [entries of the matrix], and what was found in them: in device memory, always in the same places.
  const double *values() const { return value_.data(); }
  ValueFindings *findings() const { return findings_.data(); }

  /// Is told the findings when they are on the host, for residuals need the norm. Returns -1, or the first row with an
  /// entry that is not finite.
  Index accept(const ValueFindings &findings);
  /// Fetches them itself, of finite values. Waits for the device.
  void fetch_norm();

  /// Queues r = b - A x for `columns` right-hand sides, rows() apart, and returns what each x has. Waits for the
  /// device: so many times four numbers are copied from it.
  const std::vector<MeasuredSolution> &residual(Index columns, const double *b, Offset b_leading, const double *x,
                                                Offset x_leading);

  /// Queues r = b - A x alone, r: [columns, rows].
  void queue_residual(Index columns, const double *b, Offset b_leading, const double *x, Offset x_leading,
                      double *r) const;

  /// Queues the roots of the sums over j of (a_ij v_j)² for each row i and vectors V: [columns, rows], as the roots
  /// are.
  void queue_terms(Index columns, const double *v, double *root) const;

  /// Improves X, solutions of A X = B. solve(columns, r, c): queues c = A⁻¹ r for vectors that are rows() apart, in
  /// device memory. Raises what the report says. Each solution becomes what it would alone.
  template <class Solve>
  void run(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
           const RefinementOptions &options, SolveReport &report, const Solve &solve)
  {
    constexpr Index together = 64;
    for (Index j = 0; j < columns; j += together)
      improve(std::min(together, columns - j), b + j * b_leading, b_leading, x + j * x_leading, x_leading, options,
              report, solve);
  }

  Index rows() const { return rows_; }
  /// Of the matrix: its largest row sum of magnitudes.
  double norm() const { return norm_; }

  /// Bytes that were copied to the host since the last call.
  Offset take_copies() { return std::exchange(copied_, 0); }
  /// Device memory held, in bytes.
  std::int64_t bytes() const;

private:
  template <class Solve>
  void improve(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
               const RefinementOptions &options, SolveReport &report, const Solve &solve);
  /// Iterative refinement. best, steps: [columns], of X and so far.
  template <class Solve>
  void refine(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
              const RefinementOptions &options, std::vector<MeasuredSolution> &best, std::vector<Index> &steps,
              const Solve &solve);
  /// FGMRES for the residual of a solution. best: of x. Returns the steps, none where there is no memory for them.
  template <class Solve>
  Index correct(const double *b, double *x, const RefinementOptions &options, Index most, MeasuredSolution &best,
                const Solve &solve);
  DeviceMatrix matrix() const;
  void make_room(Index columns);
  /// Most solutions need none.
  void make_room_for_steps(Index columns);
  void queue_residual(Index columns, const double *b, Offset b_leading, const double *x, Offset x_leading, double *r,
                      unsigned long long *norms) const;
  void queue_sums(Index columns, const double *x, Offset x_leading);
  void queue_copy(double *to, const double *from);

  const DeviceQueue &queue_;
  Index rows_;
  DeviceArray<Offset> start_;
  DeviceArray<std::uint32_t> source_, mirror_; ///< mirror_: [entries], or none
  DeviceArray<Index> column_, long_row_;
  DeviceArray<double> value_;                          ///< [entries]
  DeviceArray<double> row_scale_, column_scale_;       ///< [rows], or none
  DeviceArray<ValueFindings> findings_;                ///< [1]
  DeviceArray<unsigned long long> largest_;            ///< [columns, 4] bits of norms, see subtract_product()
  DeviceArray<double> residual_, correction_, better_; ///< [columns, rows]
  std::vector<unsigned long long> largest_on_host_;
  std::vector<MeasuredSolution> measured_; ///< by the last residual
  double norm_ = 0;
  Offset copied_ = 0;
};

template <class Solve>
void DeviceRefinement::improve(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
                               const RefinementOptions &options, SolveReport &report, const Solve &solve)
{
  std::vector<MeasuredSolution> best = residual(columns, b, b_leading, x, x_leading);
  std::vector<Index> steps(columns, 0);
  refine(columns, b, b_leading, x, x_leading, options, best, steps, solve);
  for (Index j = 0; j < columns; ++j) {
    if (best[j].error > options.target && std::isfinite(best[j].error) && steps[j] < options.most)
      steps[j] += correct(b + j * b_leading, x + j * x_leading, options, options.most - steps[j], best[j], solve);
    report.singular.take(best[j]);
    report.backward_error = std::max(report.backward_error, best[j].error);
    report.steps = std::max(report.steps, steps[j]);
  }
}

template <class Solve>
void DeviceRefinement::refine(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
                              const RefinementOptions &options, std::vector<MeasuredSolution> &best,
                              std::vector<Index> &steps, const Solve &solve)
{
  std::vector<bool> goes_on(columns, true);
  for (Index step = 0; step < options.most; ++step) {
    bool any = false;
    for (Index j = 0; j < columns; ++j) {
      goes_on[j] = goes_on[j] && best[j].error > options.target;
      any = any || goes_on[j];
    }
    if (!any)
      return;
    make_room_for_steps(columns);
    solve(columns, residual_.data(), correction_.data());
    queue_sums(columns, x, x_leading);
    const std::vector<MeasuredSolution> &now = residual(columns, b, b_leading, better_.data(), rows_);
    for (Index j = 0; j < columns; ++j) {
      if (!goes_on[j])
        continue;
      ++steps[j];
      goes_on[j] = now[j].error <= best[j].error / 2;
      if (!(now[j].error < best[j].error))
        continue;
      queue_copy(x + j * x_leading, better_.data() + Offset(j) * rows_);
      best[j] = now[j];
    }
  }
}

template <class Solve>
Index DeviceRefinement::correct(const double *b, double *x, const RefinementOptions &options, Index most,
                                MeasuredSolution &best, const Solve &solve)
{
  std::unique_ptr<DeviceKrylovVectors> vectors;
  DeviceArray<double> nothing;
  try {
    make_room_for_steps(1);
    nothing = DeviceArray<double>(rows_, queue_);
    vectors = std::make_unique<DeviceKrylovVectors>(
        rows_, most, [&](const double *from, double *to) { solve(1, from, to); },
        [&](const double *from, double *to) { queue_residual(1, nothing.data(), rows_, from, rows_, to); },
        better_.data(), queue_);
  } catch (const std::bad_alloc &) {
    return 0; // the solution is as it was
  }
  check(cudaMemsetAsync(nothing.data(), 0, nothing.bytes(), queue_), "clearing a vector");
  residual(1, b, rows_, x, rows_);
  const double norm = vectors->begin(residual_.data());
  if (!is_good_square(norm * norm))
    return 0;
  queue_copy(better_.data(), x);
  const Index steps = flexible_gmres<double>(*vectors, norm, wanted_residual(norm, best.error, options.target), most);
  copied_ += vectors->bytes_to_host();
  const MeasuredSolution now = residual(1, b, rows_, better_.data(), rows_)[0];
  if (now.error < best.error) {
    queue_copy(x, better_.data());
    best = now;
  }
  return steps;
}

} // namespace tessera
#endif
