#include "cuda/front/block/block_fronts.cuh"
#include "cuda/front/planned_on_device.cuh"
#include "factor/front/determinant.hpp"

namespace tessera {
namespace {

/// LDLᵀ, or LLᵀ.
class CudaDirect : public PlannedOnDevice<FrontPlan>, private SolveHalves {
public:
  CudaDirect(const FrontPlan &plan, FactorKind kind, std::shared_ptr<DeviceQueue> queue)
      : PlannedOnDevice(plan, std::move(queue)), kind_(kind)
  {
    place_fronts();
  }
  ~CudaDirect() override { queue().retire(); }

  SolveHalves *halves() override { return this; }

  ScaledProduct determinant() const override
  {
    return unscaled_determinant(pivots_, given().scale_product, given().scale_product);
  }

private:
  std::unique_ptr<FrontsOnDevice> make_fronts(const FrontPlan &plan) const override
  {
    const DevicePlan fronts = make_device_plan(plan, most_block_rows());
    const LineOrder order{plan.tree.perm, plan.scale};
    return std::unique_ptr<FrontsOnDevice>(
        new FrontsOnDevice{FrontFactor(plan, fronts, queue()), FrontSubstitution(order, order, fronts, queue())});
  }

  PivotRules rules(const DirectOptions &options, double own_bound) const override
  {
    return kind_ == FactorKind::LLT ? definite_rules() : pivot_rules(options, own_bound);
  }
  bool chooses_pivots() const override { return kind_ != FactorKind::LLT; }
  std::vector<double> column_scale() const override { return unpermuted_scale(given()); }

  void accept(const PivotTotals &totals, DirectReport &r) override
  {
    r.two_by_two = Offset(totals.verdict.two_by_two);
    r.one_by_one = rows() - 2 * r.two_by_two;
    r.negative = Offset(totals.negative);
    r.positive = Offset(totals.positive);
    r.zero = rows() - r.negative - r.positive;
    pivots_ = totals.product;
  }

  std::unique_ptr<DirectFactorization> make_search(const FrontPlan &plan) const override
  {
    return kind_ == FactorKind::LLT ? nullptr : make_host_direct(plan, kind_);
  }

  DirectReport::Status failure() const override
  {
    return kind_ == FactorKind::LLT ? DirectReport::NotDefinite : DirectReport::NeedsHost;
  }

  void forward(const double *b, double *y) override
  {
    const DeviceCall call(queue());
    fronts().substitution.run_forward(fronts().factor.view(), b, y);
  }

  void backward(const double *y, double *x) override
  {
    const DeviceCall call(queue());
    fronts().substitution.run_backward(fronts().factor.view(), y, x);
  }

  const FactorKind kind_;
  ScaledProduct pivots_; ///< the product of those of the last factorization
};

} // namespace

std::unique_ptr<DirectFactorization> make_cuda_direct(const FrontPlan &plan, FactorKind kind)
{
  const auto queue = std::make_shared<DeviceQueue>();
  const DeviceCall call(*queue);
  return std::make_unique<CudaDirect>(plan, kind, queue);
}

} // namespace tessera
