#ifndef TESSERA_ANALYSIS_TILES_MAKE_TILES_HPP
#define TESSERA_ANALYSIS_TILES_MAKE_TILES_HPP

#include "analysis/ordering/compress.hpp"
#include "analysis/tiles/block_structure.hpp"
#include "analysis/tiles/blocking.hpp"

namespace tessera {

/// The most levels of fill up to the worthwhile_level of the blocking that have no more than max_tiles tiles
constexpr Index automatic_level = -2;

/// The blocks of a matrix and their tiles.
struct TiledMatrix {
  FillStatus status = FillStatus::Ok;
  Index fill_level = 0;     ///< what automatic_level came to
  bool low_fill = false;    ///< automatic_level took few levels, because complete fill is costly
  BlockStructure structure; ///< of which perm, block_start, pairs and tiles are set: see complete_structure
};

/// Which tiles a matrix is to have.
struct TileOptions {
  Index fill_level = automatic_level; ///< a number, complete_level or automatic_level
  Offset max_tiles = Offset(1) << 27; ///< beyond which there are none
  Index short_level = 0;              ///< incomplete fill: the last levels of fewer blocks are coloured; 0: none are
};

/// Makes the tiles of a blocked graph. `worthwhile` is what the blocking's worthwhile_level says. OverBudget: there
/// would be more than max_tiles tiles. Blocks may be in another order than in the blocking, see colour_last_levels.
TiledMatrix make_tiles(const CompressedGraph &graph, const Blocking &blocking, Index worthwhile,
                       const TileOptions &options);

} // namespace tessera
#endif
