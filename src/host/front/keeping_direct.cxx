#include "factor/front/direct_factorization.hpp"
#include "factor/front/predicted_time.hpp"
#include "factor/front/rescale.hpp"
#include "factor/lu/lu_factorization.hpp"
#include "factor/lu/replan_lu.hpp"
#include "factor/lu/rescale_lu.hpp"

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

/// A factorization on the host with the scale factors of its own values, if it has pivots to choose, and with the
/// pivots of those before it.
template <class T, class Plan>
class KeepingDirect : public DirectFactorizationOf<T> {
public:
  using Make = std::function<std::unique_ptr<DirectFactorizationOf<T>>(const Plan &)>;

  KeepingDirect(const Plan &plan, bool chooses, Make make)
      : given_(plan), chooses_(chooses), make_(std::move(make)), direct_(make_(plan))
  {
  }

  Place place() const override { return Place::Host; }

  DirectReport factor(const T *values, const DirectOptions &given) override
  {
    const bool keep = given.keep_pivots && chooses_, differ = given.other_values && chooses_ && !given.is_static();
    // Scale factors of LU take longer to find than small factorizations, and are less often the reason for delays.
    const bool fits = keep || (differ && fronts_of(given_).symmetric);
    choose_plan(keep, fits);
    const bool rescaled = fits && fit_scale(values);
    complete_ = false; // until it is
    DirectOptions options = given;
    if (differ)
      options.most_work = std::min(given.most_work, most_work_of(fronts_of(given_), expected_));
    DirectReport r = direct_->factor(values, options);
    complete_ = r.status == DirectReport::Complete;
    delayed_ = r.delayed;
    if (complete_ && expected_ == 0)
      expected_ = std::max(fronts_of(given_).flops, r.work);
    r.rescales = rescaled ? 1 : 0;
    r.replans = replans_;
    r.planned = fronts_of(plan()).flops;
    return r;
  }

  SolveReport solve(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading,
                    const RefinementOptions &refinement) override
  {
    return direct_->solve(columns, b, b_leading, x, x_leading, refinement);
  }

  SolveReport solve_transposed(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading,
                               const RefinementOptions &refinement) override
  {
    return direct_->solve_transposed(columns, b, b_leading, x, x_leading, refinement);
  }

  SolveHalvesOf<T> *halves() override { return direct_->halves(); }
  ScaledProductOf<T> determinant() const override { return direct_->determinant(); }
  double norm() const override { return direct_->norm(); }
  double inverse_norm() override { return direct_->inverse_norm(); }
  Offset bytes() const override { return direct_->bytes(); }

private:
  const Plan &plan() const { return own_ ? *own_ : given_; }

  /// Columns that are delayed for less than a new plan takes.
  Offset few() const { return 10 + fronts_of(given_).tree.rows() / 1000; }

  /// Makes the plan of the next factorization from the pivots of the last one, where that wants another. fits: it may
  /// have other scale factors than the given one.
  void choose_plan(bool keep, bool fits)
  {
    if (own_ && (!fits || (!keep && found_)))
      use(nullptr, false);
    if (!keep || !complete_ || (found_ && delayed_ <= few()))
      return;
    const PivotSequence pivots = direct_->pivots();
    if (are_proposed(plan(), pivots))
      return;
    auto next = std::make_unique<Plan>(replan(plan(), pivots));
    if (fronts_of(*next).flops <= most_plan_growth * fronts_of(given_).flops) {
      use(std::move(next), true);
      ++replans_;
    } else if (found_) {
      use(nullptr, false);
    }
  }

  /// Renews scale factors that do not go with the values: entries that they make large or small pass for good pivots,
  /// or for none. Returns whether there are others.
  bool fit_scale(const T *values)
  {
    if (fronts_of(given_).preprocessing == Preprocessing::None || scale_fits(plan(), values))
      return false;
    if (!own_)
      use(std::make_unique<Plan>(given_), false);
    return rescale(*own_, values);
  }

  /// Goes over to another plan, with pivots that were found or those of the given one; null: that itself.
  void use(std::unique_ptr<Plan> next, bool found)
  {
    direct_.reset(); // its memory is needed
    complete_ = false;
    own_ = std::move(next);
    found_ = found;
    direct_ = make_(plan());
  }

  const Plan &given_;
  const bool chooses_;
  const Make make_;
  std::unique_ptr<Plan> own_; ///< with other pivots or scale factors than the given one, or null
  bool found_ = false;        ///< `own_` has pivots that were found
  std::unique_ptr<DirectFactorizationOf<T>> direct_;
  bool complete_ = false; ///< the last factorization
  Offset delayed_ = 0;    ///< columns of that
  double expected_ = 0;   ///< work that the analysis has led to in the first factorization
  Index replans_ = 0;
};

} // namespace

template <class T>
std::unique_ptr<DirectFactorizationOf<T>> make_keeping_direct(const FrontPlan &plan, FactorKind kind, Symmetry symmetry)
{
  return std::make_unique<KeepingDirect<T, FrontPlan>>(
      plan, kind == FactorKind::LDLT,
      [kind, symmetry](const FrontPlan &p) { return make_host_direct<T>(p, kind, symmetry); });
}

template std::unique_ptr<DirectFactorization> make_keeping_direct(const FrontPlan &, FactorKind, Symmetry);
template std::unique_ptr<DirectFactorizationOf<Complex>> make_keeping_direct(const FrontPlan &, FactorKind, Symmetry);

template <class T>
std::unique_ptr<DirectFactorizationOf<T>> make_keeping_lu(const LuPlan &plan)
{
  return std::make_unique<KeepingDirect<T, LuPlan>>(plan, true, make_host_lu<T>);
}

template std::unique_ptr<DirectFactorization> make_keeping_lu(const LuPlan &);
template std::unique_ptr<DirectFactorizationOf<Complex>> make_keeping_lu(const LuPlan &);

} // namespace tessera
