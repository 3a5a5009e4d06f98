#include "base/first_error.hpp"
#include "factor/front/direct_factorization.hpp"
#include "host/front/assemble.hpp"
#include "host/front/blas_threads.hpp"
#include "host/front/eliminate_ldlt.hpp"
#include "host/front/eliminate_llt.hpp"
#include "host/front/front_report.hpp"
#include "host/front/front_solve.hpp"
#include "host/front/inverse_norm.hpp"
#include "host/front/measure_pivots.hpp"
#include "host/front/parallel_chunks.hpp"
#include "host/front/refinement.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <omp.h>

namespace tessera {
namespace {

/// What a thread has for its fronts.
struct ThreadMemory {
  Buffer<double> contributions;
  std::vector<double> work;
};

class HostDirect : public DirectFactorization, private SolveHalves {
public:
  HostDirect(const FrontPlan &plan, FactorKind kind)
      : plan_(plan), kind_(kind), store_(plan), solve_(plan, store_, kind), refine_(plan, solve_)
  {
    top_.resize(plan.top.memory);
    for (const FrontSet &set : plan.subtrees)
      most_memory_ = std::max(most_memory_, set.memory);
    order_.resize(plan.subtrees.size());
    std::iota(order_.begin(), order_.end(), 0);
    // those that take longest come first, so that threads end at about the same time
    std::stable_sort(order_.begin(), order_.end(), [&](Index a, Index b) { return flops_of(a) > flops_of(b); });
  }

  Place place() const override { return Place::Host; }

  DirectReport factor(const double *values, const DirectOptions &given) override
  {
    const OneThreadBlas one_thread;
    DirectOptions options = given;
    options.uncertain = std::max(options.uncertain, plan_.tree.rows() * std::numeric_limits<double>::epsilon());
    failed_.store(none);
    work_.store(0);
    most_work_ = options.most_work < countable ? Offset(options.most_work) : none;
    bad_.assign(plan_.tree.fronts(), 0);
    const Index bad_row = refine_.set_values(values);
    if (bad_row >= 0) {
      DirectReport r;
      r.status = DirectReport::NonFinite;
      r.failed_row = bad_row;
      return r;
    }
    const int threads = std::max(1, std::min<int>(omp_get_max_threads(), int(order_.size())));
    if (int(memory_.size()) < threads)
      memory_.resize(threads);
    FirstError error;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
    for (std::size_t t = 0; t < order_.size(); ++t)
      error.guard([&] { factor_subtree(order_[t], values, options, memory_[omp_get_thread_num()]); });
    error.rethrow();
    for (Index s : plan_.top.front)
      factor_front(s, values, options, flops_of_front(s) >= parallel_operations, memory_[0]);
    if (!gave_up() && failed_.load() == none && kind_ == FactorKind::LDLT)
      measure_pivots(plan_, store_, solve_, values, measured_share * plan_.flops);
    return report();
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

  SolveHalves *halves() override
  {
    return this;
  }

  PivotSequence pivots() const override
  {
    return pivots_of(plan_, store_);
  }

  double norm() const override
  {
    return refine_.norm();
  }

  double inverse_norm() override
  {
    const OneThreadBlas one_thread;
    return estimate_inverse_norm(plan_.tree.rows(),
                                 [&](double *x) { solve_.run(1, x, plan_.tree.rows(), x, plan_.tree.rows()); });
  }

  Offset bytes() const override
  {
    Offset numbers = Offset(top_.size());
    for (const ThreadMemory &memory : memory_)
      numbers += Offset(memory.contributions.size() + memory.work.size());
    return store_.bytes() + refine_.bytes() + numbers * Offset(sizeof(double));
  }

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

  static constexpr Offset none = INT64_MAX;
  static constexpr double countable = 1LL << 53; ///< work beyond which no bound is kept
  static constexpr double measured_share = 8;    ///< operations for uncertain pivots, over those of the factorization
  /// A front that failed; of several, the one with the lowest number is reported, so that the report does not depend on
  /// the order in which threads come.
  void fail(Index s, DirectReport::Status status, Index column)
  {
    bad_[s] = 1;
    const Offset what = (Offset(s) << 34) | (Offset(column) << 2) | status;
    Offset before = failed_.load();
    while (what < before && !failed_.compare_exchange_weak(before, what)) {
    }
  }

  /// Operations that a front takes, about.
  double flops_of_front(Index s) const
  {
    return double(plan_.tree.columns(s)) * double(plan_.rows_of(s)) * double(plan_.rows_of(s));
  }

  double flops_of(Index subtree) const
  {
    double sum = 0;
    for (Index s : plan_.subtrees[subtree].front)
      sum += flops_of_front(s);
    return sum;
  }

  double *contribution(Index s, ThreadMemory &memory)
  {
    const Index up = plan_.tree.parent[s];
    const bool in_top = plan_.subtree[s] < 0 || up < 0 || plan_.subtree[up] < 0;
    return (in_top ? top_.data() : memory.contributions.data()) + plan_.contribution_at[s];
  }

  void factor_subtree(Index subtree, const double *values, const DirectOptions &options, ThreadMemory &memory)
  {
    if (Offset(memory.contributions.size()) < most_memory_)
      memory.contributions.resize(most_memory_);
    for (Index s : plan_.subtrees[subtree].front)
      factor_front(s, values, options, false, memory);
  }

  void factor_front(Index s, const double *values, const DirectOptions &options, bool parallel, ThreadMemory &memory)
  {
    for (Index c = plan_.tree.child_start[s]; c < plan_.tree.child_start[s + 1]; ++c)
      bad_[s] |= bad_[plan_.tree.child[c]];
    if (bad_[s] || !may_begin(s))
      return;
    Assembly assembly(plan_, store_, values, parallel);
    FrontColumns &front = assembly.run(s, contribution(s, memory), [&](Index c) { return contribution(c, memory); });
    if (kind_ == FactorKind::LLT) {
      const Index bad = eliminate_llt(front, parallel);
      if (bad >= 0) {
        fail(s, DirectReport::NotDefinite, bad);
        return;
      }
      update_contribution_llt(front, contribution(s, memory), parallel);
      return;
    }
    eliminate_ldlt(front, options, parallel, memory.work);
    if (front.eliminated < front.columns && plan_.tree.parent[s] < 0) {
      fail(s, DirectReport::NonFinite, 0);
      return;
    }
    update_contribution_ldlt(front, contribution(s, memory), parallel, memory.work);
  }

  /// Counts the work of a front, its delayed columns included. Nothing begins any longer when that of all fronts is too
  /// much: the sum does not depend on the order in which threads come, so neither does what becomes of it.
  bool may_begin(Index s)
  {
    if (most_work_ == none)
      return true;
    Index columns = plan_.tree.columns(s);
    for (Index c = plan_.tree.child_start[s]; c < plan_.tree.child_start[s + 1]; ++c)
      columns += store_[plan_.tree.child[c]].columns - store_[plan_.tree.child[c]].eliminated;
    if (!gave_up())
      work_ += Offset(std::min(front_flops(columns, columns + plan_.tree.below_rows(s)), countable));
    return !gave_up();
  }

  bool gave_up() const
  {
    return work_.load() > most_work_;
  }

  DirectReport report() const
  {
    DirectReport r;
    if (gave_up()) {
      r.status = DirectReport::Cascade;
      return r;
    }
    if (failed_.load() != none) {
      r.status = DirectReport::Status(failed_.load() & 3);
      const Index s = Index(failed_.load() >> 34), column = Index(failed_.load() >> 2 & 0xffffffff);
      r.failed_row = plan_.tree.perm[plan_.tree.first[s] + std::min(column, plan_.tree.columns(s) - 1)];
      return r;
    }
    return report_of(plan_, store_, kind_);
  }

  const FrontPlan &plan_;
  const FactorKind kind_;
  FrontStore store_;
  FrontSolve solve_;
  Refinement refine_;
  Buffer<double> top_;               ///< contributions to fronts of the top
  std::vector<ThreadMemory> memory_; ///< [threads]
  Offset most_memory_ = 0;
  std::vector<Index> order_;      ///< of the subtrees
  std::vector<std::uint8_t> bad_; ///< [fronts] 1: failed, or a descendant did
  std::atomic<Offset> failed_{none};
  Offset most_work_ = none;
  std::atomic<Offset> work_{0}; ///< of the fronts that have begun, if it is bounded
};

} // namespace

std::unique_ptr<DirectFactorization> make_host_direct(const FrontPlan &plan, FactorKind kind)
{
  return std::make_unique<HostDirect>(plan, kind);
}

} // namespace tessera
