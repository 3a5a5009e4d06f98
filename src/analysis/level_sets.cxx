#include "analysis/level_sets.hpp"

#include <algorithm>
#include <numeric>

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

  sets.start.assign(levels + 1, 0);
  for (Index level : sets.level)
    ++sets.start[level + 1];
  std::partial_sum(sets.start.begin(), sets.start.end(), sets.start.begin());
  std::vector<Index> next(sets.start.begin(), sets.start.end() - 1);
  sets.order.resize(n);
  for (Index i = 0; i < n; ++i)
    sets.order[next[sets.level[i]]++] = i;
  return sets;
}

} // namespace tessera
