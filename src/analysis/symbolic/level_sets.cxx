#include "analysis/symbolic/level_sets.hpp"

#include "base/row_starts.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

LevelSets level_sets(const Pattern &upper)
{
  const Index n = upper.rows;
  LevelSets sets;
  sets.level.assign(n, 0);
  Index levels = 0;
  for (Index k = 0; k < n; ++k) {
    const Index next = sets.level[k] + 1;
    levels = std::max(levels, next);
    for (Offset p = upper.start[k]; p < upper.start[k + 1]; ++p) {
      Index &level = sets.level[upper.column[p]];
      level = std::max(level, next);
    }
  }

  ItemsByKey by_level = sort_by_key(0, n, levels, [&](Index i) { return sets.level[i]; });
  sets.order = std::move(by_level.item);
  sets.start = std::move(by_level.start);
  return sets;
}

} // namespace tessera
