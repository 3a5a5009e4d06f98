#ifndef TESSERA_ANALYSIS_TILES_BLOCK_PATTERN_HPP
#define TESSERA_ANALYSIS_TILES_BLOCK_PATTERN_HPP

#include "base/types.hpp"

namespace tessera {

/// Levels of fill between blocks: no limit to them.
constexpr Index complete_level = -1;

/// The tiles of a block factor Uᵀ D U. Diagonal tiles always exist and are not listed.
struct BlockPattern {
  Pattern upper;                        ///< by block rows: row i has the tiles (i, j), j > i
  std::vector<std::uint8_t> fill_level; ///< [tiles] level of fill of each: 0 is a tile of the matrix itself
  Pattern columns;                      ///< by block columns: column j has the tiles (i, j), i < j
  std::vector<Offset> position;         ///< [tiles] position in `upper` of each entry of `columns`
};

enum class FillStatus {
  Ok,
  OverBudget ///< more tiles than allowed; the pattern is empty
};

/// Tiles up to a level of fill, where tile (i, j) made by eliminating block k has the least
/// level(i, k) + level(k, j) + 1. A row is found by a breadth-first search from it through the blocks before it,
/// independently of all other rows (Hysom & Pothen 2002).
///
/// graph: block graph, both triangles, in elimination order. 0 <= fill_level <= 254. max_tiles: stop beyond this many.
FillStatus level_fill(const Pattern &graph, Index fill_level, Offset max_tiles, BlockPattern &result);

/// All tiles of the complete factor, from the elimination tree (Liu 1986): column j of U is the union of the tree
/// paths from the neighbours of j up to j. Every tile of fill has level 1.
FillStatus complete_fill(const Pattern &graph, Offset max_tiles, BlockPattern &result);

} // namespace tessera
#endif
