#ifndef TESSERA_HOST_BILDLT_PULL_UPDATES_HPP
#define TESSERA_HOST_BILDLT_PULL_UPDATES_HPP

#include "factor/bildlt/block_ildlt.hpp"
#include "factor/bildlt/updates.hpp"
#include "host/lanes/team_host.hpp"

#include <algorithm>

// The updates of a piece by a core, one block row after the other. cuda/bildlt/pull_pieces.cuh is the other half, with
// the same order of operations.

namespace tessera {

/// weight(l, r) = -(D_k U_kb)(r, column l of tile (k, b)): overwrites the first rows-of-k columns of weight [W x 32],
/// with zeros where the tile keeps no column l.
template <int W, class T>
void update_weights(const UpdateSource<T> &x, const FactorView<T> &f, double *weight)
{
  const Index rows = x.rows;
  const double *d = f.d + x.row_start, *e = f.e + x.row_start;
  std::fill_n(weight, rows * W, 0.0);
  const bool pairs = std::any_of(e, e + rows, [](double entry) { return entry != 0; });
  for (Index c = x.first; c < x.first + x.count; ++c) {
    const T *column = x.value + Offset(c) * rows;
    const auto u = [column](Index r) { return column[r]; };
    double *to = weight + x.column[c];
    for (Index r = 0; r < rows; ++r)
      to[r * W] = pairs ? update_weight(d[r], e[r], r > 0 ? e[r - 1] : 0, u, r) : -(d[r] * u(r));
  }
}

/// First tile (k, j) of block row k that the piece may hold as (b, j).
template <class T>
Offset first_tile(const StructureView &s, const PanelPiece &piece, const UpdateSource<T> &x)
{
  const Offset begin = first_update_tile(piece, x);
  if (piece.column_begin == 0)
    return begin;
  const Index *column = s.tile_column;
  return std::lower_bound(column + begin, column + x.tile_end, column[piece.tile_begin]) - column;
}

/// C_bj -= U_kbᵀ D_k U_kj for the tiles (k, b) that are entries begin .. end - 1 of the block column, and all tiles of
/// the piece, its diagonal tile included.
///
/// find(j): panel column of tile (b, j), or -1 if the piece does not hold it. weight: scratch [W x 32].
template <int W, class T, class Find>
void pull_updates(const StructureView &s, const FactorView<T> &f, const PanelPiece &piece, const Find &find,
                  Offset begin, Offset end, double *weight)
{
  using Team = HostTeam<W>;
  const Index last_column = last_update_column(s, piece);
  for (Offset q = begin; q < end; ++q) {
    const UpdateSource<T> x = update_source(s, f, s.column_block[q], s.column_tile[q]);
    if (x.count == 0)
      continue;
    update_weights<W>(x, f, weight);
    double *column[Team::columns_at_once];
    const T *u[Team::columns_at_once];
    int count = 0;
    for (Offset y = first_tile(s, piece, x); y < x.tile_end && s.tile_column[y] <= last_column; ++y) {
      const TileUpdate tile = tile_update(f, x.block, y, s.tile_column[y], find);
      if (tile.target < 0)
        continue;
      for (Index c = tile.first; c < tile.first + tile.count; ++c) {
        column[count] = piece.panel + Offset(tile.target + x.column[c]) * W;
        u[count] = x.value + Offset(c) * x.rows;
        if (++count == Team::columns_at_once) {
          update_columns<Team::columns_at_once>(Team(), weight, x.rows, column, u);
          count = 0;
        }
      }
    }
    for (int i = 0; i < count; ++i)
      update_columns<1>(Team(), weight, x.rows, column + i, u + i);
  }
}

} // namespace tessera
#endif
