#include "support/direct_backend.hpp"

#include "base/permute.hpp"

#include <cuda_runtime.h>
#include <stdexcept>
#include <utility>

namespace tessera::test {

const bool direct_on_device = true;

namespace {

void check(cudaError_t error)
{
  if (error != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(error));
}

/// A copy in device memory of numbers on the host.
class DeviceNumbers {
public:
  DeviceNumbers(const double *x, Offset size) : bytes_(std::size_t(size) * sizeof *x)
  {
    check(cudaMalloc(&on_device_, bytes_ + 1));
    check(cudaMemcpy(on_device_, x, bytes_, cudaMemcpyHostToDevice));
  }
  DeviceNumbers(const DeviceNumbers &) = delete;
  DeviceNumbers &operator=(const DeviceNumbers &) = delete;
  ~DeviceNumbers() { cudaFree(on_device_); }

  double *data() const { return on_device_; }
  /// Waits for the device.
  void copy_to(double *x) const
  {
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(x, on_device_, bytes_, cudaMemcpyDeviceToHost));
  }

private:
  std::size_t bytes_;
  double *on_device_ = nullptr;
};

/// A factorization in device memory for arrays on the host.
class FromHost : public DirectFactorization, private SolveHalves {
public:
  FromHost(const FrontPlan &plan, std::unique_ptr<DirectFactorization> made)
      : rows_(plan.tree.rows()), values_(count_sources(plan.source)), made_(std::move(made))
  {
  }

  Place place() const override { return Place::Host; }

  DirectReport factor(const double *values, const DirectOptions &options) override
  {
    return made_->factor(DeviceNumbers(values, values_).data(), options);
  }

  SolveReport solve(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
                    const RefinementOptions &refinement) override
  {
    const DeviceNumbers right(b, size(columns, b_leading)), left(x, size(columns, x_leading));
    const SolveReport report = made_->solve(columns, right.data(), b_leading, left.data(), x_leading, refinement);
    left.copy_to(x);
    return report;
  }

  SolveReport solve_transposed(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
                               const RefinementOptions &refinement) override
  {
    const DeviceNumbers right(b, size(columns, b_leading)), left(x, size(columns, x_leading));
    const SolveReport report =
        made_->solve_transposed(columns, right.data(), b_leading, left.data(), x_leading, refinement);
    left.copy_to(x);
    return report;
  }

  SolveHalves *halves() override { return this; }
  ScaledProduct determinant() const override { return made_->determinant(); }
  double norm() const override { return made_->norm(); }
  double inverse_norm() override { return made_->inverse_norm(); }
  Offset bytes() const override { return made_->bytes(); }
  Copies take_copies() override { return made_->take_copies(); } ///< of the device

private:
  Offset size(Index columns, Offset leading) const { return columns > 0 ? (columns - 1) * leading + rows_ : 0; }

  void forward(const double *b, double *y) override
  {
    const DeviceNumbers from(b, rows_), to(y, rows_);
    made_->halves()->forward(from.data(), to.data());
    to.copy_to(y);
  }

  void backward(const double *y, double *x) override
  {
    const DeviceNumbers from(y, rows_), to(x, rows_);
    made_->halves()->backward(from.data(), to.data());
    to.copy_to(x);
  }

  const Index rows_;
  const Offset values_;
  std::unique_ptr<DirectFactorization> made_;
};

} // namespace

std::unique_ptr<DirectFactorization> make_direct(const FrontPlan &plan, FactorKind kind)
{
  return std::make_unique<FromHost>(plan, make_cuda_direct(plan, kind));
}

std::unique_ptr<DirectFactorization> make_direct_lu(const LuPlan &plan)
{
  return std::make_unique<FromHost>(plan.fronts, make_cuda_lu(plan));
}

} // namespace tessera::test
