#include "factor/lu/replan_lu.hpp"

namespace tessera {
namespace {

/// The columns of the pivots, in the diagonal blocks of the plan.
RowColumnPairs pairs_of(const LuPlan &plan, const PivotSequence &pivots)
{
  const AssemblyTree &tree = plan.fronts.tree;
  RowColumnPairs pairs;
  pairs.column.resize(tree.rows());
  pairs.block.resize(tree.rows());
  pairs.blocks = static_cast<Index>(plan.block.size());
  for (Index k = 0; k < tree.rows(); ++k)
    pairs.column[tree.perm[pivots.row[k]]] = plan.column[pivots.column[k]];
  for (Index b = 0; b < pairs.blocks; ++b)
    for (Index i = tree.first[plan.block[b].begin]; i < tree.first[plan.block[b].end]; ++i)
      pairs.block[tree.perm[i]] = b;
  return pairs;
}

} // namespace

bool are_proposed(const LuPlan &plan, const PivotSequence &pivots)
{
  return pivots.start == plan.fronts.tree.first;
}

LuPlan replan(const LuPlan &plan, const PivotSequence &pivots)
{
  LuPlan result;
  const RowColumnPairs pairs = pairs_of(plan, pivots);
  FrontPlan &fronts = result.fronts;
  fronts.tree = tree_of_pivots(plan.fronts.tree, pivots);
  fronts.matrix = plan.fronts.matrix;
  fronts.source = plan.fronts.source;
  complete_tree(fronts.tree, symmetrized_blocks(fronts.matrix, pairs));
  fronts.preprocessing = plan.fronts.preprocessing;
  complete_lu_plan(pairs, result);
  set_scale(result, unpermuted_scale(plan.fronts), unpermuted_column_scale(plan));
  return result;
}

} // namespace tessera
