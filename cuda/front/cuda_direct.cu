#include "cuda/front/block_fronts.cuh"
#include "cuda/front/front_factor.cuh"
#include "cuda/front/residual.cuh"
#include "cuda/front/solve.cuh"
#include "factor/front/determinant.hpp"
#include "factor/front/direct_factorization.hpp"
#include "host/front/inverse_norm.hpp"

#include <utility>

namespace tessera {
namespace {

/// A factorization whose numbers are in device memory. It takes the pivots that the plan proposes; where one of them
/// fails a test it has no factor.
class CudaDirect : public DirectFactorization, private SolveHalves {
public:
  CudaDirect(const FrontPlan &plan, FactorKind kind, std::shared_ptr<DeviceQueue> queue, const DevicePlan &fronts)
      : queue_(std::move(queue)), plan_(plan), kind_(kind), factor_(plan, fronts, *queue_),
        substitution_(plan, fronts, *queue_), refinement_(plan, *queue_)
  {
  }

  ~CudaDirect() override { queue_->retire(); }

  Place place() const override { return Place::Device; }

  DirectReport factor(const double *values, const DirectOptions &options) override
  {
    const DeviceCall call(*queue_);
    DirectReport r;
    const Index bad = refinement_.set_values(values);
    if (bad >= 0) {
      r.status = DirectReport::NonFinite;
      r.failed_row = bad;
      return r;
    }
    const PivotTotals totals = factor_.run(values, options, kind_);
    copies_.reports += sizeof totals;
    if (totals.verdict.failed != ~0ull) {
      r.status = kind_ == FactorKind::LLT ? DirectReport::NotDefinite : DirectReport::NeedsHost;
      r.failed_row = plan_.tree.perm[totals.verdict.failed];
      return r;
    }
    report(totals, r);
    return r;
  }

  SolveReport solve(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
                    const RefinementOptions &refinement) override
  {
    const DeviceCall call(*queue_);
    substitute(columns, b, b_leading, x, x_leading);
    SolveReport report;
    if (refinement.most > 0)
      refinement_.run(
          columns, b, b_leading, x, x_leading, refinement, report,
          [&](Index n, const double *r, double *c) { substitute(n, r, plan_.tree.rows(), c, plan_.tree.rows()); });
    return report;
  }

  SolveHalves *halves() override { return this; }

  double norm() const override { return refinement_.norm(); }

  double inverse_norm() override
  {
    const DeviceCall call(*queue_);
    const Index n = plan_.tree.rows();
    const DeviceArray<double> b(n, *queue_), y(n, *queue_);
    return estimate_inverse_norm(n, [&](double *x) {
      check(cudaMemcpyAsync(b.data(), x, b.bytes(), cudaMemcpyHostToDevice, *queue_), "copying to the device");
      substitute(1, b.data(), n, y.data(), n);
      check(cudaMemcpyAsync(x, y.data(), y.bytes(), cudaMemcpyDeviceToHost, *queue_), "copying to the host");
      check(cudaStreamSynchronize(*queue_), "solving");
      copies_.to_device += b.bytes();
      copies_.to_host += y.bytes();
    });
  }

  Copies take_copies() override
  {
    Copies copies = std::exchange(copies_, {});
    copies.reports += refinement_.take_copies();
    return copies;
  }

  Offset bytes() const override { return factor_.bytes() + substitution_.bytes() + refinement_.bytes(); }

private:
  void forward(const double *b, double *y) override
  {
    const DeviceCall call(*queue_);
    substitution_.run_forward(factor_.factor(), factor_.live(), factor_.negative(), factor_.swapped(), b, y);
  }

  void backward(const double *y, double *x) override
  {
    const DeviceCall call(*queue_);
    substitution_.run_backward(factor_.factor(), factor_.live(), factor_.negative(), factor_.swapped(), y, x);
  }

  void substitute(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading)
  {
    substitution_.run(factor_.factor(), factor_.live(), factor_.negative(), factor_.swapped(), columns, b, b_leading, x,
                      x_leading);
  }

  void report(const PivotTotals &totals, DirectReport &r) const
  {
    r.two_by_two = Offset(totals.verdict.two_by_two);
    r.one_by_one = plan_.tree.rows() - 2 * r.two_by_two;
    r.negative = Offset(totals.negative);
    r.positive = Offset(totals.positive);
    r.uncertain = Offset(totals.verdict.uncertain);
    r.entries = plan_.factor_entries;
    r.flops = plan_.flops;
    r.largest = totals.largest;
    set_determinant(totals.product, plan_.scale, r);
  }

  std::shared_ptr<DeviceQueue> queue_; ///< before what is freed in its order
  const FrontPlan &plan_;
  const FactorKind kind_;
  FrontFactor factor_;
  FrontSubstitution substitution_;
  DeviceRefinement refinement_;
  Copies copies_;
};

} // namespace

std::unique_ptr<DirectFactorization> make_cuda_direct(const FrontPlan &plan, FactorKind kind)
{
  const auto queue = std::make_shared<DeviceQueue>();
  const DeviceCall call(*queue);
  const DevicePlan fronts = make_device_plan(plan, most_block_rows());
  return std::make_unique<CudaDirect>(plan, kind, queue, fronts);
}

} // namespace tessera
