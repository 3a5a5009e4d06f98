#include "analysis/tiles/block_pattern.hpp"

#include "analysis/symbolic/elimination_tree.hpp"
#include "base/collect_rows.hpp"
#include "base/permute.hpp"

#include <algorithm>

namespace tessera {
namespace {

/// Breadth-first search from block i through blocks before i, one thread's working space (Hysom & Pothen 2002).
struct FillSearch {
  const Pattern &graph;
  Index fill_level;
  std::vector<Index> seen_by;      ///< [n] the last search that reached a block
  std::vector<std::uint8_t> depth; ///< [n] its level of fill in that search
  std::vector<Index> front, next;

  FillSearch(const Pattern &graph, Index fill_level)
      : graph(graph), fill_level(fill_level), seen_by(graph.rows, -1), depth(graph.rows)
  {
  }

  void operator()(Index i, FoundRows &found)
  {
    const std::size_t begin = found.column.size();
    seen_by[i] = i;
    front.assign(1, i);
    for (Index level = 0; level <= fill_level && !front.empty(); ++level) {
      next.clear();
      for (Index v : front) {
        for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
          const Index j = graph.column[p];
          if (seen_by[j] == i)
            continue;
          seen_by[j] = i;
          depth[j] = static_cast<std::uint8_t>(level);
          (j < i ? next : found.column).push_back(j);
        }
      }
      front.swap(next);
    }
    std::sort(found.column.begin() + begin, found.column.end());
    for (std::size_t p = begin; p < found.column.size(); ++p)
      found.label.push_back(depth[found.column[p]]);
  }
};

/// Paths in the elimination tree from the neighbours before j up to j: column j of U, in no particular order.
struct TreePaths {
  const Pattern &graph;
  const std::vector<Index> &parent;
  std::vector<Index> seen_by; ///< [n] the last column that reached a block

  TreePaths(const Pattern &graph, const std::vector<Index> &parent)
      : graph(graph), parent(parent), seen_by(graph.rows, -1)
  {
  }

  void operator()(Index j, FoundRows &found)
  {
    seen_by[j] = j;
    for (Offset p = graph.start[j]; p < graph.start[j + 1] && graph.column[p] < j; ++p) {
      for (Index i = graph.column[p]; seen_by[i] != j; i = parent[i]) {
        seen_by[i] = j;
        found.column.push_back(i);
      }
    }
  }
};

/// Level 0 for tiles of the matrix itself, 1 for the others.
std::vector<std::uint8_t> mark_fill(const Pattern &graph, const Pattern &upper)
{
  std::vector<std::uint8_t> level(upper.column.size(), 1);
#pragma omp parallel for schedule(dynamic, 256) if (upper.rows > parallel_rows)
  for (Index i = 0; i < upper.rows; ++i) {
    Offset p = graph.start[i];
    for (Offset q = upper.start[i]; q < upper.start[i + 1]; ++q) {
      while (p < graph.start[i + 1] && graph.column[p] < upper.column[q])
        ++p;
      if (p < graph.start[i + 1] && graph.column[p] == upper.column[q])
        level[q] = 0;
    }
  }
  return level;
}

} // namespace

FillStatus level_fill(const Pattern &graph, Index fill_level, Offset max_tiles, BlockPattern &result)
{
  result = BlockPattern();
  const auto make_search = [&] { return FillSearch(graph, fill_level); };
  if (!collect_rows(graph.rows, max_tiles, make_search, result.upper, &result.fill_level)) {
    result = BlockPattern();
    return FillStatus::OverBudget;
  }
  result.columns = transpose(result.upper, &result.position);
  return FillStatus::Ok;
}

FillStatus complete_fill(const Pattern &graph, Offset max_tiles, BlockPattern &result)
{
  result = BlockPattern();
  const std::vector<Index> parent = elimination_tree(graph);
  Pattern unsorted;
  const auto make_search = [&] { return TreePaths(graph, parent); };
  if (!collect_rows(graph.rows, max_tiles, make_search, unsorted))
    return FillStatus::OverBudget;
  result.upper = transpose(unsorted);
  unsorted = Pattern();
  result.fill_level = mark_fill(graph, result.upper);
  result.columns = transpose(result.upper, &result.position);
  return FillStatus::Ok;
}

} // namespace tessera
