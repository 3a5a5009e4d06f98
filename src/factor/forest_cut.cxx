#include "factor/forest_cut.hpp"

#include "analysis/permute.hpp"
#include "analysis/symbolic.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

/// Work of the subtree below each block, itself included.
std::vector<double> subtree_work(const std::vector<Index> &parent, std::vector<double> work)
{
  for (std::size_t b = 0; b < parent.size(); ++b)
    if (parent[b] >= 0)
      work[parent[b]] += work[b];
  return work;
}

/// Lists the rows of all subtrees of at most limit work, in postorder, cut into tasks, the largest first.
void list_tasks(const std::vector<double> &subtree, double limit, ForestCut &cut)
{
  std::vector<Index> rows, start = {0};
  std::vector<double> work;
  double sum = 0;
  for (Index b : postorder(cut.parent)) {
    if (subtree[b] > limit)
      continue;
    rows.push_back(b);
    const bool root = cut.parent[b] < 0 || subtree[cut.parent[b]] > limit;
    if (root)
      sum += subtree[b];
    if (root && sum >= limit) {
      start.push_back(static_cast<Index>(rows.size()));
      work.push_back(sum);
      sum = 0;
    }
  }
  if (start.back() < static_cast<Index>(rows.size())) {
    start.push_back(static_cast<Index>(rows.size()));
    work.push_back(sum);
  }

  std::vector<Index> by_work(work.size());
  std::iota(by_work.begin(), by_work.end(), 0);
  std::stable_sort(by_work.begin(), by_work.end(), [&](Index a, Index b) { return work[a] > work[b]; });
  cut.order.reserve(cut.parent.size());
  cut.task_start = {0};
  for (Index task : by_work) {
    cut.order.insert(cut.order.end(), rows.begin() + start[task], rows.begin() + start[task + 1]);
    cut.task_start.push_back(static_cast<Index>(cut.order.size()));
  }
}

/// Paths of rows above the subtrees, in ascending order of their first rows; `level` of each.
std::vector<std::vector<Index>> find_segments(const std::vector<double> &subtree, double limit,
                                              const std::vector<bool> &alone, ForestCut &cut, std::vector<Index> &level)
{
  const Index n = static_cast<Index>(cut.parent.size());
  std::vector<Index> children(n, 0), child(n, -1), first_level(n, 0);
  std::vector<std::vector<Index>> segments;
  cut.segment.assign(n, -1);
  for (Index b = 0; b < n; ++b) {
    if (subtree[b] <= limit)
      continue;
    if (children[b] == 1 && !alone[b] && !alone[child[b]]) {
      cut.segment[b] = cut.segment[child[b]];
      segments[cut.segment[b]].push_back(b);
    } else {
      cut.segment[b] = static_cast<Index>(segments.size());
      segments.push_back({b});
      level.push_back(first_level[b]);
    }
    const Index above = cut.parent[b];
    if (above >= 0) {
      ++children[above];
      child[above] = b;
      first_level[above] = std::max(first_level[above], level[cut.segment[b]] + 1);
    }
  }
  return segments;
}

} // namespace

ForestCut cut_forest(const BlockStructure &structure, const std::vector<double> &work, double limit,
                     const std::vector<bool> &alone)
{
  ForestCut cut;
  cut.parent = elimination_tree(structure.tiles.columns);
  const std::vector<double> subtree = subtree_work(cut.parent, work);
  list_tasks(subtree, limit, cut);

  std::vector<Index> level;
  const std::vector<std::vector<Index>> segments = find_segments(subtree, limit, alone, cut, level);
  std::vector<Index> by_level(segments.size());
  std::iota(by_level.begin(), by_level.end(), 0);
  std::stable_sort(by_level.begin(), by_level.end(), [&](Index a, Index b) {
    return level[a] != level[b] ? level[a] < level[b] : alone[segments[a][0]] > alone[segments[b][0]];
  });
  cut.segment_start = {cut.task_start.back()};
  for (Index k : by_level) {
    cut.order.insert(cut.order.end(), segments[k].begin(), segments[k].end());
    cut.segment_start.push_back(static_cast<Index>(cut.order.size()));
    cut.segment_level.push_back(level[k]);
  }
  const std::vector<Index> place = inverse_permutation(by_level);
  for (Index &segment : cut.segment)
    if (segment >= 0)
      segment = place[segment];
  cut.below.assign(segments.size(), 0);
  for (Index b = 0; b < structure.blocks(); ++b)
    if (cut.waiting(b) >= 0)
      ++cut.below[cut.waiting(b)];
  return cut;
}

} // namespace tessera
