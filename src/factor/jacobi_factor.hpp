#ifndef TESSERA_FACTOR_JACOBI_FACTOR_HPP
#define TESSERA_FACTOR_JACOBI_FACTOR_HPP

#include "factor/jacobi_apply.hpp"
#include "factor/jacobi_kernels.hpp"
#include "factor/jacobi_layout.hpp"
#include "factor/jacobi_options.hpp"
#include "factor/push_back.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {

/// A Jacobi-LDLᵀ factorization (thesis Alg. 11) in the memory of a backend: its storage, and the order of its sweeps.
///
/// Besides what push_back.hpp asks of it, a backend has
///
///   run<W>(n, kernel)     kernel(group of W lanes, item) for item = 0 .. n - 1
///   columns_per_item      columns of a tile that an item computes
template <class Backend>
class JacobiFactor {
public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  JacobiFactor(const BlockStructure &structure, Backend &backend);

  /// Factors the matrix with these values, which the backend can read.
  JacobiReport factor(const ValuesView &values, const JacobiOptions &options);

  /// The factor, as `now`.
  JacobiView view() const { return make_view(1 - current_); }

  double *publish(const Offset *place, const Index *block_start, const Offset *inverse_start, double *inverse,
                  double *d, double *e);
  void substitute(Index sweeps, bool definite, double *rhs, double *x, double *work);

  const JacobiLayout &layout() const { return layout_; }
  Offset bytes() const { return bytes_; }
  Offset entries() const { return entries_; }
  bool reordered() const { return reordered_; }

  /// The order of the blocks after the last factorization.
  IndexedBlocks order() const;

private:
  struct Iterate {
    Array<double> u, weight, lower, inverse, d, e, own, other, largest;
    Array<Index> partner;
    Array<std::int32_t> perm;
    Array<PivotCounts> counts;

    JacobiIterate view() const
    {
      return {u.data(),   weight.data(), lower.data(),   inverse.data(), d.data(),      e.data(),
              own.data(), other.data(),  partner.data(), perm.data(),    counts.data(), largest.data()};
    }
  };

  Backend &backend_;
  const BlockStructure &structure_;
  const JacobiLayout layout_;
  IndexedBlocks first_order_;
  IndexArrays<Backend> index_;
  Array<Index> block_start_, tile_row_, tile_column_, panel_column_, panel_width_, by_width_;
  Array<Offset> tile_start_, lower_start_, inverse_start_, panel_start_;
  Array<std::uint32_t> pairs_;
  Array<JacobiItem> diagonals_, tiles_;
  Array<Offset> common_start_;
  Array<Index> common_first_, common_second_;
  Array<double> a_, probe_, product_, work_, error_, reference_, row_sum_;
  Iterate iterate_[2];
  Array<JacobiSums> sums_;
  int current_ = 0;                       ///< the iterate that the next sweep reads
  bool known_ = false;                    ///< it is a factor, whose errors are known
  bool reordered_ = false;                ///< blocks have been pushed back
  double epsilon_ = 0, last_epsilon_ = 0; ///< of the first and of the last sweep that made it
  double first_error_ = 0;                ///< after the first sweep of the last run from U = 0
  double chosen_error_ = 0;               ///< after all of them
  Offset bytes_ = 0, entries_ = 0;

  Iterate make_iterate();
  JacobiView make_view(int old) const;
  void list_common();
  JacobiSums sum_blocks(const JacobiView &v);
  double measure(const JacobiView &v);
  void push_failed(JacobiView &v, const JacobiOptions &options, JacobiReport &report);
  void sweep(JacobiView &v, const JacobiOptions &options, bool may_push, JacobiReport &report);
  void sweeps(const JacobiOptions &options, double epsilon, Index first, Index last, JacobiReport &report);
  void start(JacobiReport &report);
  double choose_epsilon(const JacobiOptions &options, JacobiReport &report);
  bool factor_warm(const JacobiOptions &options, JacobiReport &report);
  void factor_cold(const JacobiOptions &options, JacobiReport &report);

  /// A kernel over the items of every width of group.
  template <class Kernel, class T>
  void by_width(const Kernel &kernel, const ByWidth<T> &list, const T *Kernel::*items)
  {
    const auto part = [&](auto w) {
      Kernel own = kernel;
      own.*items += list.begin[w()];
      backend_.template run<(4 << w())>(list.begin[w() + 1] - list.begin[w()], own);
    };
    part(std::integral_constant<int, 0>());
    part(std::integral_constant<int, 1>());
    part(std::integral_constant<int, 2>());
    part(std::integral_constant<int, 3>());
  }
  template <class Kernel>
  void by_blocks(const Kernel &kernel)
  {
    by_width(kernel, layout_.blocks, &Kernel::block);
  }
  void factor_diagonals(const JacobiView &v, Pivoting pivoting)
  {
    with_pivoting(pivoting, [&](auto p) { by_blocks(FactorTile<p()>{v, by_width_.data()}); });
  }
};

constexpr Index trial_sweeps = 3; ///< by which perturbations are compared
constexpr double worse = 2;       ///< times the error of the first factor: then the perturbation is chosen again
constexpr Offset over_read = 64;  ///< numbers behind a tile that a kernel may read, and leaves unused

template <class Backend>
JacobiFactor<Backend>::JacobiFactor(const BlockStructure &s, Backend &backend)
    : backend_(backend), structure_(s), layout_(s, backend.columns_per_item), first_order_(index_blocks(s.tiles)),
      index_(backend, first_order_), block_start_(backend.upload(s.block_start)),
      tile_row_(backend.upload(layout_.tile_row)), tile_column_(backend.upload(s.tiles.upper.column)),
      panel_column_(backend.upload(s.panel_column)), panel_width_(backend.upload(s.panel_width)),
      by_width_(backend.upload(layout_.blocks.item)), tile_start_(backend.upload(layout_.tile_start)),
      lower_start_(backend.upload(layout_.lower_start)), inverse_start_(backend.upload(layout_.inverse_start)),
      panel_start_(backend.upload(layout_.panel_start)), pairs_(backend.upload(s.pairs)),
      diagonals_(backend.upload(layout_.diagonals.item)), tiles_(backend.upload(layout_.tiles.item)),
      common_start_(backend.template zeros<Offset>(s.tiles.upper.entries() + 1)),
      a_(backend.template zeros<double>(layout_.panels + over_read)), probe_(backend.upload(layout_.probe)),
      product_(backend.template zeros<double>(Offset(s.rows) * jacobi_probes)),
      work_(backend.template zeros<double>(Offset(s.rows) * jacobi_probes)),
      error_(backend.template zeros<double>(s.blocks())), reference_(backend.template zeros<double>(s.blocks())),
      row_sum_(backend.template zeros<double>(s.blocks())), iterate_{make_iterate(), make_iterate()},
      sums_(backend.template zeros<JacobiSums>(jacobi_sums))
{
  list_common();
  for (Offset t = 0; t < s.tiles.upper.entries(); ++t)
    entries_ += Offset(s.block_rows(layout_.tile_row[t])) * s.block_rows(s.tiles.upper.column[t]);
  entries_ += (layout_.inverse_start.back() + s.rows) / 2;
  const auto size = [](const auto &array) { return Offset(array.size()) * Offset(sizeof(*array.data())); };
  bytes_ = size(a_) + 2 * (size(iterate_[0].u) + size(iterate_[0].weight) + size(iterate_[0].lower)) +
           2 * (size(iterate_[0].inverse) + 5 * size(iterate_[0].d)) + size(common_first_) + size(common_second_) +
           size(index_.index) + size(index_.tile) + size(tiles_) + 3 * size(probe_);
}

template <class Backend>
typename JacobiFactor<Backend>::Iterate JacobiFactor<Backend>::make_iterate()
{
  const auto numbers = [&](Offset n) { return backend_.template zeros<double>(n); };
  const Index rows = structure_.rows, blocks = structure_.blocks();
  return {numbers(layout_.tile_start.back() + over_read),
          numbers(layout_.tile_start.back() + over_read),
          numbers(layout_.lowers),
          numbers(layout_.inverse_start.back()),
          numbers(rows),
          numbers(rows),
          numbers(rows),
          numbers(rows),
          numbers(blocks),
          backend_.template zeros<Index>(rows),
          backend_.template zeros<std::int32_t>(rows),
          backend_.template zeros<PivotCounts>(blocks)};
}

template <class Backend>
JacobiView JacobiFactor<Backend>::make_view(int old) const
{
  return {index_.view(),
          structure_.blocks(),
          structure_.tiles.upper.entries(),
          block_start_.data(),
          tile_row_.data(),
          tile_column_.data(),
          tile_start_.data(),
          lower_start_.data(),
          inverse_start_.data(),
          panel_start_.data(),
          panel_column_.data(),
          pairs_.data(),
          common_start_.data(),
          common_first_.data(),
          common_second_.data(),
          a_.data(),
          iterate_[old].view(),
          iterate_[1 - old].view(),
          false,
          0,
          probe_.data(),
          product_.data(),
          work_.data(),
          error_.data(),
          reference_.data(),
          row_sum_.data()};
}

/// Lists the updates of every tile, in the current order.
template <class Backend>
void JacobiFactor<Backend>::list_common()
{
  const Offset tiles = structure_.tiles.upper.entries();
  backend_.clear(common_start_);
  backend_.each(tiles, CountCommon{make_view(0), common_start_.data()});
  const Offset total = backend_.sum(common_start_);
  common_first_ = backend_.template zeros<Index>(total);
  common_second_ = backend_.template zeros<Index>(total);
  backend_.each(tiles, ListCommon{make_view(0), common_first_.data(), common_second_.data()});
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
  b.position = backend_.download(index_.position);
  return b;
}

template <class Backend>
JacobiSums JacobiFactor<Backend>::sum_blocks(const JacobiView &v)
{
  backend_.each(jacobi_sums, SumBlocks{v, sums_.data()});
  JacobiSums sum = {};
  for (const JacobiSums &s : backend_.download(sums_)) {
    sum.row_sum = SumBlocks::larger(s.row_sum, sum.row_sum);
    sum.largest = SumBlocks::larger(s.largest, sum.largest);
    sum.error += s.error;
    sum.reference += s.reference;
    sum.one_by_one += s.one_by_one;
    sum.two_by_two += s.two_by_two;
    sum.zero += s.zero;
    sum.perturbed += s.perturbed;
    sum.negative += s.negative;
    sum.positive += s.positive;
    sum.nonfinite += s.nonfinite;
  }
  return sum;
}

/// Estimate of ||UᵀDU - A|| / ||A|| in the Frobenius norm for the next iterate, fill outside of the pattern included:
/// squares of products with vectors of entries +-1 have its expectation (Hutchinson 1990). Infinite if not a number.
template <class Backend>
double JacobiFactor<Backend>::measure(const JacobiView &v)
{
  by_blocks(MultiplyRows{v, by_width_.data()});
  by_blocks(MultiplyColumns{v, by_width_.data()});
  const JacobiSums sum = sum_blocks(v);
  const double error = sum.reference > 0 ? std::sqrt(sum.error / sum.reference) : 0;
  return error <= std::numeric_limits<double>::max() ? error : std::numeric_limits<double>::infinity();
}

/// Pushes the blocks back whose pulled diagonal tiles have pivots that fail.
template <class Backend>
void JacobiFactor<Backend>::push_failed(JacobiView &v, const JacobiOptions &options, JacobiReport &report)
{
  auto failed = backend_.template zeros<Index>(v.blocks);
  auto flipped = backend_.template zeros<std::uint8_t>(v.tiles);
  const double delta = v.delta;
  v.delta = options.failure * report.norm;
  factor_diagonals(v, options.pivoting);
  backend_.each(v.blocks, MarkFailed{v, failed.data()});
  v.delta = delta;
  Offset count = 0;
  for (Index f : backend_.download(failed))
    count += f;
  if (count > 0 && count < v.blocks) {
    backend_.each(v.tiles, NoteFlipped{v, flipped.data()});
    push_back(backend_, index_, failed);
    list_common();
    const JacobiView sorted = make_view(current_);
    v.index = sorted.index;
    v.common_first = sorted.common_first;
    v.common_second = sorted.common_second;
    backend_.each(v.tiles, ClearFlipped{v, flipped.data()});
    report.pushed += count;
    reordered_ = true;
  }
  by_width(PullDiagonal{v, diagonals_.data()}, layout_.diagonals, &PullDiagonal::items);
}

/// One sweep: the next iterate from the old one.
template <class Backend>
void JacobiFactor<Backend>::sweep(JacobiView &v, const JacobiOptions &options, bool may_push, JacobiReport &report)
{
  by_width(PullDiagonal{v, diagonals_.data()}, layout_.diagonals, &PullDiagonal::items);
  if (may_push)
    push_failed(v, options, report);
  factor_diagonals(v, options.pivoting);
  by_width(SweepTile{v, tiles_.data()}, layout_.tiles, &SweepTile::items);
}

/// Sweeps first .. last - 1 of a run whose pivots are perturbed below epsilon first and less from sweep to sweep. They
/// end early when the error stalls; a sweep that makes the factor worse is not kept. Adds to report.
template <class Backend>
void JacobiFactor<Backend>::sweeps(const JacobiOptions &options, double epsilon, Index first, Index last,
                                   JacobiReport &report)
{
  report.stalled = false;
  for (Index s = first; s < last && !report.stalled; ++s) {
    JacobiView v = make_view(current_);
    v.fresh = s == 0 && !report.warm;
    report.last_epsilon = epsilon * std::pow(options.decay, s);
    v.delta = report.last_epsilon * report.norm;
    sweep(v, options, s < options.outer_levels && !report.warm, report);
    ++report.sweeps;
    bool keep = true;
    if (options.watch) {
      const double error = measure(v);
      report.error.push_back(error);
      keep = s == 0 && !report.warm ? true : error < report.final_error;
      report.stalled = !keep || error > (1 - options.stall) * report.final_error;
      report.final_error = keep ? error : report.final_error;
    }
    if (keep)
      current_ = 1 - current_;
  }
}

/// A run from U = 0. Starts with the order that the analysis gave the blocks.
template <class Backend>
void JacobiFactor<Backend>::start(JacobiReport &report)
{
  report.error.clear();
  report.final_error = std::numeric_limits<double>::infinity();
  report.sweeps = 0;
  if (report.pushed > 0 || reordered_) {
    index_ = IndexArrays<Backend>(backend_, first_order_);
    list_common();
    by_blocks(SumRows{view(), by_width_.data()}); // sums depend on the order to the last bit
    report.norm = sum_blocks(view()).row_sum;
  }
  report.pushed = 0;
  reordered_ = false;
}

/// Tries one perturbation after the other, from large to small, for some sweeps each; the run of the last one tried is
/// the factor that stands. Smaller ones are left out once nothing is perturbed. Of those whose errors are nearly least
/// the smallest is chosen: it changes the matrix least.
template <class Backend>
double JacobiFactor<Backend>::choose_epsilon(const JacobiOptions &options, JacobiReport &report)
{
  constexpr double candidates[] = {0.1, 0.03, 0.01, 1e-3, 1e-6}, nearly = 1.1;
  double least = std::numeric_limits<double>::infinity(), chosen = candidates[0];
  JacobiOptions trial = options;
  trial.watch = true;
  for (double epsilon : candidates) {
    start(report);
    sweeps(trial, epsilon, 0, std::min(options.sweeps, trial_sweeps), report);
    report.epsilons.push_back(epsilon);
    report.tried.push_back(report.final_error);
    least = std::min(least, report.final_error);
    if (sum_blocks(view()).perturbed == 0)
      break;
  }
  for (std::size_t i = 0; i < report.tried.size(); ++i)
    if (report.tried[i] <= nearly * least)
      chosen = report.epsilons[i];
  return chosen;
}

/// A factor that begins with the last one, if that is nearer to the matrix than a first sweep was.
template <class Backend>
bool JacobiFactor<Backend>::factor_warm(const JacobiOptions &options, JacobiReport &report)
{
  if (!known_ || !options.warm_start || (options.epsilon >= 0 && options.epsilon != epsilon_))
    return false;
  const double error = measure(view());
  if (!(error < first_error_))
    return false;
  report.warm = true;
  report.epsilon = epsilon_;
  report.final_error = error;
  sweeps(options, last_epsilon_, 0, options.sweeps, report);
  return options.epsilon >= 0 || report.final_error <= worse * chosen_error_;
}

/// A factor from U = 0.
template <class Backend>
void JacobiFactor<Backend>::factor_cold(const JacobiOptions &options, JacobiReport &report)
{
  report.warm = false;
  epsilon_ = options.epsilon >= 0 ? options.epsilon : choose_epsilon(options, report);
  report.epsilon = epsilon_;
  if (!report.epsilons.empty() && report.epsilons.back() == epsilon_) {
    if (!report.stalled)
      sweeps(options, epsilon_, trial_sweeps, options.sweeps, report);
  } else {
    start(report);
    sweeps(options, epsilon_, 0, options.sweeps, report);
  }
  if (options.watch) {
    first_error_ = report.error[0];
    chosen_error_ = report.final_error;
  }
}

template <class Backend>
JacobiReport JacobiFactor<Backend>::factor(const ValuesView &values, const JacobiOptions &options)
{
  JacobiReport report;
  const JacobiView v = view();
  by_blocks(GatherPanel{v, values, by_width_.data(), panel_width_.data()});
  by_blocks(SumRows{v, by_width_.data()});
  report.norm = sum_blocks(v).row_sum;
  if (!(report.norm <= std::numeric_limits<double>::max())) {
    report.factor.status = FactorReport::NonFinite;
    known_ = false;
    return report;
  }
  if (!factor_warm(options, report))
    factor_cold(options, report);
  const JacobiSums sum = sum_blocks(view());
  FactorReport &f = report.factor;
  f.one_by_one = sum.one_by_one;
  f.two_by_two = sum.two_by_two;
  f.zero = sum.zero;
  f.perturbed = sum.perturbed;
  f.negative = sum.negative;
  f.positive = sum.positive;
  f.growth = report.norm > 0 ? sum.largest / report.norm : 0;
  f.entries = entries_;
  if (sum.nonfinite > 0 || (options.watch && !(report.final_error < std::numeric_limits<double>::infinity())))
    f.status = FactorReport::NonFinite;
  known_ = f.status == FactorReport::Complete && options.watch;
  last_epsilon_ = report.last_epsilon;
  return report;
}

/// Copies the factor to where solves want it. place: [tiles] of each tile; block_start, inverse_start: [blocks + 1] in
/// the current order; inverse, d, e: overwritten. Returns the tiles, which stay until the next factorization.
template <class Backend>
double *JacobiFactor<Backend>::publish(const Offset *place, const Index *block_start, const Offset *inverse_start,
                                       double *inverse, double *d, double *e)
{
  const JacobiView v = view();
  backend_.template run<max_block_rows>(v.tiles, PublishTile{v, place, v.old.u});
  backend_.template run<max_block_rows>(v.blocks, PublishDiagonal{v, block_start, inverse_start, inverse, d, e});
  return v.old.u;
}

/// Substitutions by so many Jacobi sweeps forward and as many back: overwrites rhs by (UᵀDU)⁻¹ rhs, nearly. rhs, x,
/// work: [rows] in the first order of the blocks; what was in x and work is lost.
template <class Backend>
void JacobiFactor<Backend>::substitute(Index sweeps, bool definite, double *rhs, double *x, double *work)
{
  const JacobiView v = view();
  const Index *block = by_width_.data();
  const auto run = [&](auto kernel) {
    for (Index s = 0; s < sweeps; ++s) { // the last one writes to x
      const bool to_x = (sweeps - 1 - s) % 2 == 0;
      kernel.from = s == 0 ? nullptr : to_x ? work : x;
      kernel.to = to_x ? x : work;
      by_blocks(kernel);
    }
  };
  run(SweepForward{v, block, rhs, nullptr, x});
  std::swap(rhs, x);
  if (definite)
    run(SweepBackward<DiagonalOf::inverse_absolute>{v, block, rhs, nullptr, x});
  else
    run(SweepBackward<DiagonalOf::inverse>{v, block, rhs, nullptr, x});
}

} // namespace tessera
#endif
