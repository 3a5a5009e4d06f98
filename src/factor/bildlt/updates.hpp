#ifndef TESSERA_FACTOR_BILDLT_UPDATES_HPP
#define TESSERA_FACTOR_BILDLT_UPDATES_HPP

#include "factor/bildlt/views.hpp"
#include "tile/group.hpp"

// Which updates C_bj -= U_kbᵀ D_k U_kj a piece of block row b takes (thesis Alg. 9), for both backends: those by each
// block row k that keeps columns of its tile (k, b), in ascending order, with the kept columns of its tiles (k, j) of
// which the piece holds (b, j). host/bildlt/pull_updates.hpp and cuda/bildlt/pull_pieces.cuh go through them, each in
// its way.

namespace tessera {

/// Block row k as far as it updates block row b. It does if count > 0.
template <class T>
struct UpdateSource {
  Index block, rows, first, count; ///< k; its rows; the kept columns of tile (k, b) are first .. first + count - 1
  Index row_start;                 ///< first row of block k
  Offset tile, tile_end;           ///< tile (k, b), and the end of those of block row k
  const T *value;                  ///< kept columns of block row k
  const std::uint8_t *column;      ///< which column of its tile each of them is
};

/// What tile t = (k, b) has to do with b.
template <class T>
TESSERA_COLLECTIVE UpdateSource<T> update_source(const StructureView &s, const FactorView<T> &f, Index k, Offset t)
{
  UpdateSource<T> x = {};
  x.block = k;
  x.tile = t;
  x.first = f.first[t + k];
  x.count = f.first[t + k + 1] - x.first;
  x.rows = s.block_rows(k);
  x.row_start = s.block_start[k];
  x.tile_end = s.tile_start[k + 1];
  x.value = f.value[k];
  x.column = f.column[k];
  return x;
}

/// Tiles (k, j) that a piece may hold as (b, j) begin with tile (k, b) itself, if it holds the diagonal tile, ...
template <class T>
TESSERA_COLLECTIVE Offset first_update_tile(const PanelPiece &piece, const UpdateSource<T> &x)
{
  return piece.column_begin == 0 ? x.tile : x.tile + 1;
}

/// ... and end with this block column.
TESSERA_COLLECTIVE Index last_update_column(const StructureView &s, const PanelPiece &piece)
{
  return piece.tile_end > piece.tile_begin ? s.tile_column[piece.tile_end - 1] : piece.block;
}

/// The kept columns first .. first + count - 1 of a tile (k, j), whose column c meets panel column target + c of block
/// row b. Without such an update, target is -1.
struct TileUpdate {
  Index first, count, target;
};

/// That of tile y = (k, j). find(j): panel column of tile (b, j), or -1 if the piece does not hold it.
template <class T, class Find>
TESSERA_COLLECTIVE TileUpdate tile_update(const FactorView<T> &f, Index k, Offset y, Index j, const Find &find)
{
  const Index first = f.first[y + k], count = f.first[y + k + 1] - first;
  return {first, count, count > 0 ? find(j) : -1};
}

/// -(D u)(r) for a column u. d, e, e_before: d(r), e(r) and e(r - 1) of its D, 0 where there is no such entry.
template <class Column>
TESSERA_COLLECTIVE double update_weight(double d, double e, double e_before, const Column &u, Index r)
{
  double x = d * u(r);
  if (e != 0)
    x += e * u(r + 1);
  if (e_before != 0)
    x += e_before * u(r - 1);
  return -x;
}

} // namespace tessera
#endif
