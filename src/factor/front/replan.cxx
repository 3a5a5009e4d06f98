#include "factor/front/replan.hpp"

#include <algorithm>

namespace tessera {
namespace {

/// The order of a front's pivots in which the first of each pair is at an even place.
class EvenPairs {
public:
  EvenPairs(const PivotSequence &pivots, Index s) : pivots_(pivots), end_(pivots.start[s + 1]), early_(pivots.start[s])
  {
    for (Index k = pivots.start[s]; k < end_; k += size(k))
      if (pivots.pair[k])
        take_pair(k);
      else if (k >= early_)
        order_.push_back(k);
  }

  /// Places in the sequence.
  const std::vector<Index> &order() const { return order_; }

private:
  Index size(Index k) const { return pivots_.pair[k] ? 2 : 1; }

  void take_pair(Index k)
  {
    if (order_.size() % 2 == 1) {
      for (early_ = std::max(early_, k); early_ < end_ && pivots_.pair[early_];)
        early_ += 2;
      if (early_ < end_)
        order_.push_back(early_++);
    }
    order_.insert(order_.end() - Index(order_.size() % 2), {k, k + 1}); // the last 1x1 pivot may have to stay behind
  }

  const PivotSequence &pivots_;
  const Index end_;
  Index early_; ///< 1x1 pivots before this one are taken
  std::vector<Index> order_;
};

} // namespace

AssemblyTree tree_of_pivots(const AssemblyTree &old, const PivotSequence &pivots)
{
  AssemblyTree tree;
  std::vector<Index> front(old.fronts()); // of the new tree, or the closest ancestor there
  tree.first.assign(1, 0);
  for (Index s = 0; s < old.fronts(); ++s) {
    front[s] = tree.fronts();
    if (pivots.start[s] == pivots.start[s + 1])
      continue;
    const EvenPairs even(pivots, s);
    for (Index k : even.order()) {
      tree.perm.push_back(old.perm[pivots.row[k]]);
      tree.pair.push_back(pivots.pair[k]);
    }
    tree.first.push_back(tree.rows());
  }
  tree.parent.assign(tree.fronts(), -1);
  for (Index s = old.fronts() - 1; s >= 0; --s) {
    const Index up = old.parent[s] < 0 ? -1 : front[old.parent[s]];
    if (pivots.start[s] == pivots.start[s + 1])
      front[s] = up;
    else
      tree.parent[front[s]] = up;
  }
  return tree;
}

bool are_proposed(const FrontPlan &plan, const PivotSequence &pivots)
{
  for (Index k = 0; k < plan.tree.rows(); ++k)
    if (pivots.row[k] != k || pivots.pair[k] != plan.tree.pair[k])
      return false;
  return pivots.start == plan.tree.first;
}

FrontPlan replan(const FrontPlan &plan, const PivotSequence &pivots)
{
  FrontPlan result;
  result.tree = tree_of_pivots(plan.tree, pivots);
  complete_tree(result.tree, plan.matrix);
  result.matrix = plan.matrix;
  result.source = plan.source;
  result.entries = front_entries(result.tree, plan.matrix, plan.source);
  result.preprocessing = plan.preprocessing;
  set_scale(result, unpermuted_scale(plan));
  complete_plan(result);
  return result;
}

} // namespace tessera
