#include "cuda/bildlt/device_structure.cuh"
#include "cuda/jldlt/backend.cuh"
#include "cuda/runtime/device_queue.hpp"
#include "cuda/runtime/staging.cuh"
#include "cuda/solve/block_solver.cuh"
#include "factor/jldlt/factorization.hpp"
#include "factor/jldlt/level_solve.hpp"

namespace tessera {
namespace {

/// Solves by levels with a published factor, as LevelSolve wants them.
struct LevelSolver {
  DeviceStructure structure;
  BlockSolver<double> solver;

  LevelSolver(const BlockStructure &s, const std::vector<double> &scale, DeviceBackend &backend)
      : structure(s, backend.stream), solver(s, scale, backend.stream)
  {
    backend.finish();
  }

  void renew(const PublishedFactor<DeviceBackend> &factor, DeviceBackend &backend)
  {
    solver.queue_listing(structure.view(), factor.view(), factor.columns().data(), factor.columns().size(),
                         backend.stream);
  }
  Offset bytes() const { return structure.bytes() + solver.bytes(); }
};

class CudaJacobi : public JacobiFactorization {
public:
  /// In a call of the queue
  CudaJacobi(const Analysis &analysis, std::shared_ptr<DeviceQueue> queue_of_calls)
      : queue_(std::move(queue_of_calls)), limits_(device_limits()), backend_(*queue_), d_(analysis.structure, queue()),
        factor_(analysis.structure, backend_), perm_(analysis.structure.perm, queue()), scale_(analysis.scale, queue()),
        rhs_(d_.rows, queue()), x_(d_.rows, queue()), work_(d_.rows, queue()),
        solve_(backend_, analysis.structure, analysis.scale)
  {
    staging_.copies.to_device = d_.bytes() + perm_.bytes() + scale_.bytes();
  }

  ~CudaJacobi() override { queue_->retire(); }

  JacobiReport factor(const double *values, Place values_in, const JacobiOptions &options) override
  {
    const DeviceCall call(*queue_);
    values = staging_.on_device(values, values_in, d_.sources, values_, queue());
    JacobiReport report = factor_.factor(d_.values(values), options);
    solve_.forget(report, factor_);
    return report;
  }

  void set_apply_sweeps(Index sweeps) override { apply_sweeps_ = sweeps; }

  void prepare_apply() override
  {
    const DeviceCall call(*queue_);
    if (apply_sweeps_ == 0)
      solve_.renew(factor_);
  }

  void apply(const double *r, Place r_in, double *z, Place z_in, bool definite) override
  {
    const DeviceCall call(*queue_);
    r = staging_.on_device(r, r_in, d_.rows, r_, queue());
    double *const result = staging_.result(z, z_in, d_.rows, z_, queue());
    if (apply_sweeps_ > 0) {
      backend_.each(d_.rows, PermuteIn{perm_.data(), scale_.data(), r, rhs_.data()});
      factor_.substitute(apply_sweeps_, definite, rhs_.data(), x_.data(), work_.data());
      backend_.each(d_.rows, PermuteOut{perm_.data(), scale_.data(), rhs_.data(), result});
    } else {
      solve_.renew(factor_);
      solve_.solver().solver.queue(solve_.solver().structure.view(), solve_.view(), r, result, definite, queue());
    }
    staging_.deliver(r_in, result, z, z_in, d_.rows, queue());
  }

  Place place() const override { return Place::Device; }

  Offset bytes() const override
  {
    return factor_.bytes() + d_.bytes() + solve_.bytes() + perm_.bytes() + scale_.bytes() + rhs_.bytes() + x_.bytes() +
           work_.bytes() + values_.bytes() + r_.bytes() + z_.bytes();
  }

  double share_of_memory(int processes) const override
  {
    const WithDevice device(queue_->device());
    return device_memory() / processes;
  }

  std::string machine() const override { return in_words(limits_); }

  std::string remark() const override { return remark_on(limits_); }

  FactorCopy copy() override
  {
    const DeviceCall call(*queue_);
    solve_.renew(factor_);
    return solve_.copy(factor_);
  }

  Copies take_copies() override
  {
    staging_.copies.reports += std::exchange(backend_.reports, 0);
    return staging_.take_copies();
  }

private:
  const DeviceQueue &queue() const { return *queue_; }

  std::shared_ptr<DeviceQueue> queue_; ///< before what is freed in its order
  const DeviceLimits &limits_;
  DeviceBackend backend_;
  DeviceStructure d_;
  JacobiFactor<DeviceBackend> factor_;
  DeviceArray<Index> perm_;
  DeviceArray<double> scale_, rhs_, x_, work_;
  DeviceArray<double> values_, r_, z_; ///< copies of what the caller keeps on the host
  LevelSolve<DeviceBackend, LevelSolver> solve_;
  Index apply_sweeps_ = 0;
  Staging staging_;
};

} // namespace

std::unique_ptr<JacobiFactorization> make_cuda_jacobi(const Analysis &analysis)
{
  const auto queue = std::make_shared<DeviceQueue>();
  const DeviceCall call(*queue);
  return std::make_unique<CudaJacobi>(analysis, queue);
}

} // namespace tessera
