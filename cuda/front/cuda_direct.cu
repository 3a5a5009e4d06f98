#include "cuda/front/block/block_fronts.cuh"
#include "cuda/front/planned_on_device.cuh"
#include "cuda/front/solve/schur_of_zeros.cuh"
#include "factor/front/determinant.hpp"
#include "host/front/blas.hpp"
#include "host/front/blas_threads.hpp"
#include "host/front/solve/solution_growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
  Offset bytes() const override { return PlannedOnDevice::bytes() + growth_vector_.bytes(); }

  ScaledProduct determinant() const override
  {
    ScaledProduct scaled = pivots_;
    if (zeros_ > (border() ? border()->vectors() : 0))
      scaled = {0, 0};
    else if (border())
      scaled.times(border()->determinant());
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
    DirectOptions with_rows = options;
    with_rows.uncertain = std::max(options.uncertain, rows() * std::numeric_limits<double>::epsilon());
    return kind_ == FactorKind::LLT ? definite_rules() : pivot_rules(with_rows, own_bound);
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

  MeasuredZeros measure_zeros_of_factor(Offset zeros, std::unique_ptr<Border> &border) override
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
      MeasuredZeros measured = measure_zeros(schur.run(
          [&](Index n, const double *b, double *x) { substitute(false, n, b, rows(), x, rows()); },
          [&](const double *b, double *y) { fronts().substitution.run_forward(fronts().factor.view(), b, y); }));
      refinement().give_back_room();
      fronts().substitution.give_back_room();
      count_copies_to_host((Offset(row.size()) + 1) * rows() * Offset(sizeof(double))); // V, and pivots
      for (Index k : column)                                                            // that of the scaled matrix
        for (int side = 0; side < 2; ++side)
          measured.determinant.times(plan().scale[k]);
      if (measured.known && !measured.eigenvalue.empty() && schur.has_unit_vectors())
        border = make_border(row, schur.vectors(), measured);
      return measured;
    } catch (const std::bad_alloc &) {
      return {};
    }
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
  DeviceArray<double> growth_vector_; ///< [rows] once it was needed
  Offset zeros_ = 0;                  ///< pivots of the last factorization that are zero,
  ScaledProduct pivots_;              ///< and the product of the others
};

} // namespace

std::unique_ptr<DirectFactorization> make_cuda_direct(const FrontPlan &plan, FactorKind kind)
{
  const auto queue = std::make_shared<DeviceQueue>();
  const DeviceCall call(*queue);
  return std::make_unique<CudaDirect>(plan, kind, queue);
}

} // namespace tessera
