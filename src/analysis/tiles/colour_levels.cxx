#include "analysis/tiles/colour_levels.hpp"

#include <algorithm>

namespace tessera {
namespace {

/// Blocks of the last levels at most, of all blocks.
constexpr Index least_share = 10;

/// The first of the last levels.
Index first_late_level(const LevelSets &levels, Index few_blocks)
{
  const Index blocks = levels.start.back();
  Index first = levels.levels();
  while (first > 0 && levels.start[first] - levels.start[first - 1] < few_blocks &&
         blocks - levels.start[first - 1] <= blocks / least_share)
    --first;
  return first;
}

} // namespace

std::vector<Index> colour_last_levels(const BlockPattern &tiles, const LevelSets &levels, Index few_blocks)
{
  const Index blocks = tiles.upper.rows, first = first_late_level(levels, few_blocks);
  std::vector<Index> order, late;
  for (Index b = 0; b < blocks; ++b)
    (levels.level[b] < first ? order : late).push_back(b);
  std::vector<Index> colour(blocks, -1), used_by;
  for (const Index b : late) {
    for (const Pattern *half : {&tiles.upper, &tiles.columns})
      for (Offset p = half->start[b]; p < half->start[b + 1]; ++p)
        if (const Index c = colour[half->column[p]]; c >= 0)
          used_by[c] = b;
    const auto free = std::find_if(used_by.begin(), used_by.end(), [b](Index user) { return user != b; });
    colour[b] = static_cast<Index>(free - used_by.begin());
    if (free == used_by.end())
      used_by.push_back(-1);
  }
  if (static_cast<Index>(used_by.size()) >= levels.levels() - first)
    return {};
  std::stable_sort(late.begin(), late.end(), [&](Index a, Index b) { return colour[a] < colour[b]; });
  order.insert(order.end(), late.begin(), late.end());
  return order;
}

} // namespace tessera
