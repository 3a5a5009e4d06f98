#ifndef TESSERA_ANALYSIS_TILES_BLOCK_STRUCTURE_HPP
#define TESSERA_ANALYSIS_TILES_BLOCK_STRUCTURE_HPP

#include "analysis/symbolic/level_sets.hpp"
#include "analysis/tiles/block_pattern.hpp"
#include "base/bytes.hpp"

namespace tessera {

/// Where the stored entries of A go: one item for each entry on or above the block diagonal (the diagonal tiles whole).
/// The items of block row b are start[b] .. start[b + 1] - 1.
struct ValueMap {
  std::vector<Offset> start;  ///< [blocks + 1]
  std::vector<Offset> source; ///< position of the entry in the caller's array of values
  std::vector<Index> column;  ///< its column in the panel of its block row
  std::vector<uint8_t> row;   ///< its row in the block
  std::vector<double> scale;  ///< what it is multiplied by: the scale factors of its row and its column
};

/// All that a block factorization needs to know of a pattern: the blocks, the tiles, the order of work, and where the
/// values go. Nothing in it depends on values but the scale factors.
///
/// The panel of block row b is the dense matrix [diagonal tile | tiles (b, j), j > b] over the rows of block b. It
/// exists only while the block row is computed.
struct BlockStructure {
  Index rows = 0;
  std::vector<Index> perm;          ///< [rows] perm[new] = old
  std::vector<Index> block_start;   ///< [blocks + 1] first row of each block
  std::vector<std::uint32_t> pairs; ///< [blocks] bit i: rows i and i + 1 of the block are a pair of the matching
  BlockPattern tiles;               ///< the tiles above the diagonal, by rows and by columns
  LevelSets levels;                 ///< block rows that can be computed at the same time
  std::vector<Index> panel_column;  ///< [tiles] first column of each tile in the panel of its block row
  std::vector<Index> panel_width;   ///< [blocks] columns of each panel, the diagonal tile's included
  ValueMap values;

  Index blocks() const { return static_cast<Index>(block_start.size()) - 1; }
  Index block_rows(Index b) const { return block_start[b + 1] - block_start[b]; }

  /// Memory of all of it.
  Offset bytes() const
  {
    return bytes_of_all(perm, block_start, pairs, panel_column, panel_width) +
           bytes_of_all(tiles.upper.start, tiles.upper.column, tiles.fill_level, tiles.columns.start,
                        tiles.columns.column, tiles.position) +
           bytes_of_all(levels.level, levels.order, levels.start) +
           bytes_of_all(values.start, values.source, values.column, values.row, values.scale);
  }
};

/// Level sets and panels of a structure of which perm, block_start and tiles are set.
void lay_out(BlockStructure &structure);

/// Completes a structure of which perm, block_start and tiles are set: levels, panels and the map of values.
///
/// pattern: the symmetric matrix, both triangles, rows in the caller's order; source[p]: where the caller stores the
/// value of entry p; scale: [rows] symmetric scale factors, in the caller's order.
void complete_structure(const Pattern &pattern, const std::vector<Offset> &source, const std::vector<double> &scale,
                        BlockStructure &structure);

} // namespace tessera
#endif
