#ifndef TESSERA_FACTOR_JLDLT_FACTOR_HPP
#define TESSERA_FACTOR_JLDLT_FACTOR_HPP

#include "base/memory.hpp"
#include "factor/jldlt/apply.hpp"
#include "factor/jldlt/arrays.hpp"
#include "factor/jldlt/kernels.hpp"
#include "factor/jldlt/options.hpp"
#include "factor/jldlt/push_back.hpp"
#include "factor/jldlt/steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

namespace tessera {

/// A Jacobi-LDLᵀ factorization (thesis Alg. 11) in the memory of a backend: its storage, and the order of its sweeps.
/// factor/jldlt/contract.hpp says what a backend has.
template <class Backend>
class JacobiFactor {
public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  JacobiFactor(const BlockStructure &structure, Backend &backend);

  /// Factors the matrix with these values, which the backend can read. When it throws, for lack of memory, it cannot be
  /// used any longer.
  JacobiReport factor(const ValuesView &values, const JacobiOptions &options);

  /// The factor, as `now`.
  JacobiView view() const;

  double *publish(const Offset *place, const Index *block_start, const Offset *inverse_start, double *inverse,
                  double *d, double *e);
  /// What publish left.
  const Array<double> &published() const { return published_; }
  void substitute(Index sweeps, bool definite, double *rhs, double *x, double *work);

  /// Memory held where the backend keeps its arrays,
  Offset bytes() const;
  /// and besides on the host.
  Offset host_bytes() const { return layout_.bytes() + first_order_.bytes(); }
  /// Of U, those above the diagonal in diagonal tiles included, and D.
  Offset entries() const { return plan_->kept() + (layout_.inverse_start.back() + structure_.rows) / 2; }
  /// Columns that U keeps of each tile.
  std::vector<std::uint32_t> masks() { return backend_.download(plan_->mask()); }
  bool reordered() const { return reordered_; }

  /// The order of the blocks after the last factorization.
  IndexedBlocks order() const;

private:
  using Iterate = IterateArrays<Backend>;

  Backend &backend_;
  const BlockStructure &structure_;
  JacobiLayout layout_;
  IndexedBlocks first_order_;
  IndexArrays<Backend> index_;
  Array<Index> block_start_, tile_row_, tile_column_, by_width_, row_entry_, row_column_;
  Array<Offset> lower_start_, inverse_start_, row_pieces_;
  Array<JacobiRow> rows_;
  Array<std::uint32_t> pairs_;
  std::unique_ptr<PlanArrays<Backend>> plan_;
  Array<double> a_, probe_, reference_, product_, residual_, error_, row_sum_, reference_squares_, row_sums_;
  Iterate iterate_[2];
  Array<JacobiSums> sums_;
  Array<std::uint8_t> held_in_, base_; ///< [blocks] which iterate had each block before the last stage, the last sweep
  Array<std::uint8_t> active_;         ///< [blocks] whether the last stage computed it
  Array<Offset> changed_;              ///< [blocks] the step that did last
  Offset step_ = 0;                    ///< the number of the last stage
  Array<double> published_;
  bool known_ = false;                       ///< it is a factor, whose errors are known
  bool reordered_ = false;                   ///< blocks have been pushed back
  Index stages_ = 0;                         ///< asked for
  double epsilon_ = 0, last_epsilon_ = 0;    ///< of the first and of the last sweep that made it
  double first_error_ = 0;                   ///< after the first sweep of the last run from U = 0
  double chosen_error_ = 0;                  ///< after all of them
  Index useful_sweeps_ = 0;                  ///< of them, after which the error was nearly that; 0: not known
  Index useful_warm_sweeps_ = 0;             ///< likewise of the last run from a factor
  double norm_ = 0;                          ///< ||A||_1
  std::optional<JacobiSums> sums_of_factor_; ///< unless it has changed since

  void make_plan(const IndexedBlocks &order, Index stages, Offset max_bytes);
  JacobiSums sum_blocks(const JacobiView &v);
  void gather(const ValuesView &values);
  JacobiSums measure();
  void push_failed(const JacobiOptions &options, bool fresh, JacobiReport &report);
  void move_to_order(const Array<Index> &failed, Offset max_bytes);
  JacobiView begin_stage(Index stage, Index stages, bool all);
  void pull(const JacobiView &v);
  template <class Step>
  void sweep_items(const JacobiView &v, const ItemArray<Backend, typename Step::Item> &items)
  {
    backend_.template sweep<Step>(of_stage(items.ranges, v), items.item.data(), v, layout_.largest_block);
  }
  static WidthRanges of_stage(const StageRanges &ranges, const JacobiView &v)
  {
    return v.stage == every_stage ? ranges.all() : ranges.stage(v.stage);
  }
  void factor_diagonals(const JacobiView &v, Pivoting pivoting);
  void sweep_stage(const JacobiView &v, const JacobiOptions &options);
  void sweep(const JacobiOptions &options, double delta, bool fresh, bool all);
  void sweep_at_once(const JacobiOptions &options, double delta, bool all);
  void undo_sweep();
  void sweeps(const JacobiOptions &options, double epsilon, Index first, Index last, JacobiReport &report);
  void start(const JacobiOptions &options, JacobiReport &report);
  double choose_epsilon(const JacobiOptions &options, JacobiReport &report);
  bool factor_as_before(const JacobiOptions &options, JacobiReport &report);
  bool factor_warm(const JacobiOptions &options, JacobiReport &report);
  bool sweep_unwatched(const JacobiOptions &options, double epsilon, Index n, JacobiReport &report);
  void factor_cold(const JacobiOptions &options, JacobiReport &report);

  void sweep_forward_once(const JacobiView &v, const double *rhs, const double *from, double *to);
  void sweep_backward_once(const JacobiView &v, const double *rhs, const double *from, bool definite, double *to);
  template <class Kernel>
  void run_terms(const ItemArray<Backend, JacobiTerms> &items, const Kernel &kernel)
  {
    backend_.run_by_width(items.ranges.all(), kernel);
  }
};

template <class Backend>
JacobiFactor<Backend>::JacobiFactor(const BlockStructure &s, Backend &backend)
    : backend_(backend), structure_(s), layout_(s), first_order_(index_blocks(s.tiles)), index_(backend, first_order_),
      block_start_(backend.upload(s.block_start)), tile_row_(backend.upload(layout_.tile_row)),
      tile_column_(backend.upload(s.tiles.upper.column)), by_width_(backend.upload(layout_.blocks.item)),
      row_entry_(backend.upload(layout_.row_entry)), row_column_(backend.upload(layout_.row_column)),
      lower_start_(backend.upload(layout_.lower_start)), inverse_start_(backend.upload(layout_.inverse_start)),
      row_pieces_(backend.upload(layout_.row_pieces)), rows_(backend.upload(layout_.rows)),
      pairs_(backend.upload(s.pairs)), a_(backend.template zeros<double>(s.values.start.back())),
      probe_(backend.upload(layout_.probe)), reference_(backend.template zeros<double>(Offset(s.rows) * jacobi_probes)),
      product_(backend.template zeros<double>(Offset(s.rows) * jacobi_probes)),
      residual_(backend.template zeros<double>(Offset(s.rows) * jacobi_probes)),
      error_(backend.template zeros<double>(s.blocks())), row_sum_(backend.template zeros<double>(s.blocks())),
      reference_squares_(backend.template zeros<double>(s.blocks())),
      row_sums_(backend.template zeros<double>(Offset(layout_.rows.size()) * row_sums)),
      iterate_{Iterate(backend, s, layout_), Iterate(backend, s, layout_)},
      sums_(backend.template zeros<JacobiSums>(jacobi_sums)),
      held_in_(backend.template zeros<std::uint8_t>(s.blocks())),
      base_(backend.template zeros<std::uint8_t>(s.blocks())),
      active_(backend.template zeros<std::uint8_t>(s.blocks())), changed_(backend.template zeros<Offset>(s.blocks()))
{
  backend.finish(); // what was uploaded may go
  layout_.forget_rows();
}

/// Lays the factor out for an order of the blocks and so many stages of a sweep; what was in it is lost. Throws
/// OverBudget before the factor is allocated if all would take more than max_bytes, where that is not 0.
template <class Backend>
void JacobiFactor<Backend>::make_plan(const IndexedBlocks &order, Index stages, Offset max_bytes)
{
  plan_.reset(); // its memory is wanted
  for (Iterate &iterate : iterate_)
    iterate.free_tiles();
  const JacobiPlan plan(structure_, layout_, order, stages, max_bytes);
  if (max_bytes > 0 && bytes() + plan.bytes() + 2 * plan.u * Offset(sizeof(double)) > max_bytes)
    throw OverBudget();
  plan_ = std::make_unique<PlanArrays<Backend>>(backend_, plan, stages);
  for (Iterate &iterate : iterate_)
    iterate.allocate_tiles(backend_, *plan_);
}

template <class Backend>
JacobiView JacobiFactor<Backend>::view() const
{
  JacobiView v = {};
  v.index = index_.view();
  v.blocks = structure_.blocks();
  v.tiles = structure_.tiles.upper.entries();
  v.block_start = block_start_.data();
  v.tile_row = tile_row_.data();
  v.tile_column = tile_column_.data();
  v.lower_start = lower_start_.data();
  v.inverse_start = inverse_start_.data();
  v.pairs = pairs_.data();
  plan_->complete(v);
  v.a = a_.data();
  v.iterate[0] = iterate_[0].view();
  v.iterate[1] = iterate_[1].view();
  v.held_in = held_in_.data();
  v.active = active_.data();
  v.changed = changed_.data();
  v.step = step_;
  v.known_stages = plan_->stages;
  v.probe = probe_.data();
  v.reference = reference_.data();
  v.product = product_.data();
  v.residual = residual_.data();
  v.error = error_.data();
  return v;
}

template <class Backend>
Offset JacobiFactor<Backend>::bytes() const
{
  return iterate_[0].bytes() + iterate_[1].bytes() + index_.bytes() + (plan_ ? plan_->bytes() : 0) +
         bytes_of_all(block_start_, tile_row_, tile_column_, by_width_, row_entry_, row_column_, lower_start_,
                      inverse_start_, row_pieces_, rows_, pairs_, a_, probe_, reference_, product_, residual_, error_,
                      row_sum_, reference_squares_, row_sums_, sums_, held_in_, base_, active_, changed_, published_);
}

template <class Backend>
IndexedBlocks JacobiFactor<Backend>::order() const
{
  IndexedBlocks b;
  b.start = first_order_.start;
  b.index = backend_.download(index_.index);
  b.tile = backend_.download(index_.tile);
  b.diagonal = backend_.download(index_.diagonal);
  b.level = backend_.download(index_.level);
  b.order = backend_.download(index_.order);
  b.place = backend_.download(index_.place);
  return b;
}

template <class Backend>
JacobiSums JacobiFactor<Backend>::sum_blocks(const JacobiView &v)
{
  Offset n = v.blocks > jacobi_sums / 4 ? jacobi_sums : jacobi_sums / jacobi_sums_together;
  backend_.each(n, SumBlocks{v, row_sum_.data(), reference_squares_.data(), sums_.data(), n});
  while (n > jacobi_sums_on_host) {
    n /= jacobi_sums_together;
    backend_.each(n, SumSums{sums_.data(), n});
  }
  JacobiSums sum = {};
  for (const JacobiSums &s : backend_.download(sums_, n))
    sum.add(s);
  return sum;
}

/// Takes the values of A, and its norm and its products with the probes.
template <class Backend>
void JacobiFactor<Backend>::gather(const ValuesView &values)
{
  backend_.each(a_.size(), GatherEntry{values, a_.data()});
  backend_.each(rows_.size(), SumPieceOfRow{rows_.data(), row_entry_.data(), row_column_.data(), a_.data(),
                                            probe_.data(), row_sums_.data()});
  backend_.run_by_width(layout_.blocks.ranges.all(),
                        SumRowsOfBlock{by_width_.data(), block_start_.data(), row_pieces_.data(), row_sums_.data(),
                                       residual_.data(), row_sum_.data(), reference_.data(),
                                       reference_squares_.data()});
  norm_ = sum_blocks(view()).row_sum;
}

/// Sums over the factor, `error` among them: an estimate of ||UᵀJU - A|| / ||A|| in the Frobenius norm, fill outside of
/// the pattern included: squares of products with vectors of entries +-1 have its expectation (Hutchinson 1990).
/// Infinite if not a number.
template <class Backend>
JacobiSums JacobiFactor<Backend>::measure()
{
  const JacobiView v = view();
  const PlanArrays<Backend> &plan = *plan_;
  run_terms(plan.row_parts, SumRowPart<jacobi_probes>{v, plan.row_parts.item.data(), v.probe});
  run_terms(plan.row_sums, MultiplyRows{v, plan.row_sums.item.data()});
  run_terms(plan.row_parts, SpreadColumns<jacobi_probes>{v, plan.row_parts.item.data(), v.product});
  run_terms(plan.column_parts, SumColumnPart<jacobi_probes>{v, plan.column_parts.item.data()});
  run_terms(plan.column_sums, MultiplyColumns{v, plan.column_sums.item.data()});
  JacobiSums sum = sum_blocks(v);
  sums_of_factor_ = sum;
  sum.error = sum.reference > 0 ? std::sqrt(sum.error / sum.reference) : 0;
  if (!(sum.error <= std::numeric_limits<double>::max()))
    sum.error = std::numeric_limits<double>::infinity();
  return sum;
}

/// Pushes the blocks back whose diagonal tiles have pivots that fail, after the updates by what the run has computed.
/// fresh: nothing.
template <class Backend>
void JacobiFactor<Backend>::push_failed(const JacobiOptions &options, bool fresh, JacobiReport &report)
{
  auto failed = backend_.template zeros<Index>(structure_.blocks());
  JacobiView v = view();
  v.delta = options.failure * report.norm;
  v.known_stages = fresh ? 0 : plan_->stages;
  backend_.each(v.blocks, ActivateAll{v});
  for (v.stage = 0; v.stage < plan_->stages; ++v.stage) {
    pull(v);
    factor_diagonals(v, options.pivoting);
  }
  backend_.each(v.blocks, MarkFailed{v, failed.data()});
  backend_.clear(active_); // it was a trial
  Offset count = 0;
  for (Index f : backend_.download(failed))
    count += f;
  if (count > 0 && count < v.blocks) {
    move_to_order(failed, options.max_bytes);
    report.pushed += count;
    reordered_ = true;
  }
}

/// Pushes blocks back and carries the old iterate to the layout of the new order.
template <class Backend>
void JacobiFactor<Backend>::move_to_order(const Array<Index> &failed, Offset max_bytes)
{
  const IndexArrays<Backend> old_index(backend_, order());
  const std::unique_ptr<PlanArrays<Backend>> old_plan = std::move(plan_);
  const Array<double> u[2] = {std::move(iterate_[0].u), std::move(iterate_[1].u)};
  push_back(backend_, index_, failed);
  make_plan(order(), stages_, max_bytes);
  const JacobiView to = view();
  JacobiView from = to;
  from.index = old_index.view();
  old_plan->complete(from);
  for (int i = 0; i < 2; ++i)
    from.iterate[i].u = u[i].data();
  backend_.template run<max_block_rows>(to.tiles, MoveTile{from, to});
}

/// Ends the last stage and begins one: finds the blocks that it computes, which are all of its blocks or those that
/// change. stages: of the sweep.
template <class Backend>
JacobiView JacobiFactor<Backend>::begin_stage(Index stage, Index stages, bool all)
{
  ++step_;
  JacobiView v = view();
  v.stage = stage;
  const auto &first = plan_->column_sums.item, &further = plan_->column_parts.item;
  const BeginStage begin{v, first.data(), stages, stage == 0 || stage == every_stage ? base_.data() : nullptr, all};
  backend_.each(first.size(), begin);
  if (!all)
    backend_.each(further.size(), ActivateBlock{begin, further.data()});
  return v;
}

/// B of the blocks of a stage, and what parts of the updates of long rows come to.
template <class Backend>
void JacobiFactor<Backend>::pull(const JacobiView &v)
{
  sweep_items<PullPart>(v, plan_->parts);
  sweep_items<PullDiagonal>(v, plan_->diagonals);
}

template <class Backend>
void JacobiFactor<Backend>::factor_diagonals(const JacobiView &v, Pivoting pivoting)
{
  with_pivoting(pivoting, [&](auto p) {
    backend_.run_by_width(of_stage(plan_->blocks.ranges, v), FactorTile<p()>{v, plan_->blocks.item.data()});
  });
}

/// Computes the blocks of a stage.
template <class Backend>
void JacobiFactor<Backend>::sweep_stage(const JacobiView &v, const JacobiOptions &options)
{
  pull(v);
  factor_diagonals(v, options.pivoting);
  sweep_items<SweepTiles>(v, plan_->pieces);
}

/// One sweep: every stage computes its blocks from what is known by then. delta: pivots below it are replaced. fresh:
/// it begins at U = 0. all: not only blocks that change.
template <class Backend>
void JacobiFactor<Backend>::sweep(const JacobiOptions &options, double delta, bool fresh, bool all)
{
  sums_of_factor_.reset();
  for (Index stage = 0; stage < plan_->stages; ++stage) {
    JacobiView v = begin_stage(stage, plan_->stages, all);
    v.delta = delta;
    v.known_stages = fresh ? stage : plan_->stages;
    sweep_stage(v, options);
  }
}

/// One sweep from a factor that is near: all blocks are computed at once. Arguments as sweep.
template <class Backend>
void JacobiFactor<Backend>::sweep_at_once(const JacobiOptions &options, double delta, bool all)
{
  sums_of_factor_.reset();
  JacobiView v = begin_stage(every_stage, 1, all);
  v.delta = delta;
  sweep_stage(v, options);
}

/// Goes back to what was before the last sweep.
template <class Backend>
void JacobiFactor<Backend>::undo_sweep()
{
  sums_of_factor_.reset();
  std::swap(held_in_, base_);
  backend_.clear(active_);
}

/// Sweeps first .. last - 1 of a run whose pivots are perturbed below epsilon first and less from sweep to sweep. They
/// end early when the error stalls, or when further ones would change nothing: without a perturbation, all level sets
/// are final after as many stages. A sweep that makes the factor worse is not kept. Adds to report.
template <class Backend>
void JacobiFactor<Backend>::sweeps(const JacobiOptions &options, double epsilon, Index first, Index last,
                                   JacobiReport &report)
{
  report.stalled = false;
  Offset final_levels = 0; // since a sweep that perturbed pivots
  for (Index s = first; s < last && !report.stalled; ++s) {
    const bool fresh = s == 0 && !report.warm;
    if (s < options.outer_levels && !report.warm)
      push_failed(options, fresh, report);
    report.last_epsilon = epsilon * std::pow(options.decay, s);
    const double delta = report.last_epsilon * report.norm;
    const bool all = s == 0 || s <= options.outer_levels;
    if (report.warm)
      sweep_at_once(options, delta, all);
    else
      sweep(options, delta, fresh, all);
    ++report.sweeps;
    if (!options.watch)
      continue;
    const JacobiSums sum = measure();
    const bool keep = fresh || sum.error < report.final_error;
    report.error.push_back(sum.error);
    report.stalled = !keep || sum.error > (1 - options.stall) * report.final_error;
    if (keep)
      report.final_error = sum.error;
    else
      undo_sweep();
    final_levels = sum.pivots.perturbed > 0 ? 0 : final_levels + (report.warm ? 1 : plan_->stages);
    report.stalled = report.stalled || (final_levels >= plan_->levels && s >= options.outer_levels);
  }
}

/// Copies the factor to where solves want it. place: [tiles] of each tile; block_start, inverse_start: [blocks + 1] in
/// the current order; inverse, d, e: overwritten. Returns the tiles, which stay until the next factorization.
template <class Backend>
double *JacobiFactor<Backend>::publish(const Offset *place, const Index *block_start, const Offset *inverse_start,
                                       double *inverse, double *d, double *e)
{
  const JacobiView v = view();
  if (published_.size() != plan_->kept())
    published_ = backend_.template zeros<double>(plan_->kept());
  backend_.template run<max_block_rows>(v.tiles, PublishTile{v, place, published_.data()});
  backend_.template run<max_block_rows>(v.blocks, PublishDiagonal{v, block_start, inverse_start, inverse, d, e});
  return published_.data();
}

/// Substitutions by so many Jacobi sweeps forward and as many back: overwrites rhs by (UᵀJU)⁻¹ rhs, nearly. rhs, x,
/// work: [rows] in the first order of the blocks; what was in x and work is lost.
template <class Backend>
void JacobiFactor<Backend>::substitute(Index sweeps, bool definite, double *rhs, double *x, double *work)
{
  const JacobiView v = view();
  const auto run = [&](const auto &sweep) {
    const double *from = nullptr;
    for (Index s = 0; s < sweeps; ++s) { // the last one writes to x
      double *to = (sweeps - 1 - s) % 2 == 0 ? x : work;
      sweep(from, to);
      from = to;
    }
  };
  run([&](const double *from, double *to) { sweep_forward_once(v, rhs, from, to); });
  std::swap(rhs, x);
  run([&](const double *from, double *to) { sweep_backward_once(v, rhs, from, definite, to); });
}

/// to = a forward sweep; from: the one before, null for zeros.
template <class Backend>
void JacobiFactor<Backend>::sweep_forward_once(const JacobiView &v, const double *rhs, const double *from, double *to)
{
  const PlanArrays<Backend> &plan = *plan_;
  if (from) {
    run_terms(plan.row_sums, SpreadColumns<1>{v, plan.row_sums.item.data(), from});
    run_terms(plan.row_parts, SpreadColumns<1>{v, plan.row_parts.item.data(), from});
    run_terms(plan.column_parts, SumColumnPart<1>{v, plan.column_parts.item.data()});
  }
  run_terms(plan.column_sums, SweepForward{v, plan.column_sums.item.data(), rhs, from == nullptr, to});
}

/// Likewise backward.
template <class Backend>
void JacobiFactor<Backend>::sweep_backward_once(const JacobiView &v, const double *rhs, const double *from,
                                                bool definite, double *to)
{
  const PlanArrays<Backend> &plan = *plan_;
  if (from)
    run_terms(plan.row_parts, SumRowPart<1>{v, plan.row_parts.item.data(), from});
  run_terms(plan.row_sums, SweepBackward{v, plan.row_sums.item.data(), rhs, from, definite, to});
}

} // namespace tessera

#include "factor/jldlt/runs.hpp"
#endif
