#include "factor/front/direct_factorization.hpp"
#include "factor/lu/lu_factorization.hpp"
#include "factor/lu/replan_lu.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tessera {
namespace {

const FrontPlan &fronts_of(const FrontPlan &plan)
{
  return plan;
}
const FrontPlan &fronts_of(const LuPlan &plan)
{
  return plan.fronts;
}

/// A factorization on the host with the pivots of those before it, if it has pivots to choose.
template <class Plan>
class KeepingDirect : public DirectFactorization {
public:
  using Make = std::function<std::unique_ptr<DirectFactorization>(const Plan &)>;

  KeepingDirect(const Plan &plan, bool chooses, Make make)
      : given_(plan), chooses_(chooses), make_(std::move(make)), direct_(make_(plan))
  {
  }

  Place place() const override { return Place::Host; }

  DirectReport factor(const double *values, const DirectOptions &given) override
  {
    const bool keep = given.keep_pivots && chooses_;
    choose_plan(keep);
    complete_ = false; // until it is
    DirectOptions options = given;
    if (keep && given.may_give_up)
      options.most_work = std::min(given.most_work, bound());
    DirectReport r = direct_->factor(values, options);
    complete_ = r.status == DirectReport::Complete;
    delayed_ = r.delayed;
    if (complete_ && expected_ == 0)
      expected_ = std::max(fronts_of(given_).flops, r.work);
    r.replans = replans_;
    r.planned = fronts_of(plan()).flops;
    return r;
  }

  SolveReport solve(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
                    const RefinementOptions &refinement) override
  {
    return direct_->solve(columns, b, b_leading, x, x_leading, refinement);
  }

  SolveReport solve_transposed(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
                               const RefinementOptions &refinement) override
  {
    return direct_->solve_transposed(columns, b, b_leading, x, x_leading, refinement);
  }

  SolveHalves *halves() override { return direct_->halves(); }
  double norm() const override { return direct_->norm(); }
  double inverse_norm() override { return direct_->inverse_norm(); }
  Offset bytes() const override { return direct_->bytes(); }

private:
  static constexpr double most_growth = 2;
  /// Operations that take about as long as it takes to analyse a matrix, for each of its entries.
  static constexpr double analysis_of_entry = 1000;

  const Plan &plan() const { return found_ ? *found_ : given_; }

  /// Columns that are delayed for less than a new plan takes.
  Offset few() const { return 10 + fronts_of(given_).tree.rows() / 1000; }

  /// Work from which on a new analysis is the better way: another one may lead to what this one has led to.
  double bound() const
  {
    return most_growth * std::max(expected_, fronts_of(given_).flops) +
           analysis_of_entry * static_cast<double>(fronts_of(given_).matrix.entries());
  }

  /// Makes the plan of the next factorization from the pivots of the last one, where that wants another.
  void choose_plan(bool keep)
  {
    if (!keep && found_)
      use(nullptr);
    if (!keep || !complete_ || (found_ && delayed_ <= few()))
      return;
    const PivotSequence pivots = direct_->pivots();
    if (are_proposed(plan(), pivots))
      return;
    auto next = std::make_unique<Plan>(replan(plan(), pivots));
    if (fronts_of(*next).flops <= most_growth * fronts_of(given_).flops) {
      use(std::move(next));
      ++replans_;
    } else if (found_) {
      use(nullptr);
    }
  }

  /// Goes over to another plan; null: the given one.
  void use(std::unique_ptr<Plan> next)
  {
    direct_.reset(); // its memory is needed
    complete_ = false;
    found_ = std::move(next);
    direct_ = make_(plan());
  }

  const Plan &given_;
  const bool chooses_;
  const Make make_;
  std::unique_ptr<Plan> found_; ///< with pivots that were found, or null
  std::unique_ptr<DirectFactorization> direct_;
  bool complete_ = false; ///< the last factorization
  Offset delayed_ = 0;    ///< columns of that
  double expected_ = 0;   ///< work that the analysis has led to in the first factorization
  Index replans_ = 0;
};

} // namespace

std::unique_ptr<DirectFactorization> make_keeping_direct(const FrontPlan &plan, FactorKind kind)
{
  return std::make_unique<KeepingDirect<FrontPlan>>(plan, kind == FactorKind::LDLT,
                                                    [kind](const FrontPlan &p) { return make_host_direct(p, kind); });
}

std::unique_ptr<DirectFactorization> make_keeping_lu(const LuPlan &plan)
{
  return std::make_unique<KeepingDirect<LuPlan>>(plan, true, make_host_lu);
}

} // namespace tessera
