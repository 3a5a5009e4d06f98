#ifndef TESSERA_FACTOR_JLDLT_VIEW_HPP
#define TESSERA_FACTOR_JLDLT_VIEW_HPP

#include "factor/bildlt/views.hpp"
#include "factor/jldlt/indexed_blocks.hpp"
#include "tile/pivoting.hpp"

namespace tessera {

/// Right-hand sides that the reconstruction error is estimated with.
constexpr int jacobi_probes = 4;

/// Kept columns that a piece has at most, as many as a tile may have.
constexpr Index jacobi_piece_columns = 32;

/// Sums of more terms than this, updates of a piece or tiles of a block row, are cut into parts of so many, which are
/// then summed in their order: a row that meets all others would hold everything up. Part of what the bits depend on.
constexpr Offset jacobi_part_terms = 64;

/// Entries from a column of a tile to the next, or between rows: whole steps of a kernel.
constexpr Index jacobi_step = 4;
TESSERA_BOTH constexpr Index padded(Index n)
{
  return (n + jacobi_step - 1) / jacobi_step * jacobi_step;
}

/// Set bits of a mask of columns.
TESSERA_BOTH inline Index count_columns(std::uint32_t mask)
{
#ifdef __CUDA_ARCH__
  return __popc(mask);
#else
  return __builtin_popcount(mask);
#endif
}

/// Place of column c among the columns of a mask.
TESSERA_BOTH inline Index place_of_column(std::uint32_t mask, Index c)
{
  return count_columns(mask & ((1u << c) - 1));
}

/// One iterate of the fixed point: a block factor A ≈ UᵀJU in the current order of the blocks, J = diag(+-1).
///
/// A diagonal tile is B = Pᵀ L D Lᵀ P = U_bbᵀ J_b U_bb with U_bb = J_b F Lᵀ P and D = Fᵀ J_b F
/// (tile/block_diagonal.hpp). Updates have a sign in place of a product with D, so that U is all they read. Rows of
/// U_bb are pivots and its columns the block's rows in their own order: pivoting in a block moves nothing outside of
/// it, so the permutations of an iterate are those of its own diagonal tiles and need not be carried along. Of a tile
/// U_bj only columns that can be nonzero are kept, at JacobiView::tile_u with padded(b's rows) entries between columns.
/// What is between columns is zero.
struct JacobiIterate {
  double *u;
  double *lower;           ///< L, column-major, group_width(rows) entries between columns; before it B
  double *inverse;         ///< J_b U_bb⁻ᵀ = F⁻ᵀ L⁻¹ P, column-major, rows entries between columns
  double *d, *e;           ///< [rows] diagonal and subdiagonal of D in pivot order
  std::int32_t *perm;      ///< [rows] row of the block at each place of the pivot order
  PivotCounts *counts;     ///< [blocks]
  std::uint32_t *negative; ///< [blocks] bit i: J is -1 in row i
  double *largest;         ///< [blocks] largest magnitude of B
};

/// An update of a piece by block row k: columns of tile (b, j) less U_kbᵀ J_k U_kj, b being the piece's block.
struct alignas(16) JacobiUpdate {
  Index block;           ///< k
  std::uint32_t own;     ///< the columns that U_kb keeps
  Offset own_u, u;       ///< where U_kb and U_kj are
  std::uint32_t columns; ///< of the piece, those that U_kj keeps, in their order
  Index rows;            ///< of block k
};

/// Columns of a block row that are computed together: all that consecutive tiles keep, or the diagonal tile.
struct JacobiPiece {
  Index block, columns;
  Offset entry_begin, entry_end;   ///< entries of A
  Offset update_begin, update_end; ///< updates, without those of its parts
  Offset part;                     ///< sums of its parts, one after the other: [block's group width x columns] each
  Offset parts;
  Offset u; ///< where the columns go; of a diagonal tile lower_start
};

/// More updates of a piece, summed from zero.
struct JacobiPart {
  Index block, columns;
  Offset update_begin, update_end;
  Offset position;
};

/// Terms begin .. end - 1 of the sum of a block in a product with vectors: kept columns of its block row, or updates of
/// its diagonal tile.
struct JacobiTerms {
  Index block;
  Offset begin, end;
  Offset part, parts; ///< further sums, room for [group width x probes] each; or, for such a sum, its position and 0
};

/// Terms of a row of A, both triangles: its entries, or some of them. Those of neighbouring pieces lie between each
/// other's, piece_step apart, so that a GPU reads them together.
struct JacobiRow {
  Offset begin;
  Index entries;
};
constexpr Index piece_step = 32;

/// In place of a stage: the blocks of all of them.
constexpr Index every_stage = -1;

/// What the kernels of a Jacobi-LDLᵀ factorization share (thesis Alg. 11).
struct JacobiView {
  IndexView index;
  Index blocks;
  Offset tiles;
  const Index *block_start;    ///< [blocks + 1] first row of each block
  const Index *tile_row;       ///< [tiles] block whose rows are those of the tile as A has it
  const Index *tile_column;    ///< [tiles] block whose rows are its columns
  const Offset *lower_start;   ///< [blocks] where each L begins
  const Offset *inverse_start; ///< [blocks + 1] likewise each inverse
  const std::uint32_t *pairs;  ///< [blocks] matched pairs of rows

  // in the current order
  const std::uint32_t *mask;  ///< [tiles] columns that U keeps of each tile
  const Offset *tile_u;       ///< [tiles] where its columns are
  const Offset *u_start;      ///< [blocks] where the kept columns of each block row are, all tiles one after the other
  const Offset *column_start; ///< [blocks] position in column_row of the first of them
  const Index *column_row;    ///< which row of the matrix each kept column belongs to, in the first order of the blocks
  const JacobiUpdate *updates;
  const Index *entry;               ///< which entry of A
  const std::uint8_t *entry_column; ///< its column in the piece
  const std::uint8_t *entry_row;    ///< its row in the block
  double *parts;                    ///< sums of parts of pieces
  double *terms;                    ///< sums of parts of products
  double *spread; ///< [probes x columns] products of kept columns with their block row of J U probe or of a vector
  Offset columns; ///< kept, of all block rows

  const double *a; ///< entries of A, scaled
  JacobiIterate iterate[2];
  std::uint8_t *held_in;   ///< [blocks] which of the two has each block before the stage
  std::uint8_t *active;    ///< [blocks] whether the stage computes it, to the other one: see BeginStage
  Offset *changed;         ///< [blocks] the step that computed it last
  const Index *stage_of;   ///< [blocks] in which stage of a sweep it is
  Index stage;             ///< of the sweep, or every_stage
  Index known_stages;      ///< whose blocks the run has computed: those of the others are zero
  Offset step;             ///< the stage's number since the first run
  double delta;            ///< pivots below it are replaced
  const double *probe;     ///< [rows x probes] entries +-1
  const double *reference; ///< [rows x probes] A probe
  double *product;         ///< [rows x probes] J U probe
  double *residual;        ///< [rows x probes] Fᵀ U probe; then work
  double *error;           ///< [blocks] sums of squares of (UᵀJU - A) probe

  TESSERA_BOTH JacobiIterate old(Index b) const { return pick(held_in[b]); }
  TESSERA_BOTH JacobiIterate now(Index b) const { return pick(held_in[b] ^ active[b]); }
  /// Whether the old iterate of block b is something else than zero.
  TESSERA_BOTH bool known(Index b) const { return stage_of[b] < known_stages; }
  /// Whether the stage computes block b.
  TESSERA_BOTH bool in_stage(Index b) const { return stage == every_stage || stage_of[b] == stage; }
  TESSERA_BOTH Index block_rows(Index b) const { return block_start[b + 1] - block_start[b]; }
  /// The two blocks of a tile in their current order.
  TESSERA_BOTH bool flipped(Offset t) const { return index.before(tile_column[t], tile_row[t]); }
  TESSERA_BOTH Index first(Offset t) const { return flipped(t) ? tile_column[t] : tile_row[t]; }
  TESSERA_BOTH Index second(Offset t) const { return flipped(t) ? tile_row[t] : tile_column[t]; }

private:
  /// By selects: an index would put the kernel's arguments into memory.
  TESSERA_BOTH JacobiIterate pick(bool second) const
  {
    const JacobiIterate &x = iterate[0], &y = iterate[1];
    return {second ? y.u : x.u,
            second ? y.lower : x.lower,
            second ? y.inverse : x.inverse,
            second ? y.d : x.d,
            second ? y.e : x.e,
            second ? y.perm : x.perm,
            second ? y.counts : x.counts,
            second ? y.negative : x.negative,
            second ? y.largest : x.largest};
  }
};

} // namespace tessera
#endif
