#include "cuda/front/block/block_fronts.cuh"
#include "cuda/front/planned_on_device.cuh"
#include "cuda/front/solve/border.cuh"
#include "cuda/front/solve/schur_of_zeros.cuh"
#include "factor/front/determinant.hpp"
#include "host/front/blas.hpp"
#include "host/front/blas_threads.hpp"
#include "host/front/solve/solution_growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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
  Offset bytes() const override
  {
    return PlannedOnDevice::bytes() + growth_vector_.bytes() + (border_ ? border_->bytes() : 0);
  }

  ScaledProduct determinant() const override
  {
    ScaledProduct scaled = pivots_;
    if (zeros_ > (border_ ? border_->vectors() : 0))
      scaled = {0, 0};
    else if (border_)
      scaled.times(border_->determinant());
    return unscaled_determinant(scaled, given().scale_product, given().scale_product);
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
    if (leaves_out_ && !options.is_static())
      rules.zero = rules.uncertain;
    return rules;
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
    zeros_ = r.zero;
    pivots_ = totals.product;
  }

  void begin() override { border_.reset(); }

  /// Takes uncertain pivots back, without which others have failed.
  bool relax() override { return std::exchange(leaves_out_, false); }

  void correct(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading) override
  {
    if (border_)
      border_->queue(columns, b, b_leading, x, x_leading);
  }

  /// Factors the matrix once more, with or without its uncertain pivots; returns whether all pivots could be taken.
  bool factor_again(const double *values, const DirectOptions &options, bool leaves_out, DirectReport &r)
  {
    leaves_out_ = leaves_out;
    const PivotTotals totals = run(values, options);
    if (failed(totals))
      return false;
    tell(totals, r);
    return true;
  }

  /// Measures zero and uncertain pivots, all of them left out of the factor, see SchurOfZeros. That is the factor, with
  /// a border for what is not zero, and the next ones leave uncertain pivots out as well. Where there can be no border
  /// it is the one with all pivots that are not zero by PivotRules::zero, if that has the inertia that was measured.
  /// Returns whether there is such a factor. Where no pivot is uncertain, an inertia is measured once, and not again
  /// when a few have been right. What cannot be measured here the host is asked about, and about as many next time.
  bool settle(const double *values, const DirectOptions &options, DirectReport &r) override
  {
    const Offset pivots = r.zero + r.uncertain;
    const bool differ = r.uncertain > 0 || leaves_out_; // the factors with uncertain pivots, and without
    if (pivots == 0 || (!differ && is_agreed(r)))
      return true;
    if (!leaves_out_ && pivots >= unmeasured_)
      return host_agrees(values, options, r);
    DirectReport left_out = r;
    if (r.uncertain > 0 && !factor_again(values, options, true, left_out)) {
      unmeasured_ = std::min(unmeasured_, pivots);
      return factor_again(values, options, false, r) && host_agrees(values, options, r);
    }
    const MeasuredZeros measured = measure_zeros(left_out.zero);
    if (measured.known) {
      left_out.negative += measured.negative;
      left_out.positive += left_out.zero - measured.zero - measured.negative;
    }
    if (measured.known && (measured.zero == left_out.zero || border_)) {
      r = left_out;
      r.measured = left_out.zero;
      r.bordered = left_out.zero - measured.zero;
      r.zero = measured.zero;
      r.uncertain = measured.uncertain;
      if (!differ && !border_)
        agreed_.emplace_back(r.zero, r.negative);
      leaves_out_ = leaves_out_ || border_;
      return true;
    }
    if (differ && !factor_again(values, options, false, r))
      return false;
    if (!measured.known) {
      unmeasured_ = std::min(unmeasured_, pivots);
      return host_agrees(values, options, r);
    }
    r.uncertain = measured.uncertain;
    return r.zero == measured.zero && r.negative == left_out.negative;
  }

  bool is_agreed(const DirectReport &r) const
  {
    return agreed_.size() >= most_agreed ||
           std::find(agreed_.begin(), agreed_.end(), std::pair(r.zero, r.negative)) != agreed_.end();
  }

  /// Whether the host, which factors the matrix for that, finds as many zero and negative pivots as the device.
  bool host_agrees(const double *values, const DirectOptions &options, DirectReport &r)
  {
    if (is_agreed(r))
      return true;
    const std::unique_ptr<DirectFactorization> host = make_search(plan());
    if (!host)
      return true;
    r.asked_host = true;
    const DirectReport report = factor_on_host(*host, values, options);
    if (report.status != DirectReport::Complete || r.zero != report.zero || r.negative != report.negative)
      return false;
    agreed_.emplace_back(r.zero, r.negative);
    return true;
  }

  /// Of the zero pivots of the last factorization, of which there are so many, with a border for those that are not
  /// zero, if there can be one. Unknown where they are too many, where there is no memory, and where solutions tell of
  /// zeros that are hidden.
  MeasuredZeros measure_zeros(Offset zeros)
  {
    constexpr Offset most_zeros = 256, most_numbers = Offset(1) << 24; // of vectors for all of them
    constexpr double most_products = 1e9;                              // of two entries of such vectors
    if (kind_ == FactorKind::LLT || zeros > most_zeros || zeros * rows() > most_numbers ||
        double(zeros) * double(zeros) * double(rows()) > most_products)
      return {};
    const std::vector<Index> column = fronts().factor.zero_columns(), row = compose(plan().tree.perm, column);
    try {
      if (hides_zeros())
        return {};
      SchurComplement schur(row, refinement(), queue());
      MeasuredZeros measured = judge_zeros(schur.run(
          [&](Index n, const double *b, double *x) { substitute(false, n, b, rows(), x, rows()); },
          [&](const double *b, double *y) { fronts().substitution.run_forward(fronts().factor.view(), b, y); }));
      give_back_room();
      count_copies_to_host((Offset(row.size()) + 1) * rows() * Offset(sizeof(double))); // V, and pivots
      for (Index k : column)                                                            // that of the scaled matrix
        for (int side = 0; side < 2; ++side)
          measured.determinant.times(plan().scale[k]);
      if (measured.known && !measured.eigenvalue.empty() && schur.has_unit_vectors())
        border_ = make_border(row, schur.vectors(), measured);
      return measured;
    } catch (const std::bad_alloc &) {
      give_back_room();
      return {};
    }
  }

  /// That of the vectors of a measurement.
  void give_back_room()
  {
    refinement().give_back_room();
    fronts().substitution.give_back_room();
  }

  /// Whether the factor may have pivots for what is zero, see hidden_growth: by a product of a solution, which takes no
  /// copy of it.
  bool hides_zeros()
  {
    const Index n = rows();
    if (growth_vector_.size() < n)
      growth_vector_ = DeviceArray<double>(growth_vector<double>(unpermuted_scale(given())), queue());
    const DeviceArray<double> x(n, queue());
    substitute(false, 1, growth_vector_.data(), n, x.data(), n);
    return !(std::abs(dot_products(1, n, growth_vector_.data(), x.data(), queue())[0]) <= hidden_growth);
  }

  /// Null where a vector is not finite. Its vectors have the opposite sign, which does not matter.
  std::unique_ptr<Border> make_border(const std::vector<Index> &row, const std::vector<double> &v,
                                      const MeasuredZeros &measured)
  {
    const OneThreadBlas one_thread;
    const int n = rows(), m = int(row.size()), vectors = int(measured.eigenvalue.size());
    std::vector<double> product(Offset(vectors) * n, 0.0);
    blas::subtract_product(n, vectors, m, v.data(), n, measured.vector.data(), m, blas::Form::given, product.data(), n);
    if (!std::all_of(product.begin(), product.end(), [](double x) { return std::isfinite(x); }))
      return nullptr;
    return std::make_unique<Border>(row, product, measured.eigenvalue, measured.determinant, rows(), queue());
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
    if (border_)
      border_->queue_forward(b, y);
  }

  void backward(const double *y, double *x) override
  {
    const DeviceCall call(queue());
    const double *const without = border_ ? border_->queue_without_rows(y) : y;
    fronts().substitution.run_backward(fronts().factor.view(), without, x);
    if (border_)
      border_->queue_backward(y, x);
  }

  static constexpr std::size_t most_agreed = 3; ///< inertias that were measured, too

  const FactorKind kind_;
  bool leaves_out_ = false;                       ///< uncertain pivots are taken for zero
  std::unique_ptr<Border> border_;                ///< for pivots that are left out and not zero, or null
  std::vector<std::pair<Offset, Offset>> agreed_; ///< numbers of zero and negative pivots that were measured, too
  Offset unmeasured_ = std::numeric_limits<Offset>::max(); ///< pivots, so many at least, that could not be measured
  DeviceArray<double> growth_vector_;                      ///< [rows] once it was needed
  Offset zeros_ = 0;                                       ///< pivots of the last factorization that are zero,
  ScaledProduct pivots_;                                   ///< and the product of the others
};

} // namespace

std::unique_ptr<DirectFactorization> make_cuda_direct(const FrontPlan &plan, FactorKind kind)
{
  const auto queue = std::make_shared<DeviceQueue>();
  const DeviceCall call(*queue);
  return std::make_unique<CudaDirect>(plan, kind, queue);
}

} // namespace tessera
