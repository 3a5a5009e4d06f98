#include "factor/front/front_plan.hpp"

#include "factor/front/best_fit.hpp"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

/// Subtrees of at most 1/32 of all operations go to one thread each: many enough for balance.
void cut(FrontPlan &plan, const std::vector<double> &flops)
{
  const Index n = plan.tree.fronts();
  std::vector<double> below(flops);
  for (Index s = 0; s < n; ++s)
    if (plan.tree.parent[s] >= 0)
      below[plan.tree.parent[s]] += below[s];
  const double most = std::max(plan.flops / 32, 1e6);
  plan.subtree.assign(n, -1);
  for (Index s = n - 1; s >= 0; --s) {
    const Index up = plan.tree.parent[s];
    if (up >= 0 && plan.subtree[up] >= 0) {
      plan.subtree[s] = plan.subtree[up];
    } else if (below[s] <= most) {
      plan.subtree[s] = static_cast<Index>(plan.subtrees.size());
      plan.subtrees.emplace_back();
    }
  }
  for (Index s = 0; s < n; ++s)
    (plan.subtree[s] < 0 ? plan.top : plan.subtrees[plan.subtree[s]]).front.push_back(s);
}

/// Places of the contributions inside a subtree, one front after the other: each lives to the factorization of the
/// parent. That of the root is handed to the top.
void place_in_subtree(FrontPlan &plan, FrontSet &set)
{
  const AssemblyTree &tree = plan.tree;
  BestFit memory;
  for (Index s : set.front) {
    if (s != set.front.back())
      plan.contribution_at[s] = memory.take(plan.contribution_size(s));
    for (Index c = tree.child_start[s]; c < tree.child_start[s + 1]; ++c)
      memory.give_back(plan.contribution_at[tree.child[c]], plan.contribution_size(tree.child[c]));
  }
  set.memory = memory.most();
}

/// Places of the contributions that fronts of the top gather. Branches of the tree go on at the same time, so that a
/// front takes what its own descendants have left, or memory that nobody has had.
void place_in_top(FrontPlan &plan)
{
  const AssemblyTree &tree = plan.tree;
  Offset &end = plan.top.memory;
  std::vector<Index> number(tree.fronts(), -1); // of a front among those of the top
  std::vector<BestFit> left(plan.top.front.size());
  for (const FrontSet &set : plan.subtrees)
    if (const Index root = set.front.back(); tree.parent[root] >= 0)
      plan.contribution_at[root] = std::exchange(end, end + plan.contribution_size(root));
  for (std::size_t t = 0; t < left.size(); ++t) {
    const Index s = plan.top.front[t];
    number[s] = Index(t);
    for (Index c = tree.child_start[s]; c < tree.child_start[s + 1]; ++c)
      if (const Index of_child = number[tree.child[c]]; of_child >= 0)
        left[t].take_gaps_of(std::exchange(left[of_child], {}));
    const Offset size = plan.contribution_size(s);
    const std::optional<Offset> gap = left[t].take_gap(size);
    plan.contribution_at[s] = gap ? *gap : std::exchange(end, end + size);
    for (Index c = tree.child_start[s]; c < tree.child_start[s + 1]; ++c)
      left[t].give_back(plan.contribution_at[tree.child[c]], plan.contribution_size(tree.child[c]));
  }
}

/// Places of contributions: that of a front lives from its factorization to that of its parent.
void place_contributions(FrontPlan &plan)
{
  plan.contribution_at.assign(plan.tree.fronts(), 0);
  for (FrontSet &set : plan.subtrees)
    place_in_subtree(plan, set);
  place_in_top(plan);
}

} // namespace

void set_scale(FrontPlan &plan, const std::vector<double> &scale)
{
  plan.scale.clear();
  plan.scale_product = {};
  for (Index row : plan.tree.perm) {
    plan.scale.push_back(scale[row]);
    plan.scale_product.times(scale[row]);
  }
}

std::vector<double> unpermuted_scale(const FrontPlan &plan)
{
  std::vector<double> scale(plan.scale.size());
  for (std::size_t k = 0; k < scale.size(); ++k)
    scale[plan.tree.perm[k]] = plan.scale[k];
  return scale;
}

void complete_plan(FrontPlan &plan)
{
  const Index n = plan.tree.fronts();
  std::vector<double> flops(n);
  plan.columns_at.assign(1, 0);
  plan.slack.resize(n);
  for (Index s = 0; s < n; ++s) {
    const Offset columns = plan.tree.columns(s), rows = plan.rows_of(s), beside = plan.symmetric ? 0 : rows - columns;
    flops[s] = plan.flops_of(double(columns), double(rows));
    plan.flops += flops[s];
    plan.factor_entries += columns * (rows + beside) - (plan.symmetric ? columns * (columns - 1) / 2 : 0);
    plan.largest_front = std::max(plan.largest_front, Index(rows));
    plan.slack[s] = plan.tree.child_start[s] == plan.tree.child_start[s + 1] ? 0 : Index(2 + columns / 32);
    const Offset room = columns + plan.slack[s];
    plan.columns_at.push_back(plan.columns_at[s] + room * (rows + plan.slack[s] + beside));
  }
  cut(plan, flops);
  place_contributions(plan);
}

} // namespace tessera
