#include "host/bildlt/block_factor.hpp"

#include "host/bildlt/block_row.hpp"

#include "host/bildlt/factor_items.hpp"
#include "host/bildlt/in_order.hpp"

#include <new>

namespace tessera {
namespace {

constexpr Index piece_columns = 512;      ///< 128 KB of panel at 32 lanes: stays in a core's second-level cache
constexpr Offset batch_doubles = 1 << 19; ///< memory of the rows of a batch together: 4 MB
constexpr double small_work = 2e6;        ///< below some 200 us, sharing the work costs more than it gives

/// How far a block row is whose pieces are shared.
struct SharedRow {
  std::atomic<Index> solved{0}, scored{0}, stored{0}; ///< pieces
  std::atomic<bool> factored{false};                  ///< the diagonal tile
  std::atomic<bool> placed{false};                    ///< what it keeps is known
  Index batch = 0;
  Offset most = 0; ///< columns that it may keep, with a limit
};

/// How far a batch of shared rows is.
struct SharedBatch {
  std::atomic<Index> scored{0}, stored{0}; ///< rows
  std::atomic<bool> complete{false};
};

/// Entries of the diagonal tiles of a factor, of which the triangle counts.
template <class T>
Offset diagonal_entries(const HostBlockFactor<T> &factor)
{
  return Offset(factor.inverse.size() + factor.d.size()) / 2;
}

/// One factorization: what its items share.
template <class T>
class Run {
public:
  Run(const BlockStructure &structure, const Schedule &schedule, const double *a, const FactorOptions &options,
      double largest, HostBlockFactor<T> &factor);

  /// Does all items.
  void execute();

  /// Pivots and status.
  BlockFactorReport report() const;

private:
  const BlockStructure &structure_;
  const Schedule &schedule_;
  const FactorOptions &options_;
  HostBlockFactor<T> &factor_;
  const ValueMap &map_;
  const StructureView s_;
  const FactorView<T> f_;
  const ValuesView values_;
  const double largest_;
  const bool limited_; ///< by FactorOptions::fill_ratio: then by levels, because what rows leave has an order
  const RowBatches &batches_;
  std::vector<SharedRow> rows_;
  std::vector<SharedBatch> shared_batches_;
  std::vector<std::atomic<Index>> below_; ///< [segments] rows below it that are not complete
  std::vector<Line> batch_memory_[2];     ///< batches take turns
  std::unique_ptr<FillLimit> limit_;
  std::vector<Scratch> scratch_; ///< [threads]
  std::atomic<Offset> entries_{0};
  std::atomic<bool> stop_{false}; ///< there is no room for more entries

  void perform(const FactorItem &item, int thread);
  void prepare(Scratch &own);
  void several_rows(Index begin, Index end, int thread);
  void pull(const FactorItem &item, int thread);
  void score(const FactorItem &item, int thread);
  void store(const FactorItem &item, int thread);
  void grant(Index batch, int thread);
  void place(Index b, Offset kept, int thread);
  void complete(Index b);
  double *memory(Index r);

  /// action(row) with the steps of block row b in `memory`.
  template <class Action>
  void with_row(Index b, double *memory, int thread, Action action)
  {
    const RowMemory row_memory(memory, s_.block_rows(b), s_.panel_width[b], schedule_.pieces(b),
                               s_.tile_start[b + 1] - s_.tile_start[b]);
    with_width(s_.block_rows(b), [&](auto w) {
      action(BlockRow<T, w()>{structure_, schedule_, options_, s_, f_, values_, largest_, b, row_memory,
                              scratch_[thread]});
    });
  }

  /// action(), unless there was no room before; where there is none for it, all stops.
  template <class Action>
  void unless_stopped(Action action)
  {
    if (stop_.load(std::memory_order_relaxed))
      return;
    try {
      action();
    } catch (const std::bad_alloc &) {
      stop_ = true;
    }
  }
};

template <class T>
Run<T>::Run(const BlockStructure &structure, const Schedule &schedule, const double *a, const FactorOptions &options,
            double largest, HostBlockFactor<T> &factor)
    : structure_(structure), schedule_(schedule), options_(options), factor_(factor), map_(structure.values),
      s_(view_of(structure)), f_(factor.view()),
      values_{a, map_.start.data(), map_.source.data(), map_.column.data(), map_.row.data(), map_.scale.data()},
      largest_(largest), limited_(options.fill_ratio > 0), batches_(limited_ ? schedule.levels : schedule.split),
      rows_(batches_.row.size()), shared_batches_(batches_.batches()), below_(schedule.forest.segments()),
      scratch_(omp_get_max_threads())
{
  for (Index batch = 0; batch < batches_.batches(); ++batch)
    for (Index r = batches_.start[batch]; r < batches_.start[batch + 1]; ++r)
      rows_[r].batch = batch;
  for (Index k = 0; k < schedule.forest.segments(); ++k)
    below_[k] = schedule.forest.below[k];
  for (int turn = 0; turn < std::min(2, batches_.batches()); ++turn)
    batch_memory_[turn].resize(batches_.most_doubles / 8);
  if (limited_)
    limit_ = std::make_unique<FillLimit>(structure, options.fill_ratio);
  factor.memory.begin_run(static_cast<int>(scratch_.size()));
}

template <class T>
void Run<T>::execute()
{
  const std::vector<FactorItem> items = limited_ ? items_by_levels(schedule_) : items_by_subtrees(schedule_);
  run_in_order(static_cast<Offset>(items.size()), schedule_.work > small_work,
               [&](Offset item, int thread) { perform(items[item], thread); });
  factor_.entries = entries_;
}

/// Does one item. It waits for what it needs and, stopped or not, tells those that wait for it.
template <class T>
void Run<T>::perform(const FactorItem &item, int thread)
{
  const ForestCut &forest = schedule_.forest;
  switch (item.kind) {
  case FactorItem::Task:
    return several_rows(forest.task_start[item.index], forest.task_start[item.index + 1], thread);
  case FactorItem::Segment:
    wait_for(below_[item.index], 0);
    return several_rows(forest.segment_start[item.index], forest.segment_start[item.index + 1], thread);
  case FactorItem::Pull:
    return pull(item, thread);
  case FactorItem::Score:
    return score(item, thread);
  case FactorItem::Store:
    return store(item, thread);
  }
}

/// Computes rows forest.order[begin .. end - 1] one after the other.
template <class T>
void Run<T>::several_rows(Index begin, Index end, int thread)
{
  for (Index i = begin; i < end; ++i) {
    const Index b = schedule_.forest.order[i];
    unless_stopped([&] {
      prepare(scratch_[thread]);
      with_row(b, scratch_[thread].row[0].value, thread, [&](auto row) {
        for (Index p = 0; p < row.pieces(); ++p) {
          row.pull(p);
          if (p == 0)
            row.diagonal();
          row.solve(p);
        }
        for (Index p = 0; p < row.pieces(); ++p)
          row.score(p);
        place(b, row.sum_counts(), thread);
        ScoreCut cut{static_cast<float>(options_.drop_tolerance), 0};
        for (Index p = 0; p < row.pieces() && !stop_; ++p)
          row.store(p, row.memory.kept[p], cut);
      });
    });
    complete(b);
  }
}

/// Memory that a thread needs from its first item on.
template <class T>
void Run<T>::prepare(Scratch &own)
{
  if (!own.table.target.empty())
    return;
  own.row.resize(std::max<Offset>(schedule_.most_doubles / 8, 1));
  own.table.target.assign(structure_.blocks(), -1);
}

/// Memory of row r of the batches.
template <class T>
double *Run<T>::memory(Index r)
{
  return batch_memory_[rows_[r].batch % 2][batches_.offset[r] / 8].value;
}

template <class T>
void Run<T>::pull(const FactorItem &item, int thread)
{
  SharedRow &shared = rows_[item.index];
  const Index b = batches_.row[item.index], before = limited_ ? 1 : 2;
  if (shared.batch >= before)
    wait_for(shared_batches_[shared.batch - before].complete, true);
  if (!limited_)
    wait_for(below_[schedule_.forest.segment[b]], 0);
  unless_stopped([&] {
    prepare(scratch_[thread]);
    with_row(b, memory(item.index), thread, [&](auto row) { row.pull(item.piece); });
  });
  if (item.piece == 0) {
    unless_stopped([&] { with_row(b, memory(item.index), thread, [&](auto row) { row.diagonal(); }); });
    shared.factored.store(true, std::memory_order_release);
  }
  wait_for(shared.factored, true);
  unless_stopped([&] { with_row(b, memory(item.index), thread, [&](auto row) { row.solve(item.piece); }); });
  ++shared.solved;
}

template <class T>
void Run<T>::score(const FactorItem &item, int thread)
{
  SharedRow &shared = rows_[item.index];
  const Index b = batches_.row[item.index], pieces = schedule_.pieces(b);
  wait_for(shared.solved, pieces);
  unless_stopped([&] { with_row(b, memory(item.index), thread, [&](auto row) { row.score(item.piece); }); });
  if (++shared.scored < pieces)
    return;
  if (!limited_) {
    unless_stopped(
        [&] { with_row(b, memory(item.index), thread, [&](auto row) { place(b, row.sum_counts(), thread); }); });
    shared.placed.store(true, std::memory_order_release);
  } else if (++shared_batches_[shared.batch].scored ==
             batches_.start[shared.batch + 1] - batches_.start[shared.batch]) {
    grant(shared.batch, thread);
  }
}

/// Grants the rows of a batch, all of which are scored, the columns that they may keep.
template <class T>
void Run<T>::grant(Index batch, int thread)
{
  for (Index r = batches_.start[batch]; r < batches_.start[batch + 1]; ++r) {
    const Index b = batches_.row[r];
    unless_stopped(
        [&] { with_row(b, memory(r), thread, [&](auto row) { rows_[r].most = limit_->grant(b, row.sum_counts()); }); });
    rows_[r].placed.store(true, std::memory_order_release);
  }
}

template <class T>
void Run<T>::store(const FactorItem &item, int thread)
{
  SharedRow &shared = rows_[item.index];
  const Index b = batches_.row[item.index];
  wait_for(shared.placed, true);
  unless_stopped([&] {
    ScoreCut cut{static_cast<float>(options_.drop_tolerance), 0};
    with_row(b, memory(item.index), thread, [&](auto row) {
      if (!limited_) {
        row.store(item.piece, row.memory.kept[item.piece], cut);
        return;
      }
      const Index rows = s_.block_rows(b);
      place(b, shared.most, thread);
      cut = cut_scores(row.memory.score + rows, s_.panel_width[b] - rows, cut.score, shared.most);
      Offset kept = 0;
      for (Index p = 0; p < row.pieces() && !stop_; ++p)
        kept = row.store(p, kept, cut);
    });
  });
  if (++shared.stored < (limited_ ? 1 : schedule_.pieces(b)))
    return;
  complete(b);
  SharedBatch &shared_batch = shared_batches_[shared.batch];
  if (++shared_batch.stored == batches_.start[shared.batch + 1] - batches_.start[shared.batch])
    shared_batch.complete.store(true, std::memory_order_release);
}

/// Makes room for the columns that a block row keeps, or stops where the factor would have more entries than allowed.
template <class T>
void Run<T>::place(Index b, Offset kept, int thread)
{
  const Offset entries = kept * s_.block_rows(b), all = entries_ += entries;
  if (options_.max_entries > 0 && all + diagonal_entries(factor_) > options_.max_entries) {
    stop_ = true;
    return;
  }
  std::byte *room = factor_.memory.of_thread(thread).take(entries * Offset(sizeof(T)) + kept);
  f_.value[b] = reinterpret_cast<T *>(room);
  f_.column[b] = reinterpret_cast<std::uint8_t *>(room + entries * Offset(sizeof(T)));
}

/// Tells the segment above, if it waits for row b.
template <class T>
void Run<T>::complete(Index b)
{
  const Index above = schedule_.forest.waiting(b);
  if (above >= 0)
    below_[above].fetch_sub(1, std::memory_order_acq_rel);
}

template <class T>
BlockFactorReport Run<T>::report() const
{
  BlockFactorReport report;
  if (stop_) { // how far it came depends on the threads
    report.status = FactorReport::OverBudget;
    return report;
  }
  for (const Scratch &own : scratch_) {
    report.add_pivots(own.counts);
    report.searched += own.counts.searched;
    report.growth = std::max(report.growth, largest_ > 0 ? own.growth / largest_ : 0);
    if (own.nonfinite)
      report.status = FactorReport::NonFinite;
  }
  report.entries = factor_.entries + diagonal_entries(factor_);
  return report;
}

/// Largest magnitude of the scaled values; NaN if one is infinite or NaN.
double largest_value(const ValueMap &map, const double *a)
{
  double largest = 0, bad = 0;
  const Offset items = map.start.back();
#pragma omp parallel for schedule(static) reduction(max : largest) reduction(+ : bad) if (items > 100000)
  for (Offset i = 0; i < items; ++i) {
    const double x = std::fabs(map.scale[i] * a[map.source[i]]);
    bad += !(x <= std::numeric_limits<double>::max());
    largest = std::max(largest, x);
  }
  return bad > 0 ? std::numeric_limits<double>::quiet_NaN() : largest;
}

} // namespace

template <class T>
HostBlockFactor<T>::HostBlockFactor(const BlockStructure &structure)
    : inverse_start(structure.blocks() + 1, 0), d(structure.rows), e(structure.rows),
      first(structure.tiles.upper.entries() + structure.blocks()), value(structure.blocks()), column(structure.blocks())
{
  for (Index b = 0; b < structure.blocks(); ++b)
    inverse_start[b + 1] = inverse_start[b] + Offset(structure.block_rows(b)) * structure.block_rows(b);
  inverse.resize(inverse_start.back());
}

template <class T>
FactorView<T> HostBlockFactor<T>::view()
{
  return {inverse.data(), inverse_start.data(), d.data(), e.data(), first.data(), value.data(), column.data()};
}

template <class T>
Offset HostBlockFactor<T>::bytes() const
{
  return Offset(inverse.size() + d.size() + e.size()) * 8 + Offset(first.size()) * 4 + Offset(value.size()) * 24 +
         memory.bytes();
}

StructureView view_of(const BlockStructure &s)
{
  return {s.block_start.data(),         s.tiles.upper.start.data(),    s.tiles.upper.column.data(),
          s.tiles.columns.start.data(), s.tiles.columns.column.data(), s.tiles.position.data(),
          s.panel_column.data(),        s.panel_width.data()};
}

Schedule make_host_schedule(const BlockStructure &structure)
{
  return make_schedule(structure, piece_columns, batch_doubles);
}

template <class T>
BlockFactorReport factor_on_host(const BlockStructure &structure, const Schedule &schedule, const double *a,
                                 const FactorOptions &options, HostBlockFactor<T> &factor)
{
  const double largest = largest_value(structure.values, a);
  if (!(largest <= std::numeric_limits<double>::max())) {
    BlockFactorReport report;
    report.status = FactorReport::NonFinite;
    return report;
  }
  Run<T> run(structure, schedule, a, options, largest, factor);
  run.execute();
  return run.report();
}

template struct HostBlockFactor<double>;
template struct HostBlockFactor<float>;
template BlockFactorReport factor_on_host(const BlockStructure &, const Schedule &, const double *,
                                          const FactorOptions &, HostBlockFactor<double> &);
template BlockFactorReport factor_on_host(const BlockStructure &, const Schedule &, const double *,
                                          const FactorOptions &, HostBlockFactor<float> &);

} // namespace tessera
