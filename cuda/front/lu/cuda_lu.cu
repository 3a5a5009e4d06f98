#include "cuda/front/bordered_on_device.cuh"
#include "cuda/front/lu/lu_fronts.cuh"

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

class CudaLu : public BorderedOnDevice<LuPlan> {
public:
  CudaLu(const LuPlan &plan, std::shared_ptr<DeviceQueue> queue) : BorderedOnDevice(plan, std::move(queue))
  {
    place_fronts();
  }
  ~CudaLu() override { queue().retire(); }

  DirectReport factor(const double *values, const DirectOptions &options) override
  {
    transposed_is_current_ = transposed_has_norm_ = false;
    zeros_of_host_ = 0;
    return BorderedOnDevice::factor(values, options);
  }

  SolveReport solve_transposed(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
                               const RefinementOptions &options) override
  {
    const DeviceCall call(queue());
    DeviceRefinement *const refinement = options.most > 0 ? &transpose_for_residuals() : nullptr;
    return solve_and_refine(true, refinement, columns, b, b_leading, x, x_leading, options);
  }

  ScaledProduct determinant() const override
  {
    ScaledProduct scaled = pivots_;
    scaled.exponent -= fronts().factor.scale_exponent();
    if (has_odd_columns(plan()) != odd_panels_)
      scaled.times(-1);
    if (left_out_ > (border() ? border()->vectors() : 0))
      scaled = {0, 0};
    else if (border())
      scaled.times(border()->determinant());
    return unscaled_determinant(scaled, given().fronts.scale_product, given().column_scale_product);
  }

  Offset bytes() const override
  {
    return BorderedOnDevice::bytes() + (transposed_.refinement ? transposed_.refinement->bytes() : 0);
  }

  Copies take_copies() override
  {
    Copies copies = BorderedOnDevice::take_copies();
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
    PivotRules rules = pivot_rules(options, own_bound);
    rules.uncertain = std::max(rules.uncertain, rows() * std::numeric_limits<double>::epsilon());
    rules.leaves_out = leaves_out() && !options.is_static();
    if (rules.leaves_out)
      rules.zero = rules.uncertain;
    return rules;
  }
  bool chooses_pivots() const override { return true; }
  std::vector<double> column_scale() const override { return unpermuted_column_scale(given()); }

  void accept(const PivotTotals &totals, DirectReport &r) override
  {
    r.one_by_one = rows();
    r.zero = left_out_ = Offset(totals.verdict.left_out);
    pivots_ = totals.product;
    odd_panels_ = totals.verdict.odd % 2 == 1;
  }

  /// Where rows have grown since the analysis, good pivots are too small beside them by the scale factors of before.
  NewScale renew_scale(const double *) override
  {
    if (given().fronts.preprocessing == Preprocessing::None)
      return NewScale::None;
    FrontFactor &factor = fronts().factor;
    factor.fit_scale(refinement(), plan().fronts.scale, plan().column_scale);
    fronts().substitution.take_scale(factor.scale(0), factor.scale(1));
    copies().to_device += 2 * Offset(rows()) * sizeof(double); // those of the plan, to begin with
    copies().reports += sizeof(long long);
    return NewScale::OfTheDevice;
  }

  /// What grows along a chain of rows may look like rounding: a matrix is not called singular in doubt.
  bool accepts(const DirectReport &left_out) const override { return left_out.uncertain == 0; }

  /// Where columns have no pivots after all that can be done, that may be as the matrix is singular, unless the host
  /// has found it regular.
  bool leave_out(const double *values, const DirectOptions &options, bool may_search, DirectReport &r) override
  {
    return factor_without(values, options, false, r, [&](const DirectReport &left_out) {
      return may_search ? left_out.bordered == 0 : left_out.zero <= zeros_of_host_;
    });
  }

  Measurement measure(const double *b, const double *by) override
  {
    const std::vector<LeftOut> pivots = fronts().factor.left_out(left_out_);
    Measurement m;
    std::vector<Index> column;
    for (const LeftOut &p : pivots) {
      m.row.push_back(plan().fronts.tree.perm[p.row]);
      column.push_back(plan().column[p.column]);
    }
    m.right = std::make_unique<LeftOutVectors>(column, refinement(), b, queue());
    m.right->find(solve_without(false));
    m.right->refine(solve_without(false));
    m.left = std::make_unique<LeftOutVectors>(m.row, transpose_of_matrix(), nullptr, queue());
    m.left->find(solve_without(true)); // not refined: errors count by the product of those of both
    SchurMeasurement measurement(*m.right, *m.left, refinement(), queue());
    measurement.queue_schur(by);
    measurement.fetch();
    SchurOfZeros schur = measurement.schur();
    for (std::size_t k = 0; k < pivots.size(); ++k) {
      schur.row_root[k] = std::sqrt(pivots[k].row_mass) / pivots[k].row_scale;
      schur.column_root[k] = std::sqrt(pivots[k].column_mass) / pivots[k].column_scale;
    }
    m.zeros = judge(measurement, std::move(schur), judge_singular_values, solve_without(false));
    for (const LeftOut &p : pivots) {
      m.zeros.determinant.times(p.row_scale);
      m.zeros.determinant.times(p.column_scale);
    }
    m.growth = measurement.growth();
    m.has_unit_vectors = measurement.has_unit_vectors();
    return m;
  }

  SolveWithout solve_without(bool transposed)
  {
    return [this, transposed](Index columns, const double *b, double *x) {
      substitute(transposed, columns, b, rows(), x, rows());
    };
  }

  std::unique_ptr<DirectFactorization> make_search(const LuPlan &plan) const override { return make_host_lu(plan); }
  bool takes(const DirectReport &report) override
  {
    zeros_of_host_ = report.zero;
    if (report.zero > 0)
      leave_out_from_now();
    return report.zero <= most_measured();
  }
  DirectReport::Status failure() const override { return DirectReport::NeedsHost; }

  /// With the values of the last factorization.
  DeviceRefinement &transpose_of_matrix()
  {
    if (!transposed_.refinement) {
      transposed_.pattern = transpose(given().fronts.matrix, &transposed_.source);
      transposed_.refinement = std::make_unique<DeviceRefinement>(transposed_.pattern, transposed_.source, queue());
    }
    if (!transposed_is_current_) {
      transposed_.refinement->clear_findings();
      transposed_.refinement->queue_values(refinement().values(), queue());
    }
    transposed_is_current_ = true;
    return *transposed_.refinement;
  }

  /// With its norm as well.
  DeviceRefinement &transpose_for_residuals()
  {
    DeviceRefinement &transpose = transpose_of_matrix();
    if (!transposed_has_norm_)
      transpose.fetch_norm();
    transposed_has_norm_ = true;
    return transpose;
  }

  TransposedOnDevice transposed_;
  bool transposed_is_current_ = false; ///< it has the values of the last factorization,
  bool transposed_has_norm_ = false;   ///< and their norm
  ScaledProduct pivots_;               ///< the product of those of the last factorization, and how many it leaves out
  Offset left_out_ = 0;
  Offset zeros_of_host_ = 0; ///< pivots that are zero, when the host last searched some
  bool odd_panels_ = false;  ///< their rows in the panels are an odd permutation
};

} // namespace

std::unique_ptr<DirectFactorization> make_cuda_lu(const LuPlan &plan)
{
  const auto queue = std::make_shared<DeviceQueue>();
  const DeviceCall call(*queue);
  return std::make_unique<CudaLu>(plan, queue);
}

} // namespace tessera
