#include "factor/lu/make_lu_plan.hpp"

#include "analysis/symbolic/block_triangular.hpp"
#include "base/permute.hpp"
#include "factor/front/order_fronts.hpp"

#include <numeric>
#include <utility>

namespace tessera {
namespace {

/// No permutation and no scaling.
UnsymmetricPreprocessing as_given(Index n)
{
  UnsymmetricPreprocessing ready;
  ready.structural_rank = -1;
  ready.row_scale.assign(n, 1.0);
  ready.col_scale.assign(n, 1.0);
  ready.column.resize(n);
  std::iota(ready.column.begin(), ready.column.end(), 0);
  return ready;
}

/// The columns of the matrix as those of the rows that they are paired with.
Pattern rename_columns(const Pattern &matrix, const std::vector<Index> &column)
{
  const std::vector<Index> row_of = inverse_permutation(column);
  Pattern renamed = matrix;
  for (Index &j : renamed.column)
    j = row_of[j];
  return renamed;
}

/// All rows in one block.
RowColumnPairs as_a_whole(std::vector<Index> column)
{
  RowColumnPairs pairs;
  pairs.block.assign(column.size(), 0);
  pairs.column = std::move(column);
  return pairs;
}

/// The diagonal blocks of the block triangular form. left_levels: see LuPlanResult.
RowColumnPairs find_blocks(const Pattern &matrix, std::vector<Index> column, const PlanOptions &options,
                           Index &left_levels)
{
  const Pattern renamed = rename_columns(matrix, column);
  BlockTriangularForm form = block_triangular_form(renamed);
  const bool may_be_coupled = matrix.rows >= options.coupled_rows;
  const Index levels = count_levels(renamed, form);
  if (levels > options.most_block_levels || (levels > 1 && !may_be_coupled)) {
    left_levels = levels;
    return as_a_whole(std::move(column));
  }
  return {std::move(column), std::move(form.block), form.blocks};
}

} // namespace

LuPlanResult make_lu_plan(const Matrix &matrix, const std::vector<Offset> &source, const PlanOptions &options,
                          bool block_triangular, const std::vector<Index> &given_order, StepObserver *observer)
{
  LuPlanResult result;
  StepClock clock(result.steps, observer);
  const Index n = matrix.pattern.rows;
  UnsymmetricPreprocessing ready =
      options.preprocessing == Preprocessing::Matching ? preprocess_unsymmetric(matrix, clock) : as_given(n);
  if (ready.status != MatrixStatus::usable) {
    result.status = AnalysisStatus::NonFinite;
    result.faulty_row = ready.faulty_row;
    return result;
  }
  result.structural_rank = ready.structural_rank;
  RowColumnPairs pairs;
  Pattern symmetrized;
  CompressedGraph graph;
  clock.run(AnalysisStep::Compression, [&] {
    pairs = block_triangular ? find_blocks(matrix.pattern, std::move(ready.column), options, result.left_levels)
                             : as_a_whole(std::move(ready.column));
    symmetrized = symmetrized_blocks(matrix.pattern, pairs);
    std::vector<Index> alone(n);
    std::iota(alone.begin(), alone.end(), 0);
    graph = compress(symmetrized, alone);
  });
  const Symbolic symbolic =
      clock.run(AnalysisStep::Ordering, [&] { return order_fronts(graph, options, given_order); });
  if (symbolic.perm.size() != graph.weight.size()) {
    result.status = AnalysisStatus::OrderingFailed;
    return result;
  }
  clock.run(AnalysisStep::Fronts, [&] {
    LuPlan &plan = result.plan;
    plan.fronts.tree = assembly_tree(graph, fronts_of(symbolic, graph, options, false), symmetrized);
    plan.fronts.matrix = matrix.pattern;
    plan.fronts.source = source;
    plan.fronts.preprocessing = options.preprocessing;
    complete_lu_plan(pairs, plan);
    set_scale(plan, ready.row_scale, ready.col_scale);
  });
  return result;
}

} // namespace tessera
