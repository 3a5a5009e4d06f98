#include "host/front/tree_loop.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

/// Operations in whose time a front without any would be done.
constexpr double fixed_cost = 1000;
/// Tasks that small trees are put together into, at most so many for those that have the same parent.
constexpr double most_tasks = 512;

/// Items by key: start [keys + 1], and the numbers of those of each key, in order.
template <class Key>
void sort_by_key(Index items, Index keys, const Key &key, std::vector<Index> &start, std::vector<Index> &sorted)
{
  start.assign(keys + 1, 0);
  for (Index i = 0; i < items; ++i)
    ++start[key(i) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<Index> at(start.begin(), start.end() - 1);
  sorted.resize(items);
  for (Index i = 0; i < items; ++i)
    sorted[at[key(i)]++] = i;
}

} // namespace

TreeLoop::TreeLoop(const FrontPlan &plan, Index begin, Index end)
    : plan_(plan), begin_(begin), end_(end), place_of_top_(end - begin, -1), waits_(end - begin)
{
  std::vector<double> cost(end - begin);
  find_starts(cost);
  cut_into_tasks(cost);
  const AssemblyTree &tree = plan.tree;
  const Index keys = 1 + Index(top_.size());
  std::vector<Index> by_cost(top_);
  std::stable_sort(by_cost.begin(), by_cost.end(),
                   [&](Index a, Index b) { return cost[a - begin_] < cost[b - begin_]; });
  sort_by_key(
      Index(top_.size()), keys, [&](Index i) { return place_below(tree.parent[by_cost[i]]); }, branch_start_, branch_);
  for (Index &s : branch_)
    s = by_cost[s];
  sort_by_key(
      Index(tasks_.size()), keys, [&](Index i) { return place_below(tasks_[i].parent); }, tasks_start_, tasks_below_);
}

/// Finds the starts and the top. cost: [fronts] gets that of each with all that is below it.
void TreeLoop::find_starts(std::vector<double> &cost)
{
  const AssemblyTree &tree = plan_.tree;
  for (Index s = begin_; s < end_; ++s) {
    const double own = operations(plan_, s) + fixed_cost;
    const Index up = tree.parent[s];
    cost_ += own;
    cost[s - begin_] += own;
    if (up >= 0)
      cost[up - begin_] += cost[s - begin_];
    if (plan_.subtree[s] >= 0 && up >= 0 && plan_.subtree[up] >= 0)
      continue;
    if (plan_.subtree[s] < 0) {
      place_of_top_[s - begin_] = Index(top_.size());
      top_.push_back(s);
    }
    if (plan_.subtree[s] >= 0 || tree.child_start[s] == tree.child_start[s + 1])
      start_.push_back(s);
  }
}

/// Puts starts with the same parent together, the longest first, so that threads end at about the same time.
void TreeLoop::cut_into_tasks(const std::vector<double> &cost)
{
  const auto cost_of = [&](Index s) { return cost[s - begin_]; };
  const auto parent_of = [&](Index s) { return plan_.tree.parent[s]; };
  std::stable_sort(start_.begin(), start_.end(), [&](Index a, Index b) {
    return parent_of(a) != parent_of(b) ? parent_of(a) < parent_of(b) : cost_of(a) > cost_of(b);
  });
  for (Index i = 0; i < Index(start_.size()); ++i) {
    const Index s = start_[i];
    if (tasks_.empty() || tasks_.back().parent != parent_of(s) || tasks_.back().cost >= cost_ / most_tasks)
      tasks_.push_back({parent_of(s), i, i, 0});
    tasks_.back().end = i + 1;
    tasks_.back().cost += cost_of(s);
  }
  std::stable_sort(tasks_.begin(), tasks_.end(), [](const Task &a, const Task &b) { return a.cost > b.cost; });
}

} // namespace tessera
