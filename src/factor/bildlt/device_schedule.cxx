#include "factor/bildlt/device_schedule.hpp"

#include "factor/bildlt/views.hpp"

#include <algorithm>

namespace tessera {
namespace {

// One thread block a row hides the hand-over between levels, but has only its own warps for a wide panel or for many
// updates, and a level of very many rows fills the device anyway.
constexpr Index narrow_panel = 256;               ///< columns
constexpr Offset short_level = 8192;              ///< rows
constexpr Offset few_updates = 4 * update_part;   ///< of a row
constexpr Offset parts_doubles = Offset(1) << 25; ///< of a batch at most: 256 MB

Offset count_updates(const BlockStructure &s, Index b)
{
  return s.tiles.columns.start[b + 1] - s.tiles.columns.start[b];
}

void add_pieces(const BlockStructure &s, Index b, std::vector<PieceItem> &pieces)
{
  const Pattern &upper = s.tiles.upper;
  const Index rows = s.block_rows(b);
  const Offset end = upper.start[b + 1];
  pieces.push_back({b, 0, rows, upper.start[b], upper.start[b]});
  for (Offset t = upper.start[b]; t < end; ++t) {
    const Index width = s.block_rows(upper.column[t]), column = s.panel_column[t];
    PieceItem &last = pieces.back();
    if (last.column_begin == 0 || column + width - last.column_begin > piece_columns_on_device)
      pieces.push_back({b, column, column + width, t, t + 1});
    else
      last.column_end = column + width, last.tile_end = t + 1;
  }
}

/// Adds the pulls of pieces from `first` on, rows of `width` lanes: of the diagonal tiles, or of the others. Splits the
/// updates of those that take longer than a fair share of all, where so many pieces are computed at once.
void add_pulls(const BlockStructure &s, Offset first, Offset width, bool diagonal, Offset pieces_at_once,
               Offset &parts_size, DeviceSchedule &schedule)
{
  const Offset end = static_cast<Offset>(schedule.pieces.size());
  Offset all = 0;
  for (Offset p = first; p < end; ++p)
    all += count_parts(count_updates(s, schedule.pieces[p].block));
  for (Offset p = first; p < end; ++p) {
    const PieceItem &piece = schedule.pieces[p];
    if ((piece.column_begin == 0) != diagonal)
      continue;
    const Offset parts = count_parts(count_updates(s, piece.block));
    const Offset size = (piece.column_end - piece.column_begin) * width;
    if (parts == 1 || parts * pieces_at_once <= all || parts_size + parts * size > parts_doubles) {
      schedule.pulls.push_back({p, 0, -1});
      continue;
    }
    schedule.splits.push_back({p, parts, parts_size});
    for (Offset part = 0; part < parts; ++part, parts_size += size)
      schedule.pulls.push_back({p, part, parts_size});
  }
}

/// Adds the rows of a batch, all of one level.
void add_batch(const BlockStructure &s, std::vector<Index> rows, Offset pieces_at_once, DeviceSchedule &schedule)
{
  std::stable_sort(rows.begin(), rows.end(),
                   [&](Index a, Index b) { return width_class(s.block_rows(a)) < width_class(s.block_rows(b)); });
  DeviceBatch batch;
  Offset panel = 0, squares = 0, norms = 0, parts = 0;
  std::size_t i = 0;
  for (int w = 0; w <= width_classes; ++w) {
    batch.row_begin[w] = static_cast<Offset>(schedule.rows.size());
    batch.piece_begin[w] = static_cast<Offset>(schedule.pieces.size());
    batch.pull_begin[w] = static_cast<Offset>(schedule.pulls.size());
    batch.split_begin[w] = static_cast<Offset>(schedule.splits.size());
    for (; i < rows.size() && width_class(s.block_rows(rows[i])) == w; ++i) {
      const Index b = rows[i];
      const Offset width = Offset(4) << w;
      schedule.rows.push_back(b);
      schedule.row_pieces.push_back(static_cast<Offset>(schedule.pieces.size()));
      add_pieces(s, b, schedule.pieces);
      schedule.panel_offset[b] = panel;
      schedule.squares_offset[b] = squares;
      schedule.norm_offset[b] = norms;
      norms += width;
      panel += s.panel_width[b] * width;
      squares += (s.tiles.upper.start[b + 1] - s.tiles.upper.start[b]) * width;
    }
    if (w == width_classes)
      break;
    add_pulls(s, batch.piece_begin[w], Offset(4) << w, true, pieces_at_once, parts, schedule);
    batch.diagonal_pull_end[w] = static_cast<Offset>(schedule.pulls.size());
    batch.diagonal_split_end[w] = static_cast<Offset>(schedule.splits.size());
    add_pulls(s, batch.piece_begin[w], Offset(4) << w, false, pieces_at_once, parts, schedule);
  }
  schedule.panel_size = std::max(schedule.panel_size, panel);
  schedule.squares_size = std::max(schedule.squares_size, squares);
  schedule.norm_size = std::max(schedule.norm_size, norms);
  schedule.parts_size = std::max(schedule.parts_size, parts);
  schedule.batches.push_back(batch);
}

/// Finds the runs of short levels of narrow panels.
void find_runs(const BlockStructure &s, DeviceSchedule &schedule)
{
  for (std::size_t i = 0; i < schedule.batches.size(); ++i) {
    RowRun batch = {i, i, schedule.batches[i].row_begin[0], schedule.batches[i].row_begin[width_classes]};
    Offset updates = 0; // of the row with most of them
    for (Offset p = batch.row_begin; p < batch.row_end; ++p) {
      const Index b = schedule.rows[p];
      batch.columns = std::max(batch.columns, s.panel_width[b]);
      batch.tiles = std::max(batch.tiles, s.tiles.upper.start[b + 1] - s.tiles.upper.start[b]);
      updates = std::max(updates, count_updates(s, b));
    }
    if (batch.columns > narrow_panel || updates > few_updates || batch.row_end - batch.row_begin > short_level)
      continue;
    if (schedule.runs.empty() || schedule.runs.back().last_batch + 1 != i) {
      schedule.runs.push_back(batch);
      continue;
    }
    RowRun &run = schedule.runs.back();
    run.last_batch = i;
    run.row_end = batch.row_end;
    run.columns = std::max(run.columns, batch.columns);
    run.tiles = std::max(run.tiles, batch.tiles);
  }
}

} // namespace

DeviceSchedule make_device_schedule(const BlockStructure &s, Offset batch_doubles, Offset pieces_at_once)
{
  DeviceSchedule schedule;
  schedule.panel_offset.resize(s.blocks());
  schedule.squares_offset.resize(s.blocks());
  schedule.norm_offset.resize(s.blocks());
  for (Index level = 0; level < s.levels.levels(); ++level) {
    std::vector<Index> rows;
    Offset doubles = 0;
    for (Index i = s.levels.start[level]; i < s.levels.start[level + 1]; ++i) {
      const Index b = s.levels.order[i];
      const Offset size = Offset(s.panel_width[b]) * (Offset(4) << width_class(s.block_rows(b)));
      if (!rows.empty() && doubles + size > batch_doubles) {
        add_batch(s, rows, pieces_at_once, schedule);
        rows.clear();
        doubles = 0;
      }
      rows.push_back(b);
      doubles += size;
    }
    if (!rows.empty())
      add_batch(s, rows, pieces_at_once, schedule);
  }
  schedule.row_pieces.push_back(static_cast<Offset>(schedule.pieces.size()));
  for (Index b = 0; b < s.blocks(); ++b)
    schedule.largest_block = std::max(schedule.largest_block, s.block_rows(b));
  find_runs(s, schedule);
  return schedule;
}

} // namespace tessera
