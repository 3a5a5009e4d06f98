#include "analysis/symbolic/forest_cut.hpp"

#include "analysis/symbolic/elimination_tree.hpp"
#include "base/permute.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

/// Lists the vertices of all subtrees of at most limit work, in postorder, cut into tasks, the largest first.
void list_tasks(const std::vector<double> &subtree, double limit, ForestCut &cut)
{
  std::vector<Index> listed, start = {0};
  std::vector<double> work;
  double sum = 0;
  for (Index v : postorder(cut.parent)) {
    if (subtree[v] > limit)
      continue;
    listed.push_back(v);
    const bool root = cut.parent[v] < 0 || subtree[cut.parent[v]] > limit;
    if (root)
      sum += subtree[v];
    if (root && sum >= limit) {
      start.push_back(static_cast<Index>(listed.size()));
      work.push_back(sum);
      sum = 0;
    }
  }
  if (start.back() < static_cast<Index>(listed.size())) {
    start.push_back(static_cast<Index>(listed.size()));
    work.push_back(sum);
  }

  std::vector<Index> by_work(work.size());
  std::iota(by_work.begin(), by_work.end(), 0);
  std::stable_sort(by_work.begin(), by_work.end(), [&](Index a, Index b) { return work[a] > work[b]; });
  cut.order.reserve(cut.parent.size());
  cut.task_start = {0};
  for (Index task : by_work) {
    cut.order.insert(cut.order.end(), listed.begin() + start[task], listed.begin() + start[task + 1]);
    cut.task_start.push_back(static_cast<Index>(cut.order.size()));
  }
}

/// Paths of vertices above the subtrees, in ascending order of their first vertices; `level` of each.
std::vector<std::vector<Index>> find_segments(const std::vector<double> &subtree, double limit,
                                              const std::vector<bool> &alone, ForestCut &cut, std::vector<Index> &level)
{
  const Index n = static_cast<Index>(cut.parent.size());
  std::vector<Index> children(n, 0), child(n, -1), first_level(n, 0);
  std::vector<std::vector<Index>> segments;
  cut.segment.assign(n, -1);
  for (Index v = 0; v < n; ++v) {
    if (subtree[v] <= limit)
      continue;
    if (children[v] == 1 && !alone[v] && !alone[child[v]]) {
      cut.segment[v] = cut.segment[child[v]];
      segments[cut.segment[v]].push_back(v);
    } else {
      cut.segment[v] = static_cast<Index>(segments.size());
      segments.push_back({v});
      level.push_back(first_level[v]);
    }
    const Index above = cut.parent[v];
    if (above >= 0) {
      ++children[above];
      child[above] = v;
      first_level[above] = std::max(first_level[above], level[cut.segment[v]] + 1);
    }
  }
  return segments;
}

} // namespace

ForestCut cut_forest(std::vector<Index> parent, const std::vector<double> &work, double limit,
                     const std::vector<bool> &alone)
{
  ForestCut cut;
  cut.parent = std::move(parent);
  const std::vector<double> subtree = subtree_sums(cut.parent, work);
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
  for (Index v = 0; v < static_cast<Index>(cut.parent.size()); ++v)
    if (cut.waiting(v) >= 0)
      ++cut.below[cut.waiting(v)];
  return cut;
}

} // namespace tessera
