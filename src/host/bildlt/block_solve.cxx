#include "host/bildlt/block_solve.hpp"

#include "host/lanes/group_host.hpp"

#include "host/bildlt/column_kernels.hpp"
#include "host/bildlt/in_order.hpp"
#include "tile/block_diagonal.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tessera {
namespace {

/// The steps of a solve for block rows of K rows.
template <class T, int K>
struct RowSteps {
  /// x_b = L⁻¹ P x_b
  static void multiply(const StructureView &s, const FactorView<T> &f, Index b, double *x)
  {
    double *x_b = x + s.block_start[b];
    const double *inverse = f.inverse + f.inverse_start[b];
    typename Columns<K>::Sum sum;
    for (int c = 0; c < K; ++c)
      sum.add(inverse + c * K, x_b[c]);
    sum.store(x_b);
  }

  /// x_j -= U_bjᵀ x_b for tiles t = begin .. end - 1 of block row b, each in a block column j.
  static void push(const StructureView &s, const FactorView<T> &f, Index b, Offset begin, Offset end, double *x)
  {
    const typename Columns<K>::Dot dot(x + s.block_start[b]);
    Index c = f.first[begin + b];
    const T *u = f.value[b] + Offset(c) * K;
    const std::uint8_t *column = f.column[b];
    for (Offset t = begin; t < end; ++t) {
      double *x_j = x + s.block_start[s.tile_column[t]];
      for (const Index last = f.first[t + 1 + b]; c < last; ++c, u += K)
        x_j[column[c]] -= dot(u);
    }
  }

  /// x_b = (L⁻¹ P)ᵀ (D⁻¹ x_b - sum over j of U_bj x_j)
  static void backward(const StructureView &s, const FactorView<T> &f, const double *d_inverse, const double *e_inverse,
                       Index b, double *x)
  {
    typename Columns<K>::Sum sum;
    const T *u = f.value[b];
    const std::uint8_t *column = f.column[b];
    Index c = 0;
    for (Offset t = s.tile_start[b]; t < s.tile_start[b + 1]; ++t) {
      const double *x_j = x + s.block_start[s.tile_column[t]];
      for (const Index last = f.first[t + 1 + b]; c < last; ++c, u += K)
        sum.add(u, x_j[column[c]]);
    }
    double rhs[K];
    sum.store(rhs);
    const Index row = s.block_start[b];
    double *x_b = x + row;
    for (int r = 0; r < K; ++r) {
      double y = d_inverse[row + r] * x_b[r];
      if (e_inverse[row + r] != 0)
        y += e_inverse[row + r] * x_b[r + 1];
      if (r > 0 && e_inverse[row + r - 1] != 0)
        y += e_inverse[row + r - 1] * x_b[r - 1];
      rhs[r] = y - rhs[r];
    }
    const typename Columns<K>::Dot dot(rhs);
    const double *inverse = f.inverse + f.inverse_start[b];
    for (int r = 0; r < K; ++r)
      x_b[r] = dot(inverse + r * K);
  }
};

/// The steps for a number of rows known at run time.
template <class T>
struct Steps {
  decltype(&RowSteps<T, 1>::multiply) multiply;
  decltype(&RowSteps<T, 1>::push) push;
  decltype(&RowSteps<T, 1>::backward) backward;

  static const Steps &of(Index rows)
  {
    static constexpr auto all = list(std::make_integer_sequence<int, max_block_rows>());
    return all[rows - 1];
  }

private:
  template <int... I>
  static constexpr std::array<Steps, sizeof...(I)> list(std::integer_sequence<int, I...>)
  {
    return {Steps{&RowSteps<T, I + 1>::multiply, &RowSteps<T, I + 1>::push, &RowSteps<T, I + 1>::backward}...};
  }
};

} // namespace

SolveSchedule::SolveSchedule(const BlockStructure &structure, const Schedule &schedule)
    : forest_(schedule.forest), first_above_(structure.blocks()), task_done_(forest_.tasks()),
      pending_(forest_.segments()), forward_done_(forest_.segments()), back_done_(forest_.segments())
{
  const Pattern &upper = structure.tiles.upper, &columns = structure.tiles.columns;
  for (Index i = 0; i < forest_.task_start.back(); ++i) {
    const Index b = forest_.order[i];
    // ancestors in the subtree come before those above it
    first_above_[b] =
        std::partition_point(upper.column.begin() + upper.start[b], upper.column.begin() + upper.start[b + 1],
                             [&](Index j) { return forest_.segment[j] < 0; }) -
        upper.column.begin();
  }
  above_start_.push_back(0);
  for (Index i = forest_.task_start.back(); i < structure.blocks(); ++i) {
    const Index b = forest_.order[i];
    for (Offset q = columns.start[b]; q < columns.start[b + 1]; ++q)
      if (forest_.segment[columns.column[q]] >= 0)
        above_item_.push_back(q);
    above_start_.push_back(static_cast<Offset>(above_item_.size()));
  }
}

/// One solve: its items are the tasks forward, the rows above, the segments forward and back, and the tasks back.
template <class T>
class Solve {
public:
  Solve(const BlockStructure &structure, SolveSchedule &schedule, const FactorView<T> &factor, const double *d_inverse,
        const double *e_inverse, double *x, Index vectors)
      : schedule_(schedule), forest_(schedule.forest_), s_(view_of(structure)), f_(factor), d_inverse_(d_inverse),
        e_inverse_(e_inverse), x_(x), vectors_(vectors), rows_(structure.rows), first_above_(forest_.task_start.back()),
        rows_above_(structure.blocks() - first_above_)
  {
    schedule.tasks_done_ = 0;
    for (std::atomic<Index> &done : schedule.task_done_)
      done.store(0, std::memory_order_relaxed);
    for (Index k = 0; k < forest_.segments(); ++k) {
      schedule.forward_done_[k].store(0, std::memory_order_relaxed);
      schedule.back_done_[k].store(0, std::memory_order_relaxed);
      schedule.pending_[k].store(forest_.segment_start[k + 1] - forest_.segment_start[k], std::memory_order_relaxed);
    }
    for (Index k = 0; k < forest_.segments(); ++k)
      if (above(k) >= 0)
        schedule.pending_[above(k)].fetch_add(1, std::memory_order_relaxed);
  }

  Offset items() const { return 2 * Offset(forest_.tasks() + forest_.segments()) + rows_above_; }

  void perform(Offset item)
  {
    if (item < forest_.tasks())
      return task_forward(static_cast<Index>(item));
    if ((item -= forest_.tasks()) < rows_above_)
      return gather_from_subtrees(first_above_ + static_cast<Index>(item));
    if ((item -= rows_above_) < forest_.segments())
      return segment_forward(static_cast<Index>(item));
    if ((item -= forest_.segments()) < forest_.segments())
      return segment_back(forest_.segments() - 1 - static_cast<Index>(item));
    task_back(static_cast<Index>(item - forest_.segments()));
  }

private:
  SolveSchedule &schedule_;
  const ForestCut &forest_;
  const StructureView s_;
  const FactorView<T> f_;
  const double *d_inverse_, *e_inverse_;
  double *x_;
  const Index vectors_, rows_;           ///< vectors of so many rows, one after the other
  const Index first_above_, rows_above_; ///< in forest.order

  double *vector(Index j) { return x_ + Offset(j) * rows_; }

  /// Segment above segment k, or -1.
  Index above(Index k) const { return forest_.waiting(forest_.order[forest_.segment_start[k + 1] - 1]); }

  /// Pushes the tile that is item q of its block column.
  void gather(Offset q)
  {
    const Index k = s_.column_block[q];
    const Offset t = s_.column_tile[q];
    if (f_.first[t + k] < f_.first[t + k + 1])
      push(k, t, t + 1);
  }

  // A block row is read from memory once for all vectors.

  void multiply(Index b)
  {
    const Steps<T> &steps = Steps<T>::of(s_.block_rows(b));
    for (Index j = 0; j < vectors_; ++j)
      steps.multiply(s_, f_, b, vector(j));
  }

  void push(Index b, Offset begin, Offset end)
  {
    const Steps<T> &steps = Steps<T>::of(s_.block_rows(b));
    for (Index j = 0; j < vectors_; ++j)
      steps.push(s_, f_, b, begin, end, vector(j));
  }

  void backward(Index b)
  {
    const Steps<T> &steps = Steps<T>::of(s_.block_rows(b));
    for (Index j = 0; j < vectors_; ++j)
      steps.backward(s_, f_, d_inverse_, e_inverse_, b, vector(j));
  }

  void task_forward(Index task)
  {
    for (Index i = forest_.task_start[task]; i < forest_.task_start[task + 1]; ++i) {
      const Index b = forest_.order[i];
      multiply(b);
      push(b, s_.tile_start[b], schedule_.first_above_[b]);
    }
    schedule_.task_done_[task].store(1, std::memory_order_release);
    schedule_.tasks_done_.fetch_add(1, std::memory_order_acq_rel);
  }

  void gather_from_subtrees(Index i)
  {
    wait_for(schedule_.tasks_done_, forest_.tasks());
    const Index b = forest_.order[i];
    for (Offset q = s_.column_start[b]; q < s_.column_start[b + 1]; ++q)
      if (forest_.segment[s_.column_block[q]] < 0)
        gather(q);
    schedule_.pending_[forest_.segment[b]].fetch_sub(1, std::memory_order_acq_rel);
  }

  void segment_forward(Index k)
  {
    wait_for(schedule_.pending_[k], 0);
    for (Index i = forest_.segment_start[k]; i < forest_.segment_start[k + 1]; ++i) {
      const Index b = forest_.order[i];
      for (Offset p = schedule_.above_start_[i - first_above_]; p < schedule_.above_start_[i - first_above_ + 1]; ++p)
        gather(schedule_.above_item_[p]);
      multiply(b);
    }
    schedule_.forward_done_[k].store(1, std::memory_order_release);
    if (above(k) >= 0)
      schedule_.pending_[above(k)].fetch_sub(1, std::memory_order_acq_rel);
  }

  void segment_back(Index k)
  {
    wait_for(above(k) >= 0 ? schedule_.back_done_[above(k)] : schedule_.forward_done_[k], 1);
    for (Index i = forest_.segment_start[k + 1] - 1; i >= forest_.segment_start[k]; --i)
      backward(forest_.order[i]);
    schedule_.back_done_[k].store(1, std::memory_order_release);
  }

  void task_back(Index task)
  {
    wait_for(schedule_.task_done_[task], 1);
    for (Index i = forest_.task_start[task + 1] - 1; i >= forest_.task_start[task]; --i) {
      const Index b = forest_.order[i];
      if (forest_.waiting(b) >= 0)
        wait_for(schedule_.back_done_[forest_.waiting(b)], 1);
      backward(b);
    }
  }
};

namespace {

/// Whether a loop over the entries of a factor, or over so many other things, is worth sharing among threads.
constexpr bool worth_sharing(Offset entries)
{
  return entries > 1000000; // some ms: waking a thread on a busy machine takes as long
}

constexpr Index vectors_at_once = 8;

} // namespace

template <class T>
HostSolver<T>::HostSolver(const BlockStructure &structure, const Schedule &schedule)
    : structure_(structure), schedule_(structure, schedule), d_inverse_(structure.rows), e_inverse_(structure.rows),
      x_(structure.rows) // for one vector: an application to it allocates nothing
{
}

template <class T>
void HostSolver<T>::apply(const FactorView<T> &factor, Offset entries, const std::vector<double> &scale, bool definite,
                          Index columns, const double *r, Offset r_leading, double *z, Offset z_leading)
{
  if (!pivots_known_ || pivots_definite_ != definite) {
    invert_pivots(factor, definite);
    pivots_known_ = true;
    pivots_definite_ = definite;
  }
  for (Index j = 0; j < columns; j += vectors_at_once)
    solve(factor, entries, scale, std::min(columns - j, vectors_at_once), r + j * r_leading, r_leading,
          z + j * z_leading, z_leading);
}

/// The same for a few vectors at once.
template <class T>
void HostSolver<T>::solve(const FactorView<T> &factor, Offset entries, const std::vector<double> &scale, Index vectors,
                          const double *r, Offset r_leading, double *z, Offset z_leading)
{
  const std::vector<Index> &perm = structure_.perm;
  const Index n = structure_.rows;
  if (x_.size() < std::size_t(vectors) * n)
    x_.resize(std::size_t(vectors) * n);
  for (Index j = 0; j < vectors; ++j) {
#pragma omp parallel for schedule(static) if (worth_sharing(n))
    for (Index i = 0; i < n; ++i)
      x_[j * Offset(n) + i] = r[j * r_leading + perm[i]] * scale[perm[i]];
  }
  Solve<T> solve(structure_, schedule_, factor, d_inverse_.data(), e_inverse_.data(), x_.data(), vectors);
  run_in_order(solve.items(), worth_sharing(entries * vectors), [&](Offset item, int) { solve.perform(item); });
  for (Index j = 0; j < vectors; ++j) {
#pragma omp parallel for schedule(static) if (worth_sharing(n))
    for (Index i = 0; i < n; ++i)
      z[j * z_leading + perm[i]] = x_[j * Offset(n) + i] * scale[perm[i]];
  }
}

/// Inverse of D, or of |D|, as diagonal and subdiagonal.
template <class T>
void HostSolver<T>::invert_pivots(const FactorView<T> &factor, bool absolute)
{
  using Group = HostGroup<max_block_rows>;
  const Group g;
#pragma omp parallel for schedule(static) if (worth_sharing(structure_.rows))
  for (Index b = 0; b < structure_.blocks(); ++b) {
    const Index row = structure_.block_start[b], k = structure_.block_rows(b);
    const double *d = factor.d + row, *e = factor.e + row;
    const BlockDiagonal<Group, double> inverse = absolute ? block_diagonal<DiagonalOf::inverse_absolute>(g, d, e, k)
                                                          : block_diagonal<DiagonalOf::inverse>(g, d, e, k);
    const auto id = g.template id<double>();
    const auto rows = id < Group::index<double>(k);
    g.store(rows, d_inverse_.data() + row, inverse.own);
    g.store(rows, e_inverse_.data() + row, select(inverse.partner > id, inverse.other, Group::lane<double>(0.0)));
  }
}

template class HostSolver<double>;
template class HostSolver<float>;

} // namespace tessera
