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

namespace {

/// Appends a front with these pivots, whose places in the sequence are given, to the tree; no parent is set.
void append_front(const std::vector<Index> &order, const AssemblyTree &old, const PivotSequence &pivots,
                  AssemblyTree &tree)
{
  for (Index k : order) {
    tree.perm.push_back(old.perm[pivots.row[k]]);
    tree.pair.push_back(pivots.pair[k]);
  }
  tree.first.push_back(tree.rows());
  tree.parent.push_back(-1);
}

/// Appends a chain of fronts with the pivots of front s in their order, each of which ends before a pair that would
/// begin at an odd place.
void append_chain(Index s, const AssemblyTree &old, const PivotSequence &pivots, AssemblyTree &tree)
{
  std::vector<Index> order;
  for (Index k = pivots.start[s]; k < pivots.start[s + 1]; ++k) {
    if (pivots.pair[k] && order.size() % 2 == 1) {
      append_front(order, old, pivots, tree);
      tree.parent.back() = tree.fronts();
      order.clear();
    }
    order.push_back(k);
    if (pivots.pair[k])
      order.push_back(++k);
  }
  append_front(order, old, pivots, tree);
}

} // namespace

AssemblyTree tree_of_pivots(const AssemblyTree &old, const PivotSequence &pivots, OddPairs odd)
{
  AssemblyTree tree;
  std::vector<Index> first(old.fronts()), last(old.fronts(), -1); // of the new tree; -1: it has no pivot
  tree.first.assign(1, 0);
  for (Index s = 0; s < old.fronts(); ++s) {
    first[s] = tree.fronts();
    if (pivots.start[s] == pivots.start[s + 1])
      continue;
    if (odd == OddPairs::Split)
      append_chain(s, old, pivots, tree);
    else
      append_front(EvenPairs(pivots, s).order(), old, pivots, tree);
    last[s] = tree.fronts() - 1;
  }
  for (Index s = old.fronts() - 1; s >= 0; --s) {
    const Index up = old.parent[s] < 0 ? -1 : first[old.parent[s]]; // or the closest ancestor there is
    if (last[s] < 0)
      first[s] = up;
    else
      tree.parent[last[s]] = up;
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

FrontPlan replan(const FrontPlan &plan, const PivotSequence &pivots, OddPairs odd)
{
  FrontPlan result;
  result.tree = tree_of_pivots(plan.tree, pivots, odd);
  complete_tree(result.tree, plan.matrix);
  result.matrix = plan.matrix;
  result.source = plan.source;
  result.mirror = plan.mirror;
  result.entries = front_entries(result.tree, plan.matrix, plan.source);
  result.preprocessing = plan.preprocessing;
  set_scale(result, unpermuted_scale(plan));
  complete_plan(result);
  return result;
}

} // namespace tessera
