#include "factor/front/direct_factorization.hpp"
#include "host/front/assemble.hpp"
#include "host/front/blas_threads.hpp"
#include "host/front/eliminate_ldlt.hpp"
#include "host/front/eliminate_llt.hpp"
#include "host/front/front_loop.hpp"
#include "host/front/front_report.hpp"
#include "host/front/front_solve.hpp"
#include "host/front/inverse_norm.hpp"
#include "host/front/measure_pivots.hpp"
#include "host/front/refinement.hpp"

#include <algorithm>
#include <limits>

namespace tessera {
namespace {

class HostDirect : public DirectFactorization, private SolveHalves, private FrontWork<double> {
public:
  HostDirect(const FrontPlan &plan, FactorKind kind)
      : plan_(plan), kind_(kind), store_(plan), loop_(plan), solve_(plan, store_, kind),
        refine_(plan.matrix, plan.source,
                [this](const double *b, double *x) { solve_.run(1, b, plan_.tree.rows(), x, plan_.tree.rows()); })
  {
  }

  Place place() const override { return Place::Host; }

  DirectReport factor(const double *values, const DirectOptions &given) override
  {
    const OneThreadBlas one_thread;
    options_ = given;
    options_.uncertain = std::max(given.uncertain, plan_.tree.rows() * std::numeric_limits<double>::epsilon());
    values_ = values;
    const Index bad_row = refine_.set_values(values);
    if (bad_row >= 0) {
      DirectReport r;
      r.status = DirectReport::NonFinite;
      r.failed_row = bad_row;
      return r;
    }
    loop_.run(*this, given.most_work);
    if (!loop_.complete())
      return loop_.failure();
    if (kind_ == FactorKind::LDLT)
      measure_pivots(plan_, store_, solve_, values, measured_share * plan_.flops);
    return report_of(plan_, store_, kind_);
  }

  SolveReport solve(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
                    const RefinementOptions &refinement) override
  {
    const OneThreadBlas one_thread;
    solve_.run(columns, b, b_leading, x, x_leading);
    SolveReport report;
    for (Index j = 0; j < columns && refinement.most > 0; ++j)
      refine_.run(b + j * b_leading, x + j * x_leading, refinement, report);
    return report;
  }

  SolveHalves *halves() override { return this; }

  PivotSequence pivots() const override { return pivots_of(plan_, store_); }

  ScaledProduct determinant() const override { return determinant_of(plan_, store_, kind_); }

  double norm() const override { return refine_.norm(); }

  double inverse_norm() override
  {
    const OneThreadBlas one_thread;
    return estimate_inverse_norm(plan_.tree.rows(),
                                 [&](double *x, bool) { solve_.run(1, x, plan_.tree.rows(), x, plan_.tree.rows()); });
  }

  Offset bytes() const override { return store_.bytes() + refine_.bytes() + loop_.bytes(); }

private:
  void forward(const double *b, double *y) override
  {
    const OneThreadBlas one_thread;
    solve_.run_forward(b, y);
  }

  void backward(const double *y, double *x) override
  {
    const OneThreadBlas one_thread;
    solve_.run_backward(y, x);
  }

  static constexpr double measured_share = 8; ///< operations for uncertain pivots, over those of the factorization

  Index delayed(Index s) const override { return store_.delayed(s); }

  FrontOutcome factor_front(Index s, bool parallel, ThreadMemory<double> &memory) override
  {
    Assembly assembly(plan_, store_, values_, parallel);
    double *const contribution = loop_.contribution(s, memory);
    FrontColumns &front = assembly.run(s, contribution, [&](Index c) { return loop_.contribution(c, memory); });
    if (kind_ == FactorKind::LLT) {
      const Index bad = eliminate_llt(front, parallel);
      if (bad >= 0)
        return {DirectReport::NotDefinite, bad};
      update_contribution_llt(front, contribution, parallel);
      return {};
    }
    eliminate_ldlt(front, options_, parallel, memory.work);
    if (front.eliminated < front.columns && plan_.tree.parent[s] < 0)
      return {DirectReport::NonFinite, 0};
    update_contribution_ldlt(front, contribution, parallel, memory.work);
    return {};
  }

  const FrontPlan &plan_;
  const FactorKind kind_;
  FrontStore store_;
  FrontLoop<double> loop_;
  FrontSolve solve_;
  Refinement<double> refine_;
  DirectOptions options_;          ///< of the factorization that runs
  const double *values_ = nullptr; ///< for it
};

} // namespace

std::unique_ptr<DirectFactorization> make_host_direct(const FrontPlan &plan, FactorKind kind)
{
  return std::make_unique<HostDirect>(plan, kind);
}

} // namespace tessera
