#include "host/block_factor.hpp"

#include "tile/group_host.hpp" // before the kernels

#include "factor/block_ildlt.hpp"
#include "tile/block_diagonal.hpp"
#include "tile/ldlt.hpp"
#include "tile/triangular.hpp"

#include <algorithm>
#include <cmath>
#include <omp.h>

namespace tessera {
namespace {

constexpr Index piece_columns = 512;      ///< 128 KB of panel at 32 lanes: stays in a core's second-level cache
constexpr Offset batch_doubles = 1 << 19; ///< panels of a batch together: 4 MB
constexpr double small_work = 2e6;        ///< below some 200 us, sharing the work costs more than it gives

/// Panel columns of the tiles that a piece holds, by block column; -1 for the others.
struct TileTable {
  std::vector<Index> target;

  Index operator()(Index j) const { return target[j]; }
};

/// Scratch of one thread.
struct Scratch {
  TileTable table;
  alignas(64) double weight[max_block_rows * max_block_rows];
  alignas(64) double scaled_inverse[max_block_rows * max_block_rows];
  FactorReport counts; ///< pivots
  double growth = 0;
  bool nonfinite = false;

  void add(const PivotCounts &tile)
  {
    counts.one_by_one += tile.one_by_one;
    counts.two_by_two += tile.two_by_two;
    counts.perturbed += tile.perturbed;
    counts.zero += tile.zero;
    counts.negative += tile.negative;
    counts.positive += tile.positive;
    nonfinite |= tile.nonfinite != 0;
  }
};

/// One factorization: what its steps share.
template <class T>
struct Run {
  const BlockStructure &structure;
  const Schedule &schedule;
  HostBlockFactor<T> &factor;
  const FactorOptions &options;
  StructureView s;
  FactorView<T> f;
  ValuesView values;
  double delta = 0;            ///< pivots smaller than this are replaced
  std::vector<double> panels;  ///< of a batch
  std::vector<float> score;    ///< of the panel columns of a batch
  std::vector<double> squares; ///< [pieces of a batch * 32] sums of squares of each row
  std::vector<Index> kept;     ///< [rows of a batch] kept columns

  Index block(const Batch &, Index position) const { return structure.levels.order[position]; }
  double *panel(Index b) { return panels.data() + schedule.panel_offset[b]; }
  float *scores(Index b) { return score.data() + schedule.panel_offset[b] / 4; }
  PanelPiece piece(Offset p);

  template <int W>
  void pull(Offset p, Scratch &scratch);
  template <int W>
  void diagonal(Index b, Scratch &scratch);
  template <int W>
  void solve(const Batch &batch, Offset p, Scratch &scratch);
  template <int W>
  void score_piece(const Batch &batch, Index position, Offset p, Scratch &scratch);
  template <int W>
  void whole_row(const Batch &batch, Index position, Scratch &scratch);
  template <int W>
  void count(const Batch &batch, Index position);
  template <int W>
  void store(Index position, T *value, std::uint8_t *column);

  void compute(const Batch &batch, std::vector<Scratch> &scratch);
  bool keep(const Batch &batch);
};

/// Calls action with the group for blocks of so many rows.
template <class Action>
void with_width(Index rows, Action action)
{
  switch (group_width(rows)) {
  case 4:
    return action(std::integral_constant<int, 4>());
  case 8:
    return action(std::integral_constant<int, 8>());
  case 16:
    return action(std::integral_constant<int, 16>());
  default:
    return action(std::integral_constant<int, 32>());
  }
}

template <class T>
PanelPiece Run<T>::piece(Offset p)
{
  const Index b = schedule.piece_block[p];
  const bool last = p + 1 == Offset(schedule.piece_block.size()) || schedule.piece_block[p + 1] != b;
  return {b,
          schedule.piece_tile[p],
          last ? s.tile_start[b + 1] : schedule.piece_tile[p + 1],
          schedule.piece_column[p],
          last ? s.panel_width[b] : schedule.piece_column[p + 1],
          panel(b)};
}

template <class T>
template <int W>
void Run<T>::pull(Offset p, Scratch &scratch)
{
  const HostGroup<W> g;
  const PanelPiece part = piece(p);
  gather_values(g, values, part);
  std::vector<Index> &target = scratch.table.target;
  if (part.column_begin == 0)
    target[part.block] = 0;
  for (Offset t = part.tile_begin; t < part.tile_end; ++t)
    target[s.tile_column[t]] = s.panel_column[t];
  pull_updates(g, s, f, part, scratch.table, scratch.weight);
  target[part.block] = -1;
  for (Offset t = part.tile_begin; t < part.tile_end; ++t)
    target[s.tile_column[t]] = -1;
}

template <class T>
template <int W>
void Run<T>::diagonal(Index b, Scratch &scratch)
{
  const HostGroup<W> g;
  const Index k = s.block_rows(b), row = s.block_start[b];
  double *tile = panel(b);
  for (Index c = 0; c < k; ++c)
    for (Index r = c; r < k; ++r)
      scratch.growth = std::max(scratch.growth, std::fabs(tile[c * W + r]));
  std::int32_t perm[W];
  PivotCounts counts = {};
  const LdltOptions<double> tile_options = {delta, structure.pairs[b]};
  switch (options.pivoting) {
  case Pivoting::none:
    ldlt<Pivoting::none>(g, tile, W, k, tile_options, tile, f.d + row, f.e + row, perm, &counts);
    break;
  case Pivoting::bunch_kaufman:
    ldlt<Pivoting::bunch_kaufman>(g, tile, W, k, tile_options, tile, f.d + row, f.e + row, perm, &counts);
    break;
  case Pivoting::rook:
    ldlt<Pivoting::rook>(g, tile, W, k, tile_options, tile, f.d + row, f.e + row, perm, &counts);
    break;
  }
  inverse_lower(g, tile, W, k, perm, f.inverse + f.inverse_start[b], k);
  scratch.add(counts);
}

template <class T>
template <int W>
void Run<T>::solve(const Batch &batch, Offset p, Scratch &scratch)
{
  const PanelPiece part = piece(p);
  double *sums = squares.data() + (p - batch.piece_begin) * max_block_rows;
  std::fill_n(sums, W, 0.0);
  const HostGroup<W> g;
  const Index k = s.block_rows(part.block), row = s.block_start[part.block];
  for (Index c = 0; c < k; ++c)
    g.store(scratch.scaled_inverse + c * W,
            g.load(g.template id<double>() < std::int64_t(k), f.inverse + f.inverse_start[part.block] + c * k));
  multiply_diagonal<DiagonalOf::inverse>(g, f.d + row, f.e + row, k, scratch.scaled_inverse, W, k);
  solve_panel(g, s, part, scratch.scaled_inverse, sums);
}

/// Scores the columns of a piece by the norms of whole rows, to which the unit diagonal belongs.
template <class T>
template <int W>
void Run<T>::score_piece(const Batch &batch, Index position, Offset p, Scratch &scratch)
{
  alignas(64) double inverse_norm[W];
  for (int lane = 0; lane < W; ++lane) {
    double sum = 1;
    for (Offset q = schedule.piece_start[position]; q < schedule.piece_start[position + 1]; ++q)
      sum += squares[(q - batch.piece_begin) * max_block_rows + lane];
    scratch.nonfinite |= !std::isfinite(sum);
    inverse_norm[lane] = 1 / std::sqrt(sum);
  }
  const PanelPiece part = piece(p);
  score_columns(HostGroup<W>(), s, part, inverse_norm, scores(part.block));
}

template <class T>
template <int W>
void Run<T>::whole_row(const Batch &batch, Index position, Scratch &scratch)
{
  const Offset p = schedule.piece_start[position];
  pull<W>(p, scratch);
  diagonal<W>(block(batch, position), scratch);
  solve<W>(batch, p, scratch);
  score_piece<W>(batch, position, p, scratch);
  count<W>(batch, position);
}

/// Counts the columns of a block row whose score is above the drop tolerance.
template <class T>
template <int W>
void Run<T>::count(const Batch &batch, Index position)
{
  const Index b = block(batch, position);
  const float *score_b = scores(b), tolerance = static_cast<float>(options.drop_tolerance);
  Index n = 0;
  for (Index c = s.block_rows(b); c < s.panel_width[b]; ++c)
    n += score_b[c] > tolerance;
  kept[position - batch.row_begin] = n;
}

/// Stores the kept columns of a block row and where its tiles begin among them.
template <class T>
template <int W>
void Run<T>::store(Index position, T *value, std::uint8_t *column)
{
  const Index b = structure.levels.order[position], k = s.block_rows(b);
  const float *score_b = scores(b), tolerance = static_cast<float>(options.drop_tolerance);
  const double *panel_b = panel(b);
  f.value[b] = value;
  f.column[b] = column;
  Index n = 0;
  for (Offset t = s.tile_start[b]; t < s.tile_start[b + 1]; ++t) {
    f.first[t + b] = n;
    const Index begin = s.panel_column[t], width = s.block_rows(s.tile_column[t]);
    for (Index c = 0; c < width; ++c) {
      if (!(score_b[begin + c] > tolerance))
        continue;
      for (Index r = 0; r < k; ++r)
        value[Offset(n) * k + r] = static_cast<T>(panel_b[Offset(begin + c) * W + r]);
      column[n++] = static_cast<std::uint8_t>(c);
    }
  }
  f.first[s.tile_start[b + 1] + b] = n;
}

/// All steps of a batch but the storing. Block rows of one piece go through them at once, while they are in cache.
template <class T>
void Run<T>::compute(const Batch &batch, std::vector<Scratch> &scratch)
{
#pragma omp parallel if (!batch.small)
  {
    Scratch &own = scratch[omp_get_thread_num()];
    auto each_row = [&](Index position, bool split, auto action) {
      const bool is_split = schedule.piece_start[position + 1] - schedule.piece_start[position] > 1;
      if (is_split == split)
        with_width(s.block_rows(block(batch, position)), action);
    };
    auto each_piece = [&](Offset p, auto action) {
      const Index b = schedule.piece_block[p];
      if (schedule.piece_column[p] > 0 || (p + 1 < batch.piece_end && schedule.piece_block[p + 1] == b))
        with_width(s.block_rows(b), action);
    };
#pragma omp for schedule(dynamic, 4)
    for (Index position = batch.row_begin; position < batch.row_end; ++position)
      each_row(position, false, [&](auto w) { whole_row<w()>(batch, position, own); });
    if (batch.split) {
#pragma omp for schedule(dynamic, 1)
      for (Offset p = batch.piece_begin; p < batch.piece_end; ++p)
        each_piece(p, [&](auto w) { pull<w()>(p, own); });
#pragma omp for schedule(dynamic, 1)
      for (Index position = batch.row_begin; position < batch.row_end; ++position)
        each_row(position, true, [&](auto w) { diagonal<w()>(block(batch, position), own); });
#pragma omp for schedule(dynamic, 1)
      for (Offset p = batch.piece_begin; p < batch.piece_end; ++p)
        each_piece(p, [&](auto w) { solve<w()>(batch, p, own); });
#pragma omp for schedule(dynamic, 1)
      for (Index position = batch.row_begin; position < batch.row_end; ++position)
        each_row(position, true, [&](auto w) {
          for (Offset p = schedule.piece_start[position]; p < schedule.piece_start[position + 1]; ++p)
            score_piece<w()>(batch, position, p, own);
          count<w()>(batch, position);
        });
    }
  }
}

/// Entries of the diagonal tiles of a factor, of which the triangle counts.
template <class T>
Offset diagonal_entries(const HostBlockFactor<T> &factor)
{
  return Offset(factor.inverse.size() + factor.d.size()) / 2;
}

/// Makes room for the kept columns of a batch, in block order, and stores them. False if there is no room.
template <class T>
bool Run<T>::keep(const Batch &batch)
{
  std::vector<Offset> value_start(batch.row_end - batch.row_begin + 1, 0), column_start = value_start;
  for (Index i = 0; i < batch.row_end - batch.row_begin; ++i) {
    column_start[i + 1] = column_start[i] + kept[i];
    value_start[i + 1] = value_start[i] + Offset(kept[i]) * s.block_rows(block(batch, batch.row_begin + i));
  }
  factor.entries += value_start.back();
  if (options.max_entries > 0 && factor.entries + diagonal_entries(factor) > options.max_entries)
    return false;
  factor.value_chunks.emplace_back(new T[value_start.back()]);
  factor.column_chunks.emplace_back(new std::uint8_t[column_start.back()]);
  T *value = factor.value_chunks.back().get();
  std::uint8_t *column = factor.column_chunks.back().get();
#pragma omp parallel for schedule(dynamic, 16) if (!batch.small)
  for (Index position = batch.row_begin; position < batch.row_end; ++position) {
    const Index i = position - batch.row_begin;
    with_width(s.block_rows(block(batch, position)),
               [&](auto w) { store<w()>(position, value + value_start[i], column + column_start[i]); });
  }
  return true;
}

/// Largest magnitude of the scaled values; NaN or infinity if a value is one.
double largest_value(const ValuesView &v, Offset items)
{
  double largest = 0, bad = 0;
#pragma omp parallel for schedule(static) reduction(max : largest) reduction(+ : bad)
  for (Offset i = 0; i < items; ++i) {
    const double x = std::fabs(v.scale[i] * v.a[v.source[i]]);
    bad += !(x <= std::numeric_limits<double>::max());
    largest = std::max(largest, x);
  }
  return bad > 0 ? std::numeric_limits<double>::quiet_NaN() : largest;
}

void sum_up(const std::vector<Scratch> &scratch, double largest, FactorReport &report)
{
  for (const Scratch &own : scratch) {
    report.one_by_one += own.counts.one_by_one;
    report.two_by_two += own.counts.two_by_two;
    report.perturbed += own.counts.perturbed;
    report.zero += own.counts.zero;
    report.negative += own.counts.negative;
    report.positive += own.counts.positive;
    report.growth = std::max(report.growth, largest > 0 ? own.growth / largest : 0);
    if (own.nonfinite)
      report.status = FactorReport::NonFinite;
  }
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
         entries * Offset(sizeof(T));
}

StructureView view_of(const BlockStructure &s)
{
  return {s.block_start.data(),         s.tiles.upper.start.data(),    s.tiles.upper.column.data(),
          s.tiles.columns.start.data(), s.tiles.columns.column.data(), s.tiles.position.data(),
          s.panel_column.data(),        s.panel_width.data()};
}

Schedule make_host_schedule(const BlockStructure &structure)
{
  return make_schedule(structure, piece_columns, batch_doubles, small_work);
}

template <class T>
FactorReport factor_on_host(const BlockStructure &structure, const Schedule &schedule, const double *a,
                            const FactorOptions &options, HostBlockFactor<T> &factor)
{
  const ValueMap &map = structure.values;
  Run<T> run{structure,
             schedule,
             factor,
             options,
             view_of(structure),
             factor.view(),
             {a, map.start.data(), map.source.data(), map.column.data(), map.row.data(), map.scale.data()},
             0,
             {},
             {},
             {},
             {}};
  factor.value_chunks.clear();
  factor.column_chunks.clear();
  factor.entries = 0;
  FactorReport report;
  const double largest = largest_value(run.values, map.start.back());
  if (!(largest <= std::numeric_limits<double>::max())) {
    report.status = FactorReport::NonFinite;
    return report;
  }
  run.delta = options.perturbation * largest;

  Offset most_doubles = 0, most_pieces = 0, most_rows = 0;
  for (const Batch &batch : schedule.batches) {
    most_doubles = std::max(most_doubles, batch.panel_size);
    most_pieces = std::max(most_pieces, batch.piece_end - batch.piece_begin);
    most_rows = std::max<Offset>(most_rows, batch.row_end - batch.row_begin);
  }
  run.panels.resize(most_doubles);
  run.score.resize(most_doubles / 4);
  run.squares.resize(most_pieces * max_block_rows);
  run.kept.resize(most_rows);
  std::vector<Scratch> scratch(omp_get_max_threads());
  for (Scratch &own : scratch)
    own.table.target.assign(structure.blocks(), -1);

  for (const Batch &batch : schedule.batches) {
    run.compute(batch, scratch);
    if (!run.keep(batch)) {
      report.status = FactorReport::OverBudget;
      break;
    }
  }
  sum_up(scratch, largest, report);
  report.entries = factor.entries + diagonal_entries(factor);
  return report;
}

template struct HostBlockFactor<double>;
template struct HostBlockFactor<float>;
template FactorReport factor_on_host(const BlockStructure &, const Schedule &, const double *, const FactorOptions &,
                                     HostBlockFactor<double> &);
template FactorReport factor_on_host(const BlockStructure &, const Schedule &, const double *, const FactorOptions &,
                                     HostBlockFactor<float> &);

} // namespace tessera
