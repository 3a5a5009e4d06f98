#ifndef TESSERA_FACTOR_FRONT_DEVICE_DEVICE_PLAN_HPP
#define TESSERA_FACTOR_FRONT_DEVICE_DEVICE_PLAN_HPP

#include "base/portable.hpp"
#include "factor/front/front_plan.hpp"

#include <cstdint>
#include <vector>

namespace tessera {

/// Who factors a front on a device. Descendants of a front are of its kind or of one before it.
enum class FrontKind : std::uint8_t {
  Warp,  ///< a warp, in registers: at most 32 rows
  Block, ///< a thread block, in shared memory
  Tiles  ///< many thread blocks, a tile of 64 x 64 each
};

/// Numbers of a line of a device's cache, 128 bytes. Tiles begin where one does: what is copied from elsewhere asks for
/// two lines where it needs one.
constexpr Index line_numbers = 16;

/// Number of tile (i, j), i >= j, among those of a lower triangle of `rows` rows of tiles, column by column.
TESSERA_BOTH inline Offset tile_of_triangle(Index i, Index j, Index rows)
{
  return Offset(j) * rows - Offset(j) * (j - 1) / 2 + i - j;
}

/// Strips DevicePlan::gathered_first[begin] .. [end - 1].
struct GatheredRange {
  Index begin = 0, end = 0;
};

/// Where a front hands on what is left of it: the lower triangle of a matrix of `rows` rows, side 0, and a mass for
/// each. For LU the strictly upper triangle as well, transposed, side 1, and the masses of the columns. A front of kind
/// Warp or Block hands on a square, column-major, and then all masses. One of kind Tiles does so in strips of some
/// columns of tiles of 64 x 64: a strip has of each side one tile after the other, column by column of tiles, each of
/// them column-major, and then the masses of the same rows.
struct Contribution {
  static constexpr Index width = 64;

  Offset begin = 0;   ///< number of the device's memory; of a strip that of tile (0, 0), were it there
  Offset masses = 0;  ///< from there to the mass of row 0, were it there
  Offset to_side = 0; ///< from a side of a strip to the other
  Index rows = 0;     ///< of a front of kind Tiles, padded
  bool tiled = false; ///< a strip

  /// Of a front of kind Warp or Block. It lies where it begins.
  static Contribution square(Index rows) { return {0, Offset(rows) * rows, 0, rows, false}; }
  static Offset square_numbers(Index rows, Index sides) { return Offset(rows) * (rows + sides); }

  /// Columns first .. end - 1 of the tiles, in as many numbers, from `begin` on.
  static Contribution strip(Offset begin, Index rows, Index first, Index end)
  {
    const Offset before = tiles_before(first, rows), tiles = tiles_before(end, rows) - before;
    return {begin - before * width * width, (before + tiles) * width * width - Offset(first) * width,
            tiles * width * width + (end - first) * width, rows, true};
  }
  static Offset strip_numbers(Index rows, Index first, Index end, Index sides)
  {
    return sides * strip(0, rows, first, end).to_side;
  }

  /// Numbers before tile (i, j), i >= j, of a side.
  TESSERA_BOTH Offset tile(Index i, Index j, Index side = 0) const
  {
    return side * to_side + tile_of_triangle(i, j, rows / width) * width * width;
  }
  /// Numbers before entry (i, j), i >= j, of a side are in_column(j, side) + in_row(i, side).
  TESSERA_BOTH Offset in_column(Index j, Index side = 0) const
  {
    return tiled ? tile(0, j / width, side) + j % width * width : side == 0 ? Offset(j) * rows : j;
  }
  TESSERA_BOTH Offset in_row(Index i, Index side = 0) const
  {
    return tiled ? Offset(i / width) * width * width + i % width : side == 0 ? i : Offset(i) * rows;
  }
  /// Numbers before the mass of row i, or of column i, side 1.
  TESSERA_BOTH Offset mass(Index i, Index side = 0) const
  {
    return masses + (tiled ? side * to_side : side * rows) + i;
  }

private:
  static Offset tiles_before(Index column, Index rows) { return tile_of_triangle(column, column, rows / width); }
};

/// A front as a device sees it. The factor of a front is kept in panels of 32 (Warp, Block) or 64 (Tiles) columns.
///
/// A panel p eliminates w columns, of which A is the Schur complement: A₁₁ [w x w] and A₂₁ below. Kept are
///     W = A₁₁'s factor inverted, with Wᵀ A₁₁ W = J, and R = A₂₁ W J,
/// so that what is left is A₂₂ - R J Rᵀ. J has signs on its diagonal, and blocks [0 1; 1 0] in columns 2 k and 2 k + 1
/// for 2x2 pivots: it exchanges them. With J = I this is Cholesky's factor. A 2x2 pivot may also be one whose two
/// eigenvalues gave two columns of W. An order of the pivots inside of the panel is a matter of W alone.
/// A solve of A x = b is
///     z = Wᵀ b₁, b₂ = b₂ - R z;  then  x₁ = W (J z - Rᵀ x₂).
/// A column that is 0 in J is 0 in R, too: a pivot that is zero, or a column of padding.
///
/// For LU a front has two factors of this shape, side 0 and side 1, and J = I. A₁₁ = Pᵀ L U Qᵀ has the pivots D on the
/// diagonal of U. Kept are, with A₁₂ right of A₁₁,
///     W₀ = Pᵀ L⁻ᵀ |D|^(-1/2), R₀ = A₂₁ W₁;  W₁ = Q U⁻¹ |D|^(1/2), R₁ = A₁₂ᵀ W₀,
/// so that W₀ᵀ A₁₁ W₁ = I, and what is left is A₂₂ - R₀ R₁ᵀ. A solve of A x = b is
///     z = W₀ᵀ b₁, b₂ = b₂ - R₀ z;  then  x₁ = W₁ (z - R₁ᵀ x₂),
/// and one with Aᵀ has the sides exchanged. Entries of L are those of R₀ / sqrt|D|, as they are for LDLᵀ.
///
/// Panel p starts panel_offset(p) numbers after the front's factor. Of fronts of kind Warp and Block it is column-major
/// with leading dimension rows() - p * width, W in its first rows, R after it. Rows and columns of Tiles are padded to
/// multiples of 64 with zeros, and a panel is one tile of 64 x 64 after the other, first that of W: one piece of memory
/// each, which a device copies at once. See entry_of_tile(). After each half of R, 32 columns, are two words: signs of
/// J in these columns, a bit for each minus, and the columns that it exchanges; then the rest of a line. Of the last
/// panel as many columns are kept as there are own ones, rounded up to a multiple of 8, for LU of 32.
struct DeviceFront {
  Index first = 0;          ///< own column c is row first + c, in elimination order
  Index columns = 0;        ///< own; 0: a front of kind Warp or Block that only adds up what its children hand on
  Index below = 0;          ///< rows below them
  Index columns_padded = 0; ///< as columns, but in Tiles
  Index below_padded = 0;   ///< as below, but in Tiles
  Index parent = -1;        ///< or -1
  Index child_begin = 0; ///< its children are DevicePlan::child[child_begin] .. child[child_end - 1], of Warp and Block
  Index child_end = 0;   ///< in the order in which they may be expected to hand on
  Index awaited = 0;     ///< arrivals of children's tasks that must be complete before it is gathered (Tiles)
  Index raised = -1;     ///< front whose count it raises when it has handed on: its parent, of kind Tiles, or itself
  Index sign_begin = 0;  ///< its signs are from DevicePlan's word `sign_begin` on, a word for 32 columns, or none
  Offset below_begin = 0;    ///< in DevicePlan::below_row and to_parent
  Offset entry_begin = 0;    ///< its entries of A (Warp, Block)
  Offset entry_end = 0;      ///
  Offset factor_begin = 0;   ///< of a side, after DevicePlan::factor_place; a multiple of 2, of Tiles of line_numbers
  Contribution contribution; ///< of Tiles in no place of its own, but in strips
  Offset tile_begin = 0;     ///< number of its first tile (Tiles)
  Index sides = 1;           ///< 2: for LU
  Index last_stored = 0;     ///< see find_last_stored() (Tiles)
  Index strip_begin = 0;     ///< its strips are DevicePlan::strip[strip_begin] .. [strip_begin + strips() - 1] (Tiles)
  FrontKind kind = FrontKind::Warp;

  static constexpr Index warp_width = 32, tile_width = 64;
  static constexpr Index half_tile = 32 * tile_width;                 ///< numbers of 32 columns of a tile
  static constexpr Index half_tile_with_words = half_tile + 2;        ///< as a device copies it: 16 bytes more
  static constexpr Index half_tile_stored = half_tile + line_numbers; ///< with the words, and padding
  static constexpr Index tile_stored = 2 * half_tile_stored;
  TESSERA_BOTH Index width() const { return kind == FrontKind::Tiles ? tile_width : warp_width; }
  TESSERA_BOTH Index rows() const { return columns_padded + below_padded; }
  TESSERA_BOTH Index panels() const { return (columns_padded + width() - 1) / width(); }
  TESSERA_BOTH Index leading(Index p) const { return rows() - p * width(); }
  TESSERA_BOTH Offset panel_offset(Index p) const
  {
    return kind == FrontKind::Tiles ? tile_offset(p, p)
                                    : Offset(p) * width() * rows() - Offset(width()) * width() * p * (p - 1) / 2;
  }
  /// Whether all columns in the second half of panel p are padding (Tiles).
  TESSERA_BOTH bool is_half(Index p) const { return columns - p * tile_width <= tile_width / 2; }
  /// Of a panel columns are kept or left out so many at a time (Tiles). Fewer would make LU slower.
  TESSERA_BOTH static constexpr Index kept_together(Index sides) { return sides == 1 ? 8 : tile_width / 2; }
  /// Columns that are kept of a panel. own: own columns from its first one on.
  TESSERA_BOTH static Index kept_of(Index own, Index sides)
  {
    const Index together = kept_together(sides);
    return own < tile_width ? (own + together - 1) & -together : tile_width;
  }
  TESSERA_BOTH Index kept_columns(Index p) const { return kept_of(columns - p * tile_width, sides); }
  /// Numbers of a tile of panel p.
  TESSERA_BOTH Index stored(Index p) const { return (p + 1) * tile_width < columns_padded ? tile_stored : last_stored; }
  /// Numbers of a tile of which as many columns are kept.
  TESSERA_BOTH static Index stored_of(Index kept)
  {
    return kept * tile_width + (kept > tile_width / 2 ? 2 : 1) * line_numbers;
  }
  /// Numbers from the front's factor to its tile (i, p), i >= p.
  TESSERA_BOTH Offset tile_offset(Index i, Index p) const
  {
    return tile_of_triangle(i, p, rows() / tile_width) * tile_stored - (i - p) * (tile_stored - stored(p));
  }
  /// Numbers of a tile of the last panel. Kernels look them up, as they ask for the places of tiles all the time.
  TESSERA_BOTH Index find_last_stored() const { return stored_of(kept_columns(panels() - 1)); }
  /// Numbers of the front's factor, of a side (Tiles).
  TESSERA_BOTH Offset factor_numbers() const
  {
    const Index last = panels() - 1;
    return last < 0 ? 0 : tile_offset(last, last) + Offset(rows() / tile_width - last) * stored(last);
  }
  /// Where entry (i, j) of a tile is in it: column by column, and in these four rows are exchanged with others, so that
  /// entries (i .. i + 3, j .. j + 3) lie in different banks of shared memory.
  TESSERA_BOTH static Index entry_of_tile(Index i, Index j)
  {
    return j / 32 * half_tile_stored + j % 32 * tile_width + (i ^ (j & 3) << 2);
  }
  /// Tiles of the lower triangle (Tiles).
  TESSERA_BOTH Offset tiles() const
  {
    return tile_of_triangle(rows() / tile_width, rows() / tile_width, rows() / tile_width);
  }
  /// Number of tile (i, j), i >= j, of a side among all tiles of the plan. Those on the diagonal are the same ones on
  /// either side, and have a number on both.
  TESSERA_BOTH Offset tile(Index i, Index j, Index side = 0) const
  {
    return tile_begin + side * tiles() + tile_of_triangle(i, j, rows() / tile_width);
  }
  /// Columns of tiles of a strip; the last one of the own columns, and that of the others, may have fewer.
  static constexpr Index strip_columns = 4;
  Index own_strips() const { return (panels() + strip_columns - 1) / strip_columns; }
  Index strips() const
  {
    return own_strips() + (below_padded + strip_columns * tile_width - 1) / (strip_columns * tile_width);
  }
  /// The first column of tiles of the strip that a column is in.
  Index strip_start(Index column) const
  {
    const Index own = column < panels() ? 0 : panels();
    return own + (column - own) / strip_columns * strip_columns;
  }
  /// Number of the strip that a column of tiles is in.
  Index strip_of(Index column) const
  {
    return strip_begin +
           (column < panels() ? column / strip_columns : own_strips() + (column - panels()) / strip_columns);
  }
  /// Tasks that hand on a part of its contribution.
  TESSERA_BOTH Offset arrivals() const { return kind == FrontKind::Tiles ? tile_tasks(below_padded / tile_width) : 1; }
  /// Row of the system, in elimination order, of row i of a front of kind Warp or Block; -1 for own columns' padding.
  TESSERA_BOTH Index row(Index i, const Index *below_row) const
  {
    return i < columns ? first + i : i < columns_padded ? -1 : below_row[below_begin + i - columns_padded];
  }

private:
  /// Tasks for the tiles of as many rows of tiles: on the diagonal one for both sides.
  TESSERA_BOTH Offset tile_tasks(Index of) const { return sides * tile_of_triangle(of, of, of) - (sides - 1) * of; }
};

/// Consecutive columns of tiles of a front, all of them own ones or all of them handed on.
struct TileStrip {
  Contribution contribution; ///< that is handed on; of own columns without rows
  /// Which must have been gathered before these are written, because that takes the place of what they read.
  GatheredRange before;
};

/// Part of a child's contribution that falls into a tile of its parent, on the same side: columns j_begin .. j_end - 1
/// and rows max(j, i_begin) .. i_end - 1 of the contribution. Into a tile on the diagonal it falls from both sides, and
/// so do the masses of rows j_begin .. j_end - 1.
struct TilePiece {
  Contribution contribution; ///< the child's, or the strip of it that has these columns
  Offset below_begin;        ///< as in the child's DeviceFront
  Index j_begin, j_end, i_begin, i_end;
};

/// A tile of 64 x 64 of a front, to be gathered, brought up to date and factored, multiplied by W, or handed on. On
/// side 1 it is a tile of the transposed matrix.
struct TileTask {
  Index front;
  Index row, column;             ///< of the tile, row >= column
  Index side;                    ///< 0 on the diagonal
  Index strip;                   ///< DevicePlan::strip that it is in
  Offset entry_begin, entry_end; ///< entries of A that fall into it
  Offset piece_begin, piece_end; ///< DevicePlan::piece: of the children's contributions, in their order
};

/// A strip of which as many tiles must have been gathered.
struct GatheredFirst {
  Index strip, tiles;
};

/// Fronts of kind Block that are launched together: DevicePlan::block_order[begin] .. [end - 1]. Thread blocks have
/// shared memory for the largest of them, so that small ones apart from it leave room for each other.
struct BlockGroup {
  Index begin, end;
  Index rows; ///< of the largest, both parts padded to multiples of 8
};

/// A FrontPlan in the arrays that the kernels of a device read. There are more fronts: see group_children().
struct DevicePlan {
  std::vector<DeviceFront> front;
  std::vector<Index> origin; ///< [fronts] front of the FrontPlan; -1: one without own columns
  std::vector<Index> child;
  std::vector<Index> below_row; ///< rows below the own columns of each front, in elimination order
  std::vector<Index> to_parent; ///< [below_row] place of that row in the parent's front, padded columns counted

  /// Entries of A, by front; those of a front of kind Tiles by tile. The value of entry source[p] of FrontPlan::matrix
  /// belongs to row place[p] / 2^16 and column place[p] % 2^16 of the front, or of the tile.
  std::vector<std::uint32_t> source;
  std::vector<std::uint32_t> place;
  std::vector<Index> scale_row, scale_column; ///< [entries] row and column whose scale factors go with its value

  std::vector<TilePiece> piece;
  std::vector<TileStrip> strip;
  std::vector<GatheredFirst> gathered_first; ///< see TileStrip::before

  std::vector<std::uint32_t> pair_word; ///< [words of signs] bit c: column c and the next are a matched pair
  std::vector<Index> warp_order;        ///< fronts of kind Warp in the order of their tickets
  std::vector<Index> block_order;       ///< of kind Block, group by group
  std::vector<BlockGroup> block_group;  ///< in an order in which no front waits for one of a later group
  std::vector<TileTask> tile_order;     ///< tiles of fronts of kind Tiles

  /// [tickets + 1] A thread block takes tiles tile_ticket[t] .. tile_ticket[t + 1] - 1 of tile_order at a time: one,
  /// for LU also two below each other, which have products with the same tiles.
  std::vector<Index> tile_ticket;

  Index sides = 1;           ///< 2: for LU
  Index words = 0;           ///< of 32 signs
  Offset tiles = 0;          ///< of fronts of kind Tiles, on all sides
  Offset factor_numbers = 0; ///< of a side

  /// The numbers of a device's memory: contributions of fronts that are below no front of kind Tiles, from factor_place
  /// on the sides of the factor, then room for other contributions, which take places in the factor, too.
  Offset factor_place = 0, memory_numbers = 0;
};

/// The arrays of a plan for a device. block_rows: rows that a front of kind Block may have, padded. Throws
/// std::bad_alloc for a matrix whose entries 32 bits do not count.
DevicePlan make_device_plan(const FrontPlan &plan, Index block_rows);

} // namespace tessera
#endif
