#include "cuda/front/block_fronts.cuh"
#include "cuda/front/front_factor.cuh"
#include "cuda/front/solve/residual.cuh"
#include "cuda/front/solve/solve.cuh"
#include "factor/front/determinant.hpp"
#include "factor/front/direct_factorization.hpp"
#include "host/front/solve/inverse_norm.hpp"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

/// What a plan has in device memory: its fronts, and the substitutions with their factor.
struct FrontsOnDevice {
  FrontFactor factor;
  FrontSubstitution substitution;

  FrontsOnDevice(const FrontPlan &plan, const DeviceQueue &queue)
      : FrontsOnDevice(plan, make_device_plan(plan, most_block_rows()), queue)
  {
  }

private:
  FrontsOnDevice(const FrontPlan &plan, const DevicePlan &fronts, const DeviceQueue &queue)
      : factor(plan, fronts, queue), substitution(plan, fronts, queue)
  {
  }
};

/// A factorization whose numbers are in device memory. It takes the pivots that the plan proposes. Where one of them
/// fails a test, the host factors the matrix, and the plan becomes the one with its pivots, for this matrix and the
/// next ones.
class CudaDirect : public DirectFactorization, private SolveHalves {
public:
  CudaDirect(const FrontPlan &plan, FactorKind kind, std::shared_ptr<DeviceQueue> queue)
      : queue_(std::move(queue)), given_(plan), kind_(kind), fronts_(std::make_unique<FrontsOnDevice>(plan, *queue_)),
        refinement_(plan, *queue_)
  {
  }

  ~CudaDirect() override { queue_->retire(); }

  Place place() const override { return Place::Device; }

  DirectReport factor(const double *values, const DirectOptions &options) override
  {
    const DeviceCall call(*queue_);
    DirectReport r;
    refinement_.queue_values(values);
    PivotTotals totals = run(options);
    const Index bad = refinement_.accept(totals.findings);
    if (bad >= 0) {
      r.status = DirectReport::NonFinite;
      r.failed_row = bad;
      return r;
    }
    while (failed(totals) && kind_ == FactorKind::LDLT && r.searches < most_searches && find_pivots(values, options)) {
      ++r.searches;
      totals = run(options);
    }
    if (failed(totals)) {
      r.status = kind_ == FactorKind::LLT ? DirectReport::NotDefinite : DirectReport::NeedsHost;
      r.failed_row = plan().tree.perm[totals.verdict.failed.row()];
      return r;
    }
    report(totals, r);
    pivots_ = totals.product;
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
          [&](Index n, const double *r, double *c) { substitute(n, r, given_.tree.rows(), c, given_.tree.rows()); });
    return report;
  }

  SolveHalves *halves() override { return this; }

  ScaledProduct determinant() const override
  {
    return unscaled_determinant(pivots_, given_.scale_product, given_.scale_product);
  }

  double norm() const override { return refinement_.norm(); }

  double inverse_norm() override
  {
    const DeviceCall call(*queue_);
    const Index n = given_.tree.rows();
    const DeviceArray<double> b(n, *queue_), y(n, *queue_);
    return estimate_inverse_norm(n, [&](double *x, bool) {
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

  Offset bytes() const override
  {
    return fronts_->factor.bytes() + fronts_->substitution.bytes() + refinement_.bytes();
  }

private:
  void forward(const double *b, double *y) override
  {
    const DeviceCall call(*queue_);
    const FrontFactor &f = fronts_->factor;
    fronts_->substitution.run_forward(f.factor(), f.live(), f.negative(), f.swapped(), b, y);
  }

  void backward(const double *y, double *x) override
  {
    const DeviceCall call(*queue_);
    const FrontFactor &f = fronts_->factor;
    fronts_->substitution.run_backward(f.factor(), f.live(), f.negative(), f.swapped(), y, x);
  }

  void substitute(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading)
  {
    const FrontFactor &f = fronts_->factor;
    fronts_->substitution.run(f.factor(), f.live(), f.negative(), f.swapped(), columns, b, b_leading, x, x_leading);
  }

  static constexpr Index most_searches = 3; ///< for one matrix

  static bool failed(const PivotTotals &totals) { return totals.verdict.failed.any(); }

  const FrontPlan &plan() const { return found_ ? *found_ : given_; }

  PivotTotals run(const DirectOptions &options)
  {
    // Entries of L in a diagonal block cost digits where its inverse is formed. But what the host has found stays.
    constexpr double own_bound = 32;
    const double bound = 1 / options.threshold;
    const PivotTotals totals = fronts_->factor.run(refinement_.values(), refinement_.findings(), options, kind_,
                                                   found_ ? bound : std::min(own_bound, bound));
    copies_.reports += sizeof totals;
    return totals;
  }

  /// Makes the pivots that the host finds those of the plan; returns whether it finds them.
  bool find_pivots(const double *values, const DirectOptions &options)
  {
    if (found_ && found_->flops > 2 * given_.flops)
      forget_pivots();
    std::vector<double> on_host(*std::max_element(given_.source.begin(), given_.source.end()) + 1);
    const std::size_t bytes = on_host.size() * sizeof on_host[0];
    check(cudaMemcpyAsync(on_host.data(), values, bytes, cudaMemcpyDeviceToHost, *queue_), "copying to the host");
    check(cudaStreamSynchronize(*queue_), "copying to the host");
    copies_.to_host += bytes;
    const std::unique_ptr<DirectFactorization> host = make_host_direct(plan(), kind_);
    const DirectReport report = host->factor(on_host.data(), options);
    if (report.status != DirectReport::Complete)
      return false;
    auto next = std::make_unique<FrontPlan>(replan(plan(), host->pivots()));
    delayed_ += report.delayed;
    fronts_.reset(); // its memory is needed
    found_ = std::move(next);
    fronts_ = std::make_unique<FrontsOnDevice>(*found_, *queue_);
    return true;
  }

  /// A plan that has collected too many delayed pivots of other matrices is not built on.
  void forget_pivots()
  {
    found_.reset();
    delayed_ = 0;
  }

  void report(const PivotTotals &totals, DirectReport &r) const
  {
    r.two_by_two = Offset(totals.verdict.two_by_two);
    r.one_by_one = given_.tree.rows() - 2 * r.two_by_two;
    r.negative = Offset(totals.negative);
    r.positive = Offset(totals.positive);
    r.zero = given_.tree.rows() - r.negative - r.positive;
    r.uncertain = Offset(totals.verdict.uncertain);
    r.delayed = delayed_;
    r.entries = plan().factor_entries;
    r.flops = plan().flops;
    r.largest = totals.largest;
  }

  std::shared_ptr<DeviceQueue> queue_; ///< before what is freed in its order
  const FrontPlan &given_;
  const FactorKind kind_;
  std::unique_ptr<FrontPlan> found_; ///< with pivots that the host has found, or null
  std::unique_ptr<FrontsOnDevice> fronts_;
  DeviceRefinement refinement_;
  Offset delayed_ = 0;   ///< columns that are not in the front in which the given plan has them, counted by fronts
  ScaledProduct pivots_; ///< the product of those of the last factorization
  Copies copies_;
};

} // namespace

std::unique_ptr<DirectFactorization> make_cuda_direct(const FrontPlan &plan, FactorKind kind)
{
  const auto queue = std::make_shared<DeviceQueue>();
  const DeviceCall call(*queue);
  return std::make_unique<CudaDirect>(plan, kind, queue);
}

} // namespace tessera
