#include "factor/lu/make_lu_plan.hpp"

#include "analysis/pairs/compress_and_order.hpp"
#include "analysis/symbolic/block_triangular.hpp"
#include "base/allocate.hpp"
#include "base/permute.hpp"
#include "factor/front/order_fronts.hpp"
#include "factor/lu/lu_pairs.hpp"

#include <functional>
#include <numeric>
#include <optional>
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
  Pattern renamed{matrix.rows, matrix.cols, matrix.start, {}};
  const Offset entries = matrix.entries();
  allocate_in_parallel(renamed.column, entries);
#pragma omp parallel for schedule(static) if (matrix.rows > parallel_rows)
  for (Offset p = 0; p < entries; ++p)
    renamed.column[p] = row_of[matrix.column[p]];
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

/// Whether LDLᵀ of a symmetric matrix takes about half of the work of LU, with the symmetrized diagonal blocks of this
/// pattern. These have fewer entries than the matrix where a matching shows blocks that LDLᵀ has no use for, as of
/// [A B; Bᵀ 0] with a square B. Then LU may well take less.
bool suits_symmetric(const Pattern &matrix, const Pattern &symmetrized)
{
  constexpr Offset least_missing = 32; // one of so many
  return least_missing * (matrix.entries() - symmetrized.entries()) < matrix.entries();
}

/// What a factorization is of, in an order.
struct OrderedBlocks {
  RowColumnPairs pairs;
  Pattern symmetrized; ///< see symmetrized_blocks()
  OrderedGraph ordered;
};

/// Orders the rows, each with the column that it has.
void order_alone(StepClock &clock, const std::function<Symbolic(const CompressedGraph &)> &order, OrderedBlocks &result)
{
  result.ordered.graph = clock.run(AnalysisStep::Compression, [&] {
    std::vector<Index> alone(result.symmetrized.rows);
    std::iota(alone.begin(), alone.end(), 0);
    return compress(result.symmetrized, alone);
  });
  result.ordered.symbolic = clock.run(AnalysisStep::Ordering, [&] { return order(result.ordered.graph); });
}

/// Orders rows and columns as LDLᵀ would, see LuPairs. Returns whether there are such pairs.
bool keep_pairs(const Matrix &matrix, PairsApart apart, StepClock &clock,
                const std::function<Symbolic(const CompressedGraph &)> &order, OrderedBlocks &result)
{
  std::optional<LuPairs> found =
      clock.run(AnalysisStep::Pairs, [&] { return find_lu_pairs(matrix, result.pairs, result.symmetrized); });
  if (!found || (apart == PairsApart::QuasiDefinite && !leaves_pairs_apart(found->means, found->ready, apart)))
    return false;
  result.ordered = compress_and_order(found->means, found->ready, apart, clock, order);
  result.pairs = std::move(found->columns);
  result.symmetrized = std::move(found->means.pattern);
  return true;
}

} // namespace

LuPlanResult make_lu_plan(const Matrix &matrix, const std::vector<Offset> &source, const PlanOptions &options,
                          bool block_triangular, const std::vector<Index> &given_order, StepObserver *observer)
{
  LuPlanResult result;
  StepClock clock(result.steps, observer);
  const Index n = matrix.pattern.rows;
  const bool is_matched = options.preprocessing == Preprocessing::Matching;
  UnsymmetricPreprocessing ready = is_matched ? preprocess_unsymmetric(matrix, clock) : as_given(n);
  if (ready.status != MatrixStatus::usable) {
    result.status = AnalysisStatus::NonFinite;
    result.faulty_row = ready.faulty_row;
    return result;
  }
  result.structural_rank = ready.structural_rank;
  OrderedBlocks blocks;
  clock.run(AnalysisStep::Compression, [&] {
    blocks.pairs = block_triangular ? find_blocks(matrix.pattern, std::move(ready.column), options, result.left_levels)
                                    : as_a_whole(std::move(ready.column));
    blocks.symmetrized = symmetrized_blocks(matrix.pattern, blocks.pairs);
  });
  result.suits_symmetric = options.symmetric_values && suits_symmetric(matrix.pattern, blocks.symmetrized);
  if (result.suits_symmetric)
    return result;
  const auto order = [&](const CompressedGraph &graph) { return order_fronts(graph, options, given_order); };
  const PairsApart apart = options.only_quasi_definite ? PairsApart::QuasiDefinite : PairsApart::Loose;
  const bool may_pair =
      is_matched && ready.structural_rank == n && given_order.empty() && reduces_fill(options.ordering);
  result.keeps_columns = may_pair && keep_pairs(matrix, apart, clock, order, blocks);
  if (!result.keeps_columns)
    order_alone(clock, order, blocks);
  const CompressedGraph &graph = blocks.ordered.graph;
  const Symbolic &symbolic = blocks.ordered.symbolic;
  if (symbolic.perm.size() != graph.weight.size()) {
    result.status = AnalysisStatus::OrderingFailed;
    return result;
  }
  clock.run(AnalysisStep::Fronts, [&] {
    LuPlan &plan = result.plan;
    plan.fronts.tree = assembly_tree(graph, fronts_of(symbolic, graph, options, false), blocks.symmetrized);
    plan.fronts.matrix = copy_in_parallel(matrix.pattern);
    plan.fronts.source = copy_in_parallel(source);
    plan.fronts.preprocessing = options.preprocessing;
    complete_lu_plan(blocks.pairs, plan);
    set_scale(plan, ready.row_scale, ready.col_scale);
  });
  return result;
}

} // namespace tessera
