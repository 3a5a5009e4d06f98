#ifndef TESSERA_CUDA_FRONT_PLANNED_ON_DEVICE_CUH
#define TESSERA_CUDA_FRONT_PLANNED_ON_DEVICE_CUH

#include "base/permute.hpp"
#include "cuda/front/front_factor.cuh"
#include "cuda/front/solve/residual.cuh"
#include "cuda/front/solve/solve.cuh"
#include "factor/front/delay_rounds.hpp"
#include "factor/front/direct_factorization.hpp"
#include "factor/front/predicted_time.hpp"
#include "host/front/solve/inverse_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace tessera {

/// What a plan has in device memory: its fronts, and the substitutions with their factor.
struct FrontsOnDevice {
  FrontFactor factor;
  FrontSubstitution substitution;
};

/// A factorization whose numbers are in device memory. It takes the pivots that the plan proposes. Where one of them
/// fails a test, scale factors are fitted to the values. Where one still fails, and the plan has many operations,
/// columns that fail are delayed in the plan, and the matrix is factored again; where that leads nowhere, pivots that
/// are next to nothing are left out, if the factorization does that. Where there is still no pivot for a column, or the
/// plan has few operations, the host factors the matrix, and the plan becomes the one with its pivots; where these fail
/// later, the host factors again at once. Where panels had to be searched, which takes time, the plan takes the order
/// in which pivots were found; of LU the panels keep the rows in which they were. All that is for this matrix and the
/// next ones. LDLᵀ of a matrix that may be analysed anew, see DirectOptions::other_values, ends where that takes less
/// time than the rest.
///
/// Plan: FrontPlan, or LuPlan. The queue has to be the thread's current one while it is made.
template <class Plan>
class PlannedOnDevice : public DirectFactorization {
public:
  Place place() const override { return Place::Device; }

  DirectReport factor(const double *values, const DirectOptions &options) override
  {
    const DeviceCall call(*queue_);
    DirectReport r;
    const bool is_static = chooses_pivots() && options.is_static();
    gives_up_ = options.other_values && is_symmetric() && chooses_pivots();
    if (is_static)
      prepare_static();
    PivotTotals totals = run(values, options);
    const Index bad = refinement_.accept(totals.findings);
    if (bad >= 0)
      return DirectReport::of_failure(DirectReport::NonFinite, bad); // the factor stays
    begin();
    if (totals.findings.not_symmetric.any())
      return DirectReport::of_failure(DirectReport::NotSymmetric, totals.findings.not_symmetric.row());
    if (!is_static && find_factor(values, options, totals, r))
      return r;
    if (failed(totals)) {
      r.status = is_static ? DirectReport::NonFinite : failure(); // nothing else is left to fail
      r.failed_row = fronts_of(plan()).tree.perm[totals.verdict.failed.row()];
      return r;
    }
    tell(totals, r);
    if (!is_static && !settle(values, options, r))
      r.status = failure();
    return r;
  }

  SolveReport solve(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading,
                    const RefinementOptions &refinement) override
  {
    const DeviceCall call(*queue_);
    return solve_and_refine(false, &refinement_, columns, b, b_leading, x, x_leading, refinement);
  }

  double norm() const override { return refinement_.norm(); }

  double inverse_norm() override
  {
    const DeviceCall call(*queue_);
    const Index n = rows();
    const DeviceArray<double> b(n, *queue_), y(n, *queue_);
    return estimate_inverse_norm(n, [&](double *x, bool transposed) {
      check(cudaMemcpyAsync(b.data(), x, b.bytes(), cudaMemcpyHostToDevice, *queue_), "copying to the device");
      substitute(transposed, 1, b.data(), n, y.data(), n);
      check(cudaMemcpyAsync(x, y.data(), y.bytes(), cudaMemcpyDeviceToHost, *queue_), "copying to the host");
      check(cudaStreamSynchronize(*queue_), "solving");
      copies_.to_device += b.bytes();
      copies_.to_host += y.bytes();
    });
  }

  Copies take_copies() override
  {
    Copies copies = std::exchange(copies_, {});
    copies.reports += refinement_.take_copies();
    return copies;
  }

  Offset bytes() const override
  {
    return fronts_->factor.bytes() + fronts_->substitution.bytes() + refinement_.bytes();
  }

protected:
  PlannedOnDevice(const Plan &plan, std::shared_ptr<DeviceQueue> queue)
      : queue_(std::move(queue)), given_(plan),
        refinement_(fronts_of(plan).matrix, fronts_of(plan).source, *queue_, fronts_of(plan).mirror)
  {
  }

  static const FrontPlan &fronts_of(const FrontPlan &plan) { return plan; }
  template <class OfLu>
  static const FrontPlan &fronts_of(const OfLu &plan)
  {
    return plan.fronts;
  }

  /// With delayed columns, or with pivots that the host has found, or as it was given.
  const Plan &plan() const { return found_ ? *found_ : given_; }
  const Plan &given() const { return given_; }
  bool is_symmetric() const { return fronts_of(given_).symmetric; }
  Index rows() const { return fronts_of(given_).tree.rows(); }
  DeviceQueue &queue() const { return *queue_; }
  const FrontsOnDevice &fronts() const { return *fronts_; }
  FrontsOnDevice &fronts() { return *fronts_; }
  const DeviceRefinement &refinement() const { return refinement_; }
  DeviceRefinement &refinement() { return refinement_; }
  Copies &copies() { return copies_; }

  /// The constructor of what is derived calls this, and its destructor queue().retire().
  void place_fronts()
  {
    fronts_ = make_fronts(plan());
    rescaled_ = false;
  }

  /// Returns what FrontSubstitution::run() does.
  Index substitute(bool transposed, Index columns, const double *b, Offset b_leading, double *x, Offset x_leading)
  {
    FrontFactorView factor = fronts_->factor.view();
    factor.value = refinement_.values();
    const Index at_a_time = fronts_->substitution.run(factor, transposed, columns, b, b_leading, x, x_leading);
    correct(transposed, columns, b, b_leading, x, x_leading);
    return at_a_time;
  }

  /// refinement: of the matrix, or of its transpose; it is used where options.most > 0.
  SolveReport solve_and_refine(bool transposed, DeviceRefinement *refinement, Index columns, const double *b,
                               Offset b_leading, double *x, Offset x_leading, const RefinementOptions &options)
  {
    SolveReport report;
    report.at_a_time = substitute(transposed, columns, b, b_leading, x, x_leading);
    if (options.most > 0)
      refinement->run(columns, b, b_leading, x, x_leading, options, report,
                      [&](Index n, const double *r, double *c) { substitute(transposed, n, r, rows(), c, rows()); });
    return report;
  }

  static bool failed(const PivotTotals &totals) { return totals.verdict.failed.any(); }

  /// By which pivots are searched.
  static double strict_threshold(const DirectOptions &options)
  {
    return std::max(options.threshold, options.search_threshold);
  }

  PivotTotals run(const double *values, const DirectOptions &options)
  {
    // Entries of L in a diagonal block cost digits where its inverse is formed. But what the host has found stays, and
    // static pivoting has the host's bound.
    constexpr double own_bound = 32;
    const double bound = 1 / (options.is_static() ? options.own_threshold() : strict_threshold(options));
    const bool is_hosts = is_searched_ || options.is_static();
    const PivotTotals totals =
        fronts_->factor.run(refinement_, values, rules(options, is_hosts ? bound : std::min(own_bound, bound)));
    copies_.reports += sizeof totals;
    return totals;
  }

  /// Of columns at a root, see DelayRounds: with all pivots, of which those that are next to nothing may fail whatever
  /// is tried, and without these.
  static constexpr int most_stalls = 2, most_stalls_without = 6;

  /// Delays columns that fail in a factorization, and takes the order of the pivots that were found, as far as that
  /// leads. totals: of the last factorization.
  void delay(const double *values, const DirectOptions &options, int stalls, PivotTotals &totals, DirectReport &r)
  {
    const Index most = r.delay_rounds + most_delays();
    for (DelayRounds rounds(stalls);; totals = run(values, options))
      if (failed(totals) && r.delay_rounds < most && delay_columns(rounds, options, r.delay_rounds))
        ++r.delay_rounds;
      else if (!failed(totals) && order_pivots(totals))
        ++r.reorders;
      else
        break;
  }

  /// Whether columns are delayed where pivots fail.
  bool is_worth_delays(const DirectOptions &options) const
  {
    return fronts_of(given_).flops >= options.least_delay_flops;
  }

  /// A plan of its own in place of the given one, for other scale factors.
  Plan &own_plan()
  {
    if (!found_)
      found_ = std::make_unique<Plan>(given_);
    return *found_;
  }

  /// Whether a factorization that fails is to end in favour of a new analysis.
  bool gives_up() const { return gives_up_; }

  /// The caller's values.
  std::vector<double> fetch(const double *values)
  {
    std::vector<double> on_host(count_sources(fronts_of(given_).source));
    const std::size_t bytes = on_host.size() * sizeof on_host[0];
    check(cudaMemcpyAsync(on_host.data(), values, bytes, cudaMemcpyDeviceToHost, *queue_), "copying to the host");
    check(cudaStreamSynchronize(*queue_), "copying to the host");
    copies_.to_host += bytes;
    return on_host;
  }

  /// Takes what a factorization tells of its pivots.
  void tell(const PivotTotals &totals, DirectReport &r)
  {
    r.delayed = delayed_;
    r.entries = fronts_of(plan()).factor_entries;
    r.flops = fronts_of(plan()).flops;
    r.uncertain = Offset(totals.verdict.uncertain);
    r.perturbed = Offset(totals.verdict.perturbed);
    r.searched_panels = Offset(totals.verdict.searched);
    r.largest = totals.largest;
    accept(totals, r);
  }

  DirectReport factor_on_host(DirectFactorization &host, const double *values, const DirectOptions &options)
  {
    return host.factor(fetch(values).data(), options);
  }

  /// A factorization of the plan on the host that may find other pivots, or null.
  virtual std::unique_ptr<DirectFactorization> make_search(const Plan &plan) const = 0;
  enum class NewScale {
    None,
    OfThePlan,  ///< and of the next ones that are made of it
    OfTheDevice ///< alone: the plan keeps its own
  };
  /// Fits scale factors to the values of the last run. values: the caller's, the same.
  virtual NewScale renew_scale(const double *values) = 0;
  /// Whether it has pivots to choose: LLᵀ has none.
  virtual bool chooses_pivots() const = 0;
  /// Called when pivots still fail: factors the matrix without them, and fills in the report; returns whether there is
  /// such a factor. may_search: others may be found for them, so LU does so only if they are 0, and LDLᵀ if they are
  /// not too many to be measured.
  virtual bool leave_out(const double *, const DirectOptions &, bool /* may_search */, DirectReport &) { return false; }
  /// Scale factors of the rows, and of the columns, of the plan, in the order of the matrix.
  std::vector<double> row_scale() const { return unpermuted_scale(fronts_of(plan())); }
  virtual std::vector<double> column_scale() const = 0;
  /// Whether scale factors were fitted to values since the plan was made.
  bool is_rescaled() const { return rescaled_; }

private:
  virtual std::unique_ptr<FrontsOnDevice> make_fronts(const Plan &plan) const = 0;
  virtual PivotRules rules(const DirectOptions &options, double own_bound) const = 0;
  /// Takes what the device tells of a complete factorization.
  virtual void accept(const PivotTotals &totals, DirectReport &r) = 0;
  /// Called when a factor replaces the one before, of which nothing is to be left.
  virtual void begin() {}
  /// Called when pivots fail, first of all: whether the rules are less strict now.
  virtual bool relax() { return false; }
  /// Called with the report of a complete factorization without static pivoting, which it may change, and factor the
  /// matrix again: returns whether there is a factor.
  virtual bool settle(const double *, const DirectOptions &, DirectReport &) { return true; }
  /// Queues what is added to solutions X, arguments as of substitute().
  virtual void correct(bool, Index, const double *, Offset, double *, Offset) {}
  /// Fits scale factors to the values of the last run; returns whether it does.
  bool fit_scale(const double *values)
  {
    const NewScale scale = renew_scale(values);
    rescaled_ = rescaled_ || scale == NewScale::OfTheDevice;
    return scale != NewScale::None;
  }

  /// After a run with all that the plan has, of which these are the totals: where pivots fail, does what the class says
  /// about that. Returns whether the report is complete, as that of a factor without some pivots is.
  bool find_factor(const double *values, const DirectOptions &options, PivotTotals &totals, DirectReport &r)
  {
    if (failed(totals) && relax())
      totals = run(values, options);
    if (failed(totals) && fronts_->factor.forget_row_order()) {
      is_ordered_ = false;
      ++r.forgotten_orders;
      totals = run(values, options);
    }
    if (failed(totals) && fit_scale(values)) {
      ++r.rescales;
      totals = run(values, options);
    }
    delay(values, options, most_stalls, totals, r);
    // Of LDLᵀ with few operations a search takes less than a factorization without pivots.
    const bool leaves_out_first = !is_symmetric() || is_worth_delays(options);
    if (failed(totals) && leaves_out_first && leave_out(values, options, true, r))
      return true;
    while (failed(totals) && r.searches < most_searches() && find_pivots(values, options, r.searches)) {
      ++r.searches;
      totals = run(values, options);
      if (is_symmetric() && leaves_out_first && failed(totals) && r.searches < most_searches() &&
          leave_out(values, options, true, r))
        return true;
    }
    return failed(totals) && !gives_up_ && leave_out(values, options, false, r);
  }
  /// What it is when pivots fail that are not searched.
  virtual DirectReport::Status failure() const = 0;

  static constexpr Index most_delay_rounds = 24, most_lu_delay_rounds = 12; ///< for one matrix
  /// Share of the time of a factorization that searches may take before a plan is made to be without.
  static constexpr double most_search = 0.02;

  /// Static pivoting has the given plan and its scale factors, and wants to know the largest entry of the scaled
  /// matrix.
  void prepare_static()
  {
    if (found_ || rescaled_) {
      delayed_ = 0;
      take_plan(nullptr);
    }
    if (!refinement_.has_scale())
      refinement_.take_scale(row_scale(), column_scale());
  }

  /// Makes the pivots that the host finds those of the plan; returns whether it finds them. A plan that has collected
  /// too many delayed pivots of other matrices is not built on. searches: those before for this matrix; after the
  /// first one fronts are rather split than that their pivots come in another order, which may be why they failed, and
  /// the host's threshold is four times as large each time, as orders that differ by little have entries of L that are
  /// larger by little. So it is where values have changed: pivots that barely pass fail next time. Operations are
  /// bounded there.
  bool find_pivots(const double *values, const DirectOptions &options, Index searches)
  {
    const bool anew = is_exhausted();
    if (anew && gives_up_)
      return false;
    const Plan &from = anew ? given_ : plan();
    const std::unique_ptr<DirectFactorization> host = make_search(from);
    if (!host)
      return false;
    DirectOptions stricter = options;
    const double usual = strict_threshold(options);
    stricter.threshold =
        std::max(usual, std::min(usual * std::exp2(2 * (searches + Index(gives_up_))), largest_threshold));
    stricter.measures = false;
    if (gives_up_)
      stricter.most_work = most_work_of(fronts_of(given_), fronts_of(given_).flops);
    const DirectReport report = factor_on_host(*host, values, stricter);
    if (report.status != DirectReport::Complete || !takes(report))
      return false;
    auto next =
        std::make_unique<Plan>(next_plan(from, host->pivots(), searches > 0 ? OddPairs::Split : OddPairs::Reorder));
    delayed_ = (anew ? 0 : delayed_) + report.delayed;
    take_plan(std::move(next));
    is_searched_ = true;
    return true;
  }

  /// Moves the columns that failed to where they may have a pivot, see DelayRounds; returns whether it did. A plan of
  /// few operations is searched by the host once, in place of several factorizations with a new plan each. So is one
  /// with pivots that the host has found: delays had led nowhere, and would again.
  bool delay_columns(DelayRounds &rounds, const DirectOptions &options, Index done)
  {
    if (!chooses_pivots() || is_searched_ || !is_worth_delays(options))
      return false;
    if (is_exhausted()) {
      if (done > 0 || gives_up_)
        return false;
      delayed_ = 0;
      take_plan(nullptr);
      return true;
    }
    const Offset before = rounds.delayed();
    const std::optional<PivotSequence> pivots = rounds.next(fronts_of(plan()), fronts_->factor.failed_columns());
    copies_.reports += rows();
    if (!pivots)
      return false;
    const bool rescaled = rescaled_;
    take_plan(std::make_unique<Plan>(next_plan(plan(), *pivots, OddPairs::Reorder)));
    delayed_ += rounds.delayed() - before;
    return !rescaled || fit_scale(nullptr);
  }

  /// Makes the order in which searches have found pivots that of the plan, if they take a good part of the time;
  /// returns whether it did. Once for a plan: other matrices may have others, and a plan takes longer than many
  /// searches. So where values have changed, and will again, a few factorizations have to be worth it. Of LU, whose
  /// rows and columns are in one order in the plan, the fronts keep that of the rows, until pivots fail in it.
  bool order_pivots(const PivotTotals &totals)
  {
    if (is_ordered_ || is_searched_ || totals.verdict.searched == 0)
      return false;
    is_ordered_ = true;
    const FrontPlan &of = fronts_of(plan());
    const std::vector<SearchedPlace> place = fronts_->factor.searched_places();
    copies_.reports += rows();
    constexpr double later_uses = 10;
    const double saved = predicted_search_time(of, searched_columns(of, place));
    if (saved < most_search * predicted_device_time(of) || (gives_up_ && later_uses * saved < predicted_delay_time(of)))
      return false;
    if (is_symmetric())
      take_plan(std::make_unique<Plan>(next_plan(plan(), searched_order(of, place), OddPairs::Reorder)));
    else
      fronts_->factor.take_row_order();
    is_ordered_ = true;
    return true;
  }

  /// Whether the plan has collected too many delayed pivots to be built on.
  bool is_exhausted() const { return found_ && fronts_of(*found_).flops > most_plan_growth * fronts_of(given_).flops; }

  /// As many delays at most as take the time of a search by the host, or a part of that of a new analysis, whose pivots
  /// pass for longer. Of LU, whose fronts are square, fewer.
  Index most_delays() const
  {
    constexpr double part = 0.25;
    if (!is_symmetric())
      return most_lu_delay_rounds;
    const FrontPlan &of = fronts_of(given_);
    const double delay = predicted_delay_time(of); // a search makes a plan as well
    const double time = gives_up_ ? part * predicted_analysis_time(of) : predicted_pivoting_time(of) + delay;
    return std::min(most_delay_rounds, Index(time / delay));
  }

  /// For one matrix. One that takes longer than a new analysis is left to that.
  Index most_searches() const
  {
    constexpr Index most = 3;
    const FrontPlan &of = fronts_of(given_);
    return !gives_up_ ? most : predicted_pivoting_time(of) <= predicted_analysis_time(of) ? 1 : 0;
  }

  /// Makes it the plan of the device, in place of the one it has. Null: the given one.
  void take_plan(std::unique_ptr<Plan> plan)
  {
    fronts_.reset(); // its memory is needed
    found_ = std::move(plan);
    is_searched_ = is_ordered_ = false;
    place_fronts();
  }

  static FrontPlan next_plan(const FrontPlan &from, const PivotSequence &pivots, OddPairs odd)
  {
    return replan(from, pivots, odd);
  }
  template <class OfLu> // which has no pairs
  static OfLu next_plan(const OfLu &from, const PivotSequence &pivots, OddPairs)
  {
    return replan(from, pivots);
  }

  /// Called when the host has found other pivots: whether a factor with them can be on a device.
  virtual bool takes(const DirectReport &) { return true; }

  std::shared_ptr<DeviceQueue> queue_; ///< before what is freed in its order
  const Plan &given_;
  std::unique_ptr<Plan> found_; ///< with delayed columns, or with pivots that the host has found, or null
  bool is_searched_ = false;    ///< the host has found its pivots
  bool is_ordered_ = false;     ///< it has the order that searches have found, or is not to have it
  std::unique_ptr<FrontsOnDevice> fronts_;
  bool rescaled_ = false; ///< they have other scale factors than the plan
  bool gives_up_ = false; ///< see gives_up()
  DeviceRefinement refinement_;
  Offset delayed_ = 0; ///< columns that are not in the front in which the given plan has them, counted by fronts
  Copies copies_;
};

} // namespace tessera
#endif
