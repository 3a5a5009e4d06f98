#include "factor/front/front_plan.hpp"

#include "factor/front/best_fit.hpp"

#include <algorithm>

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

/// Places of contributions: that of a front lives from its factorization to that of its parent. Those of the roots of
/// subtrees are in the memory of the top, as long as it takes.
void place_contributions(FrontPlan &plan)
{
  const AssemblyTree &tree = plan.tree;
  plan.contribution_at.assign(tree.fronts(), 0);
  BestFit top;
  for (Index s = 0; s < tree.fronts(); ++s)
    if (plan.subtree[s] >= 0 && tree.parent[s] >= 0 && plan.subtree[tree.parent[s]] < 0)
      plan.contribution_at[s] = top.take(plan.contribution_size(s));
  const auto place = [&](BestFit &memory, const FrontSet &set) {
    for (Index s : set.front) {
      if (plan.subtree[s] < 0 || (tree.parent[s] >= 0 && plan.subtree[tree.parent[s]] == plan.subtree[s]))
        plan.contribution_at[s] = memory.take(plan.contribution_size(s));
      for (Index c = tree.child_start[s]; c < tree.child_start[s + 1]; ++c)
        memory.give_back(plan.contribution_at[tree.child[c]], plan.contribution_size(tree.child[c]));
    }
  };
  for (FrontSet &set : plan.subtrees) {
    BestFit memory;
    place(memory, set);
    set.memory = memory.most();
  }
  place(top, plan.top);
  plan.top.memory = top.most();
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
