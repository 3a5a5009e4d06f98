#ifndef TESSERA_ANALYSIS_SYMBOLIC_LEVEL_SETS_HPP
#define TESSERA_ANALYSIS_SYMBOLIC_LEVEL_SETS_HPP

#include "base/types.hpp"

namespace tessera {

/// Blocks by the length of the longest chain of dependencies before them. Block i depends on k < i when tile (k, i)
/// exists, so all blocks of a level can be eliminated at once (thesis 5.3.1; Naumov et al. 2015).
struct LevelSets {
  std::vector<Index> level; ///< [n] level of each block, from 0
  std::vector<Index> order; ///< [n] blocks sorted by level, ascending inside a level
  std::vector<Index> start; ///< [levels + 1] where each level begins in `order`

  Index levels() const { return static_cast<Index>(start.size()) - 1; }
};

/// Level sets of the strictly upper block triangle `upper`, given by rows.
LevelSets level_sets(const Pattern &upper);

} // namespace tessera
#endif
