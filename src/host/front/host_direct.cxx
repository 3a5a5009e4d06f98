#include "analysis/input/mirror_images.hpp"
#include "factor/front/direct_factorization.hpp"
#include "host/front/assemble.hpp"
#include "host/front/blas_threads.hpp"
#include "host/front/eliminate/eliminate_ldlt.hpp"
#include "host/front/eliminate/eliminate_llt.hpp"
#include "host/front/front_loop.hpp"
#include "host/front/front_report.hpp"
#include "host/front/least_pivot.hpp"
#include "host/front/left_to_roots.hpp"
#include "host/front/solve/front_solve.hpp"
#include "host/front/solve/inverse_norm.hpp"
#include "host/front/solve/measure_pivots.hpp"
#include "host/front/solve/measure_roots.hpp"
#include "host/front/solve/refinement.hpp"
#include "host/front/solve/solution_growth.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {
namespace {

template <class T, Symmetry S>
class HostDirect : public DirectFactorizationOf<T>, private SolveHalvesOf<T>, private FrontWork<T> {
public:
  HostDirect(const FrontPlan &plan, FactorKind kind)
      : plan_(plan), kind_(kind), store_(plan), loop_(plan), solve_(plan, store_, kind),
        refine_(
            plan.matrix, plan.source, [this](const T *b, T *x) { solve_.run(1, b, rows(), x, rows()); }, S)
  {
  }

  Place place() const override { return Place::Host; }

  DirectReport factor(const T *values, const DirectOptions &given) override
  {
    const OneThreadBlas one_thread;
    options_ = given;
    options_.uncertain = std::max(given.uncertain, rows() * std::numeric_limits<double>::epsilon());
    values_ = values;
    if (const Index row = refine_.set_values(values); row >= 0)
      return DirectReport::of_failure(DirectReport::NonFinite, row);
    if (!plan_.mirror.empty())
      if (const Index row = first_asymmetric_row(plan_.matrix, plan_.source, plan_.mirror, values); row >= 0)
        return DirectReport::of_failure(DirectReport::NotSymmetric, row);
    if (given.is_static()) {
      const std::vector<double> scale = unpermuted_scale(plan_);
      options_.least_pivot = least_pivot_of(plan_, scale, scale, values);
    }
    DirectReport r = factor_once_or_more();
    if (r.zero > 0 && !given.is_static() && given.threshold < largest_threshold &&
        solution_growth(plan_, solve_) > hidden_growth) {
      const double flops = r.flops;
      const Index again = r.again;
      options_.threshold = largest_threshold;
      r = factor_once_or_more();
      r.flops += flops;
      r.again += again;
      r.tightened = true;
    }
    return r;
  }

  SolveReport solve(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading,
                    const RefinementOptions &refinement) override
  {
    const OneThreadBlas one_thread;
    solve_.run(columns, b, b_leading, x, x_leading);
    return refine_.run(columns, b, b_leading, x, x_leading, refinement);
  }

  /// Of a Hermitian matrix the transpose is the conjugate.
  SolveReport solve_transposed(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading,
                               const RefinementOptions &refinement) override
  {
    if (S == Symmetry::Symmetric)
      return solve(columns, b, b_leading, x, x_leading, refinement);
    std::vector<T> conjugated(std::size_t(columns) * rows());
    for (Index j = 0; j < columns; ++j)
      conjugate_all(b + j * b_leading, conjugated.data() + std::size_t(j) * rows());
    const SolveReport report = solve(columns, conjugated.data(), rows(), x, x_leading, refinement);
    for (Index j = 0; j < columns; ++j)
      conjugate_all(x + j * x_leading, x + j * x_leading);
    return report;
  }

  SolveHalvesOf<T> *halves() override { return this; }

  PivotSequence pivots() const override { return pivots_of<S>(plan_, store_); }

  ScaledProductOf<T> determinant() const override { return determinant_of<S>(plan_, store_, kind_); }

  double norm() const override { return refine_.norm(); }

  double inverse_norm() override
  {
    const OneThreadBlas one_thread;
    return estimate_inverse_norm<T>(rows(), [&](T *x, bool transposed) {
      const bool conjugated = transposed && S == Symmetry::Hermitian;
      if (conjugated)
        conjugate_all(x, x);
      solve_.run(1, x, rows(), x, rows());
      if (conjugated)
        conjugate_all(x, x);
    });
  }

  Offset bytes() const override { return store_.bytes() + refine_.bytes() + loop_.bytes(); }

private:
  Index rows() const { return plan_.tree.rows(); }

  void conjugate_all(const T *from, T *to) const
  {
    std::transform(from, from + rows(), to, [](T x) { return conjugate(x); });
  }

  void forward(const T *b, T *y) override
  {
    const OneThreadBlas one_thread;
    solve_.run_forward(b, y);
  }

  void backward(const T *y, T *x) override
  {
    const OneThreadBlas one_thread;
    solve_.run_backward(y, x);
  }

  static constexpr double measured_share = 8; ///< operations for uncertain pivots, over those of the factorization

  DirectReport factor_once_or_more()
  {
    return left_to_roots_.run(
        kind_ == FactorKind::LDLT && options_.measures && LeftToRoots::is_allowed(options_),
        [this](bool leaves_out, DirectReport &r) { return factor_once(leaves_out, r); },
        [this] { return can_measure_together(); }, [this](DirectReport &r) { measure_one_by_one(r); });
  }

  /// See LeftToRoots.
  bool factor_once(bool leaves_out, DirectReport &r)
  {
    options_.leaves_out = leaves_out;
    if (!loop_.run(*this, options_.most_work, r))
      return false;
    MeasuredRoots roots;
    if (leaves_out)
      roots = measure_roots(plan_, store_, solve_, values_, options_);
    r = report_of<S>(plan_, store_, kind_);
    r.uncertain += roots.uncertain;
    r.measured = roots.measured;
    r.bordered = roots.regular;
    return roots.known;
  }

  /// Whether there are zero or uncertain pivots, and not too many of any tree to be measured together.
  bool can_measure_together() const
  {
    const AssemblyTree &tree = plan_.tree;
    Offset all = 0, of_tree = 0;
    for (Index s = 0, first = 0; s < tree.fronts(); ++s) {
      of_tree += Offset(store_[s].uncertain.size());
      if (tree.parent[s] >= 0)
        continue;
      if (!can_measure(of_tree, tree.first[s + 1] - tree.first[first], plan_.flops))
        return false;
      all += std::exchange(of_tree, 0);
      first = s + 1;
    }
    return all > 0;
  }

  void measure_one_by_one(DirectReport &r)
  {
    if (kind_ == FactorKind::LDLT && options_.measures)
      measure_pivots(plan_, store_, solve_, values_, measured_share * plan_.flops);
    r = report_of<S>(plan_, store_, kind_);
  }

  Index delayed(Index s) const override { return store_.delayed(s); }

  FrontOutcome factor_front(Index s, bool parallel, ThreadMemory<T> &memory) override
  {
    Assembly<T, S> assembly(plan_, store_, values_, parallel);
    T *const contribution = loop_.contribution(s, memory);
    FrontColumns<T> &front = assembly.run(s, contribution, [&](Index c) { return loop_.contribution(c, memory); });
    if constexpr (has_signs<T, S>)
      if (kind_ == FactorKind::LLT) {
        const Index bad = eliminate_llt<S>(front, parallel);
        if (bad >= 0)
          return {DirectReport::NotDefinite, bad};
        update_contribution_llt<S>(front, contribution, parallel);
        return {};
      }
    eliminate_ldlt<S>(front, options_, parallel, memory.work);
    if (front.eliminated < front.columns && plan_.tree.parent[s] < 0 && !(options_.leaves_out && leave_out_rest(front)))
      return {DirectReport::NonFinite, 0};
    update_contribution_ldlt<S>(front, contribution, parallel, memory.work);
    return {};
  }

  const FrontPlan &plan_;
  const FactorKind kind_;
  FrontStore<T> store_;
  FrontLoop<T> loop_;
  FrontSolve<T, S> solve_;
  Refinement<T> refine_;
  DirectOptions options_;     ///< of the factorization that runs
  const T *values_ = nullptr; ///< for it
  LeftToRoots left_to_roots_;
};

} // namespace

template <class T>
std::unique_ptr<DirectFactorizationOf<T>> make_host_direct(const FrontPlan &plan, FactorKind kind, Symmetry symmetry)
{
  if constexpr (std::is_same_v<T, Complex>)
    if (symmetry == Symmetry::Hermitian)
      return std::make_unique<HostDirect<T, Symmetry::Hermitian>>(plan, kind);
  constexpr bool has_definite = has_signs<T, Symmetry::Symmetric>;
  return std::make_unique<HostDirect<T, Symmetry::Symmetric>>(plan, has_definite ? kind : FactorKind::LDLT);
}

template std::unique_ptr<DirectFactorization> make_host_direct(const FrontPlan &, FactorKind, Symmetry);
template std::unique_ptr<DirectFactorizationOf<Complex>> make_host_direct(const FrontPlan &, FactorKind, Symmetry);

} // namespace tessera
