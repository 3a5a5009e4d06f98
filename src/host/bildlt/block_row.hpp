#ifndef TESSERA_HOST_BILDLT_BLOCK_ROW_HPP
#define TESSERA_HOST_BILDLT_BLOCK_ROW_HPP

#include "host/bildlt/pull_updates.hpp"
#include "host/bildlt/solve_panel.hpp"

#include "factor/bildlt/block_report.hpp"
#include "factor/bildlt/factor_tile.hpp"
#include "factor/bildlt/fill_limit.hpp"
#include "factor/bildlt/schedule.hpp"
#include "factor/width.hpp"
#include "tile/block_diagonal.hpp"
#include "tile/triangular.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

/// Panel columns of the tiles that a piece holds, by block column; -1 for the others.
struct TileTable {
  std::vector<Index> target;

  Index operator()(Index j) const { return target[j]; }
};

/// A TileTable that notes which panel columns it was asked for, from *first to *last - 1.
struct TouchedTiles {
  const TileTable &table;
  const StructureView &s;
  Index *first, *last;

  Index operator()(Index j) const
  {
    const Index column = table(j);
    if (column >= 0) {
      *first = std::min(*first, column);
      *last = std::max(*last, column + s.block_rows(j));
    }
    return column;
  }
};

/// A cache line.
struct alignas(64) Line {
  double value[8];
};

/// What one thread has for itself.
struct Scratch {
  TileTable table;
  std::vector<Line> row;  ///< memory of the block row that it computes alone
  std::vector<Line> part; ///< a part of the updates of a piece; zero in between
  alignas(64) double weight[max_block_rows * max_block_rows];
  BlockFactorReport counts; ///< pivots, and tiles that were searched
  double growth = 0;
  bool nonfinite = false;

  void add(const PivotCounts &tile)
  {
    counts.add_pivots(tile);
    nonfinite |= tile.nonfinite != 0;
  }
};

/// Memory of a block row while it is computed; its size is row_doubles().
struct RowMemory {
  double *panel;   ///< [panel width * W]
  double *squares; ///< [tiles * W] sums of squares of the rows of each tile
  Offset *kept;    ///< [pieces] kept columns of each piece; then of the pieces before it
  float *score;    ///< [panel width] of each column, the diagonal tile's left out

  RowMemory(double *memory, Index rows, Index panel_width, Index pieces, Offset tiles)
      : panel(memory), squares(panel + Offset(panel_width) * group_width(rows)),
        kept(reinterpret_cast<Offset *>(squares + tiles * group_width(rows))),
        score(reinterpret_cast<float *>(kept + pieces))
  {
  }
};

/// The steps that compute one block row by groups of W lanes. Each is for one piece, or for the row where it says so.
template <class T, int W>
struct BlockRow {
  const BlockStructure &structure;
  const Schedule &schedule;
  const FactorOptions &options;
  const StructureView &s;
  const FactorView<T> &f;
  const ValuesView &values;
  const double largest; ///< entry of the scaled matrix
  const Index b;
  const RowMemory memory;
  Scratch &scratch;

  Index pieces() const { return schedule.pieces(b); }

  PanelPiece piece(Index p) const
  {
    const Offset i = schedule.piece_start[b] + p;
    const bool last = i + 1 == schedule.piece_start[b + 1];
    return {b,
            schedule.piece_tile[i],
            last ? s.tile_start[b + 1] : schedule.piece_tile[i + 1],
            schedule.piece_column[i],
            last ? s.panel_width[b] : schedule.piece_column[i + 1],
            memory.panel};
  }

  /// First panel column of a piece after the diagonal tile.
  Index first_column(const PanelPiece &part) const
  {
    return part.column_begin == 0 ? s.block_rows(b) : part.column_begin;
  }

  /// Gathers the values of A and pulls the updates.
  void pull(Index p) const
  {
    const HostTeam<W> g;
    const PanelPiece part = piece(p);
    gather_values(g, values, part);
    std::vector<Index> &target = scratch.table.target;
    if (part.column_begin == 0)
      target[b] = 0;
    for (Offset t = part.tile_begin; t < part.tile_end; ++t)
      target[s.tile_column[t]] = s.panel_column[t];
    const Offset begin = s.column_start[b], end = s.column_start[b + 1];
    if (count_parts(end - begin) == 1)
      pull_updates<W>(s, f, part, scratch.table, begin, end, scratch.weight);
    else
      for (Offset q = begin; q < end; q += update_part)
        add_part(part, q, std::min(q + update_part, end));
    target[b] = -1;
    for (Offset t = part.tile_begin; t < part.tile_end; ++t)
      target[s.tile_column[t]] = -1;
  }

  /// Adds a part of the updates, entries begin .. end - 1 of the block column, to a piece.
  void add_part(const PanelPiece &piece, Offset begin, Offset end) const
  {
    const std::size_t lines = std::size_t(piece.column_end - piece.column_begin) * W / 8 + 1;
    if (scratch.part.size() < lines)
      scratch.part.assign(lines, Line());
    PanelPiece part = piece;
    part.panel = scratch.part.front().value - Offset(piece.column_begin) * W;
    Index first = piece.column_end, last = piece.column_begin;
    pull_updates<W>(s, f, part, TouchedTiles{scratch.table, s, &first, &last}, begin, end, scratch.weight);
    for (Offset i = Offset(first) * W; i < Offset(last) * W; ++i) {
      piece.panel[i] += part.panel[i];
      part.panel[i] = 0;
    }
  }

  /// Factors the diagonal tile, once the first piece is pulled, and leaves D⁻¹ L⁻¹ P in its place.
  void diagonal() const
  {
    const HostTeam<W> g;
    const Index k = s.block_rows(b), row = s.block_start[b];
    double *tile = memory.panel;
    for (Index c = 0; c < k; ++c)
      for (Index r = c; r < k; ++r)
        scratch.growth = std::max(scratch.growth, std::fabs(tile[c * W + r]));
    std::int32_t perm[W];
    PivotCounts counts = {};
    scratch.counts.searched +=
        factor_tile_by<HostTeam<W>>(options.pivoting, tile, k, {options.perturbation * largest, structure.pairs[b]},
                                    f.d + row, f.e + row, perm, &counts);
    inverse_lower(g, tile, W, k, perm, f.inverse + f.inverse_start[b], k);
    for (Index c = 0; c < k; ++c)
      g.store(tile + c * W, g.load(g.template id<double>() < std::int64_t(k), f.inverse + f.inverse_start[b] + c * k));
    multiply_diagonal<DiagonalOf::inverse>(g, f.d + row, f.e + row, k, tile, W, k);
    scratch.nonfinite |= !inverse_is_finite(g, k, largest, [&](Index c) { return g.load(tile + c * W); });
    scratch.add(counts);
  }

  /// Solves a pulled piece, once the diagonal tile is factored, and sums the squares of its rows.
  void solve(Index p) const { solve_panel<W>(s, piece(p), memory.panel, memory.squares); }

  /// Scores the columns of a piece, once all pieces are solved, by the norms of whole rows, and counts those above the
  /// drop tolerance.
  void score(Index p) const
  {
    const HostTeam<W> g;
    alignas(64) double inverse_norm[W];
    scratch.nonfinite |= !row_norms(g, s, b, memory.squares, inverse_norm);
    const PanelPiece part = piece(p);
    score_columns(g, s, part, inverse_norm, memory.score);
    Offset n = 0;
    for (Index c = first_column(part); c < part.column_end; ++c)
      n += memory.score[c] > static_cast<float>(options.drop_tolerance);
    memory.kept[p] = n;
  }

  /// Turns the counts of the pieces into the columns kept before each. Returns those of the whole row.
  Offset sum_counts() const
  {
    Offset n = 0;
    for (Index p = 0; p < pieces(); ++p) {
      const Offset own = memory.kept[p];
      memory.kept[p] = n;
      n += own;
    }
    return n;
  }

  /// Stores the kept columns of a piece, of which there are `before` in the row's earlier pieces, and where its tiles
  /// begin among them. f.value[b] and f.column[b] have room. Of columns at the cut, the first `cut.ties` are kept and
  /// counted off. Returns the columns kept up to here.
  Offset store(Index p, Offset before, ScoreCut &cut) const
  {
    const PanelPiece part = piece(p);
    const Index k = s.block_rows(b);
    T *value = f.value[b] + before * k;
    std::uint8_t *column = f.column[b];
    Offset n = before;
    for (Offset t = part.tile_begin; t < part.tile_end; ++t) {
      f.first[t + b] = static_cast<Index>(n);
      const Index begin = s.panel_column[t], width = s.block_rows(s.tile_column[t]);
      for (Index c = 0; c < width; ++c) {
        if (!cut.keeps(memory.score[begin + c]))
          continue;
        const double *from = memory.panel + Offset(begin + c) * W;
        for (Index r = 0; r < k; ++r)
          value[r] = static_cast<T>(from[r]);
        value += k;
        column[n++] = static_cast<std::uint8_t>(c);
      }
    }
    if (part.tile_end == s.tile_start[b + 1])
      f.first[part.tile_end + b] = static_cast<Index>(n);
    return n;
  }
};

} // namespace tessera
#endif
