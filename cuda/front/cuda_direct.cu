#include "cuda/front/block/block_fronts.cuh"
#include "cuda/front/bordered_on_device.cuh"
#include "factor/front/determinant.hpp"
#include "factor/front/rescale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera {
namespace {

/// LDLᵀ, or LLᵀ.
class CudaDirect : public BorderedOnDevice<FrontPlan>, private SolveHalves {
public:
  CudaDirect(const FrontPlan &plan, FactorKind kind, std::shared_ptr<DeviceQueue> queue)
      : BorderedOnDevice(plan, std::move(queue)), kind_(kind)
  {
    place_fronts();
  }
  ~CudaDirect() override { queue().retire(); }

  SolveHalves *halves() override { return this; }

  ScaledProduct determinant() const override
  {
    ScaledProduct scaled = pivots_;
    if (zeros_ > (border() ? border()->vectors() : 0))
      scaled = {0, 0};
    else if (border())
      scaled.times(border()->determinant());
    return unscaled_determinant(scaled, plan().scale_product, plan().scale_product);
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
    if (kind_ == FactorKind::LLT)
      return definite_rules();
    PivotRules rules = pivot_rules(options, own_bound);
    rules.uncertain = std::max(rules.uncertain, rows() * std::numeric_limits<double>::epsilon());
    if (leaves_out() && !options.is_static()) {
      rules.zero = rules.uncertain;
      rules.measures = measures();
    }
    return rules;
  }
  bool chooses_pivots() const override { return kind_ != FactorKind::LLT; }
  std::vector<double> column_scale() const override { return row_scale(); }

  /// Those of a matching or an equilibration of these values, by the host.
  NewScale renew_scale(const double *values) override
  {
    if (!chooses_pivots() || given().preprocessing == Preprocessing::None)
      return NewScale::None;
    const std::vector<double> on_host = fetch(values);
    if (scale_fits(plan(), on_host.data()) || !rescale(own_plan(), on_host.data()))
      return NewScale::None;
    FrontFactor &factor = fronts().factor;
    factor.take_scale(plan().scale);
    fronts().substitution.take_scale(factor.scale(0), factor.scale(0));
    forget_growth_vectors();
    copies().to_device += Offset(rows()) * sizeof(double);
    return NewScale::OfThePlan;
  }

  void accept(const PivotTotals &totals, DirectReport &r) override
  {
    r.two_by_two = Offset(totals.verdict.two_by_two);
    r.one_by_one = rows() - 2 * r.two_by_two;
    r.negative = Offset(totals.negative);
    r.positive = Offset(totals.positive);
    r.zero = rows() - r.negative - r.positive;
    zeros_ = r.zero;
    pivots_ = totals.product;
  }

  void add_inertia(const MeasuredZeros &measured, DirectReport &r) const override
  {
    r.negative += measured.negative;
    r.positive += r.zero - measured.zero - measured.negative;
  }

  /// Where many pivots are zero, what rounding leaves of their columns may be larger than their masses explain. More
  /// than can be measured are left out when the host has found no better ones.
  bool leave_out(const double *values, const DirectOptions &options, bool may_search, DirectReport &r) override
  {
    return chooses_pivots() &&
           factor_without(values, options, !may_search, r, [](const DirectReport &) { return true; });
  }

  Measurement measure(const double *b, const double *by) override
  {
    const Index n = rows();
    const std::vector<LeftOut> pivots = fronts().factor.left_out(zeros_);
    Measurement m;
    for (const LeftOut &p : pivots)
      m.row.push_back(plan().tree.perm[p.row]);
    m.right = std::make_unique<LeftOutVectors>(m.row, refinement(), b, queue());
    SchurMeasurement schur(*m.right, *m.right, refinement(), queue());
    const SolveWithout solve = [this, n](Index columns, const double *from, double *x) {
      substitute(false, columns, from, n, x, n);
    };
    m.right->find([&](Index columns, const double *from, double *x) {
      const DeviceArray<double> half(Offset(columns) * n, queue());
      fronts().substitution.run(fronts().factor.view(), false, columns, from, n, x, n, half.data());
      schur.queue_masses(half.data());
    });
    m.right->refine(solve);
    schur.queue_schur(by);
    schur.fetch();
    m.zeros = judge(schur, schur.schur(), judge_zeros, solve);
    for (const LeftOut &p : pivots)
      for (const double factor : {p.row_scale, p.column_scale})
        m.zeros.determinant.times(factor);
    m.growth = schur.growth();
    m.has_unit_vectors = schur.has_unit_vectors();
    return m;
  }

  Offset most_measured() const override { return most_left_out; }
  bool may_leave_out_many() const override { return chooses_pivots(); }

  std::unique_ptr<DirectFactorization> make_search(const FrontPlan &plan) const override
  {
    return kind_ == FactorKind::LLT ? nullptr : make_host_direct(plan, kind_);
  }

  DirectReport::Status failure() const override
  {
    if (kind_ == FactorKind::LLT)
      return DirectReport::NotDefinite;
    return gives_up() ? DirectReport::Cascade : DirectReport::NeedsHost;
  }

  void forward(const double *b, double *y) override
  {
    const DeviceCall call(queue());
    fronts().substitution.run_forward(fronts().factor.view(), b, y);
    if (border())
      border()->queue_forward(b, y);
  }

  void backward(const double *y, double *x) override
  {
    const DeviceCall call(queue());
    const double *const without = border() ? border()->queue_without_rows(y) : y;
    fronts().substitution.run_backward(fronts().factor.view(), without, x);
    if (border())
      border()->queue_backward(y, x);
  }

  const FactorKind kind_;
  Offset zeros_ = 0;     ///< pivots of the last factorization that are zero,
  ScaledProduct pivots_; ///< and the product of the others
};

} // namespace

std::unique_ptr<DirectFactorization> make_cuda_direct(const FrontPlan &plan, FactorKind kind)
{
  const auto queue = std::make_shared<DeviceQueue>();
  const DeviceCall call(*queue);
  return std::make_unique<CudaDirect>(plan, kind, queue);
}

} // namespace tessera
