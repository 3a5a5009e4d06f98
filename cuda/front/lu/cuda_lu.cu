#include "cuda/front/lu/lu_fronts.cuh"
#include "cuda/front/planned_on_device.cuh"

#include "base/permute.hpp"
#include "factor/front/determinant.hpp"
#include "factor/lu/block_levels.hpp"
#include "factor/lu/lu_factorization.hpp"
#include "factor/lu/replan_lu.hpp"

namespace tessera {
namespace {

/// The transpose of a matrix, for the residuals of transposed solves.
struct TransposedOnDevice {
  Pattern pattern;
  std::vector<Offset> source; ///< of its entries, among those of the matrix
  std::unique_ptr<DeviceRefinement> refinement;
};

/// Whether the columns of the pivots that a plan proposes are an odd permutation of their rows.
bool has_odd_columns(const LuPlan &plan)
{
  std::vector<Index> column_of(plan.column.size());
  for (std::size_t k = 0; k < column_of.size(); ++k)
    column_of[plan.fronts.tree.perm[k]] = plan.column[k];
  return is_odd(column_of);
}

class CudaLu : public PlannedOnDevice<LuPlan> {
public:
  CudaLu(const LuPlan &plan, std::shared_ptr<DeviceQueue> queue) : PlannedOnDevice(plan, std::move(queue))
  {
    place_fronts();
  }
  ~CudaLu() override { queue().retire(); }

  DirectReport factor(const double *values, const DirectOptions &options) override
  {
    transposed_is_current_ = false;
    return PlannedOnDevice::factor(values, options);
  }

  SolveReport solve_transposed(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
                               const RefinementOptions &options) override
  {
    const DeviceCall call(queue());
    if (options.most > 0 && !transposed_is_current_)
      queue_transpose();
    return solve_and_refine(true, transposed_.refinement.get(), columns, b, b_leading, x, x_leading, options);
  }

  ScaledProduct determinant() const override
  {
    ScaledProduct scaled = pivots_;
    scaled.exponent -= fronts().factor.scale_exponent();
    if (has_odd_columns(plan()) != odd_panels_)
      scaled.times(-1);
    return unscaled_determinant(scaled, given().fronts.scale_product, given().column_scale_product);
  }

  Offset bytes() const override
  {
    return PlannedOnDevice::bytes() + (transposed_.refinement ? transposed_.refinement->bytes() : 0);
  }

  Copies take_copies() override
  {
    Copies copies = PlannedOnDevice::take_copies();
    copies.reports += transposed_.refinement ? transposed_.refinement->take_copies() : 0;
    return copies;
  }

private:
  std::unique_ptr<FrontsOnDevice> make_fronts(const LuPlan &plan) const override
  {
    const FrontPlan &f = plan.fronts;
    const DevicePlan fronts = make_device_plan(f, most_lu_block_rows());
    return std::unique_ptr<FrontsOnDevice>(
        new FrontsOnDevice{FrontFactor(f, fronts, queue(), plan.column_scale),
                           FrontSubstitution({f.tree.perm, f.scale}, {plan.column, plan.column_scale}, fronts, queue(),
                                             block_levels(plan, fronts))});
  }

  PivotRules rules(const DirectOptions &options, double own_bound) const override
  {
    return pivot_rules(options, own_bound);
  }
  bool chooses_pivots() const override { return true; }
  std::vector<double> column_scale() const override { return unpermuted_column_scale(given()); }

  void accept(const PivotTotals &totals, DirectReport &r) override
  {
    r.one_by_one = rows();
    pivots_ = totals.product;
    odd_panels_ = totals.verdict.odd % 2 == 1;
  }

  /// Where rows have grown since the analysis, good pivots are too small beside them by the scale factors of before.
  bool renew_scale() override
  {
    if (given().fronts.preprocessing == Preprocessing::None)
      return false;
    FrontFactor &factor = fronts().factor;
    factor.fit_scale(refinement(), plan().fronts.scale, plan().column_scale);
    fronts().substitution.take_scale(factor.scale(0), factor.scale(1));
    return true;
  }

  std::unique_ptr<DirectFactorization> make_search(const LuPlan &plan) const override { return make_host_lu(plan); }
  bool takes(const DirectReport &report) const override { return report.zero == 0; }
  DirectReport::Status failure() const override { return DirectReport::NeedsHost; }

  /// The values of the transpose from those of the matrix, and its norm.
  void queue_transpose()
  {
    if (!transposed_.refinement) {
      transposed_.pattern = transpose(given().fronts.matrix, &transposed_.source);
      transposed_.refinement = std::make_unique<DeviceRefinement>(transposed_.pattern, transposed_.source, queue());
    }
    transposed_.refinement->clear_findings();
    transposed_.refinement->queue_values(refinement().values(), queue());
    transposed_.refinement->fetch_norm();
    transposed_is_current_ = true;
  }

  TransposedOnDevice transposed_;
  bool transposed_is_current_ = false; ///< it has the values of the last factorization
  ScaledProduct pivots_;               ///< the product of those of the last factorization
  bool odd_panels_ = false;            ///< their rows in the panels are an odd permutation
};

} // namespace

std::unique_ptr<DirectFactorization> make_cuda_lu(const LuPlan &plan)
{
  const auto queue = std::make_shared<DeviceQueue>();
  const DeviceCall call(*queue);
  return std::make_unique<CudaLu>(plan, queue);
}

} // namespace tessera
