#include "factor/lu/lu_factorization.hpp"

#include "base/permute.hpp"
#include "host/front/blas_threads.hpp"
#include "host/front/front_loop.hpp"
#include "host/front/least_pivot.hpp"
#include "host/front/left_to_roots.hpp"
#include "host/front/solve/inverse_norm.hpp"
#include "host/front/solve/refinement.hpp"
#include "host/lu/assemble_lu.hpp"
#include "host/lu/eliminate_lu.hpp"
#include "host/lu/lu_report.hpp"
#include "host/lu/lu_solve.hpp"
#include "host/lu/measure_zeros.hpp"

#include <algorithm>
#include <limits>

namespace tessera {
namespace {

/// The transpose of a matrix, for the residuals of transposed solves.
template <class T>
struct TransposedMatrix {
  Pattern pattern;
  std::vector<Offset> source; ///< of its entries, among those of the matrix
  std::unique_ptr<Refinement<T>> refine;
};

template <class T>
class HostLu : public DirectFactorizationOf<T>, private FrontWork<T> {
public:
  explicit HostLu(const LuPlan &plan)
      : plan_(plan), store_(plan.fronts), loop_(plan.fronts), solve_(plan, store_),
        refine_(plan.fronts.matrix, plan.fronts.source,
                [this](const T *b, T *x) { solve_.run(false, 1, b, rows(), x, rows()); })
  {
  }

  Place place() const override { return Place::Host; }

  DirectReport factor(const T *values, const DirectOptions &given) override
  {
    const OneThreadBlas one_thread;
    options_ = given;
    options_.uncertain = std::max(given.uncertain, rows() * std::numeric_limits<double>::epsilon());
    values_ = values;
    transposed_.refine.reset(); // it has the values of before
    if (const Index row = refine_.set_values(values); row >= 0)
      return DirectReport::of_failure(DirectReport::NonFinite, row);
    if (given.is_static())
      options_.least_pivot =
          least_pivot_of(plan_.fronts, unpermuted_scale(plan_.fronts), unpermuted_column_scale(plan_), values);
    solve_.set_coupling(values);
    return left_to_roots_.run(
        LeftToRoots::is_allowed(given), [this](bool leaves_out, DirectReport &r) { return factor_once(leaves_out, r); },
        [this] { return can_measure_uncertain(); }, [this](DirectReport &r) { measure(r); });
  }

  SolveReport solve(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading,
                    const RefinementOptions &refinement) override
  {
    const OneThreadBlas one_thread;
    solve_.run(false, columns, b, b_leading, x, x_leading);
    return refine_.run(columns, b, b_leading, x, x_leading, refinement);
  }

  SolveReport solve_transposed(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading,
                               const RefinementOptions &refinement) override
  {
    const OneThreadBlas one_thread;
    solve_.run(true, columns, b, b_leading, x, x_leading);
    if (refinement.most > 0 && !transposed_.refine)
      make_transposed();
    return refinement.most > 0 ? transposed_.refine->run(columns, b, b_leading, x, x_leading, refinement)
                               : SolveReport();
  }

  PivotSequence pivots() const override { return pivots_of(plan_, store_); }
  ScaledProductOf<T> determinant() const override { return determinant_of(plan_, store_); }
  double norm() const override { return refine_.norm(); }

  double inverse_norm() override
  {
    const OneThreadBlas one_thread;
    return estimate_inverse_norm<T>(rows(),
                                    [&](T *x, bool transposed) { solve_.run(transposed, 1, x, rows(), x, rows()); });
  }

  Offset bytes() const override
  {
    const Offset transposed = transposed_.refine ? transposed_.refine->bytes() : 0;
    return store_.bytes() + refine_.bytes() + loop_.bytes() + solve_.bytes() + transposed;
  }

private:
  Index rows() const { return plan_.fronts.tree.rows(); }

  /// See LeftToRoots.
  bool factor_once(bool leaves_out, DirectReport &r)
  {
    options_.leaves_out = leaves_out;
    if (!loop_.run(*this, options_.most_work, r))
      return false;
    if (leaves_out)
      return measure(r);
    r = report_of(plan_, store_);
    return true;
  }

  /// Whether there are uncertain pivots, and with those that are zero, which are at the roots anyway, not too many of
  /// any block to be measured together.
  bool can_measure_uncertain() const
  {
    const FrontPlan &fronts = plan_.fronts;
    Offset all = 0;
    for (const DiagonalBlock &block : plan_.block) {
      Offset pivots = 0;
      for (Index s = block.begin; s < block.end; ++s)
        pivots += store_[s].uncertain;
      all += pivots;
      if (pivots > 0 && !can_measure(pivots + store_[block.end - 1].zero,
                                     fronts.tree.first[block.end] - fronts.tree.first[block.begin], fronts.flops))
        return false;
    }
    return all > 0;
  }

  /// Measures what is zero. Returns whether all of that could be measured, and none is taken for zero in doubt.
  bool measure(DirectReport &r)
  {
    const MeasuredRoots roots = measure_zeros(plan_, store_, solve_, values_, options_);
    r = report_of(plan_, store_);
    r.uncertain += roots.uncertain;
    r.measured = roots.measured;
    r.bordered = roots.regular;
    return roots.known && roots.uncertain == 0;
  }

  Index delayed(Index s) const override { return store_.delayed(s); }

  FrontOutcome factor_front(Index s, bool parallel, ThreadMemory<T> &memory) override
  {
    T *const contribution = loop_.contribution(s, memory);
    LuFront<T> &front = LuAssembly<T>(plan_, store_, values_, parallel).run(s, contribution, [&](Index c) {
      return loop_.contribution(c, memory);
    });
    eliminate_lu(front, options_, parallel, memory.work);
    if (front.eliminated < front.columns && plan_.fronts.tree.parent[s] < 0 && !eliminate_zeros(front))
      return {DirectReport::NonFinite, 0};
    update_contribution_lu(front, contribution, parallel);
    return {};
  }

  void make_transposed()
  {
    if (transposed_.source.empty())
      transposed_.pattern = transpose(plan_.fronts.matrix, &transposed_.source);
    transposed_.refine =
        std::make_unique<Refinement<T>>(transposed_.pattern, transposed_.source,
                                        [this](const T *b, T *x) { solve_.run(true, 1, b, rows(), x, rows()); });
    transposed_.refine->set_values(refine_.values().data());
  }

  const LuPlan &plan_;
  LuStore<T> store_;
  FrontLoop<T> loop_;
  LuSolve<T> solve_;
  Refinement<T> refine_;
  TransposedMatrix<T> transposed_;
  DirectOptions options_;     ///< of the factorization that runs
  const T *values_ = nullptr; ///< for it
  LeftToRoots left_to_roots_;
};

} // namespace

template <class T>
std::unique_ptr<DirectFactorizationOf<T>> make_host_lu(const LuPlan &plan)
{
  return std::make_unique<HostLu<T>>(plan);
}

template std::unique_ptr<DirectFactorization> make_host_lu(const LuPlan &);
template std::unique_ptr<DirectFactorizationOf<Complex>> make_host_lu(const LuPlan &);

} // namespace tessera
