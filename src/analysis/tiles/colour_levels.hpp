#ifndef TESSERA_ANALYSIS_TILES_COLOUR_LEVELS_HPP
#define TESSERA_ANALYSIS_TILES_COLOUR_LEVELS_HPP

#include "analysis/symbolic/level_sets.hpp"
#include "analysis/tiles/block_pattern.hpp"

namespace tessera {

/// An order of the blocks that has fewer level sets, order[new] = old, for tiles of some levels of fill.
///
/// The last levels, as long as each has fewer than `few_blocks` blocks and all of them have no more than a tenth of all
/// blocks, are those of the last separators, whose blocks are chains: one after the other along the separator. Those
/// blocks are sorted by a greedy colouring of their tiles instead, and stay behind all others. Blocks of a colour have
/// no tiles with each other, so that a colour is a level set; but for tiles of fill that come from blocks of earlier
/// colours. Empty: that is no change.
///
/// Without fill the tiles stay the same. The factor is that of another order, of which as an incomplete factorization
/// nothing is known beforehand (multicolour orderings: Duff & Meurant 1989); few blocks keep the change small.
std::vector<Index> colour_last_levels(const BlockPattern &tiles, const LevelSets &levels, Index few_blocks);

} // namespace tessera
#endif
