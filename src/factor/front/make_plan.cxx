#include "factor/front/make_plan.hpp"

#include "analysis/matching/balance_pairs.hpp"
#include "analysis/pairs/compress_and_order.hpp"
#include "base/allocate.hpp"
#include "factor/front/order_fronts.hpp"

namespace tessera {

PlanResult make_plan(const Matrix &matrix, const std::vector<Offset> &source, const PlanOptions &options,
                     const std::vector<Index> &given_order, StepObserver *observer)
{
  PlanResult result;
  StepClock clock(result.steps, observer);
  SymmetricPreprocessing ready = preprocess_symmetric(matrix, options.preprocessing, true, clock);
  if (ready.status != MatrixStatus::usable) {
    result.status = AnalysisStatus::NonFinite;
    result.faulty_row = ready.faulty_row;
    return result;
  }
  result.structural_rank = ready.structural_rank;
  const auto order = [&](const CompressedGraph &graph) { return order_fronts(graph, options, given_order); };
  const std::vector<Index> all_pairs = ready.partner; // loose ones, too, have factors that the scaling leaves open
  const bool chosen = given_order.empty() && reduces_fill(options.ordering);
  const PairsApart apart = chosen ? PairsApart::Loose : PairsApart::None;
  const OrderedGraph ordered = compress_and_order(matrix, ready, apart, clock, order);
  const CompressedGraph &graph = ordered.graph;
  const Symbolic &symbolic = ordered.symbolic;
  result.pairs = ready.pairs;
  if (symbolic.perm.size() != graph.weight.size()) {
    result.status = AnalysisStatus::OrderingFailed;
    return result;
  }
  clock.run(AnalysisStep::Fronts, [&] {
    balance_pairs(matrix, all_pairs, ready.scale);
    FrontPlan &plan = result.plan;
    plan.tree = assembly_tree(graph, fronts_of(symbolic, graph, options, true), matrix.pattern);
    plan.matrix = copy_in_parallel(matrix.pattern);
    plan.source = copy_in_parallel(source);
    plan.entries = front_entries(plan.tree, matrix.pattern, source);
    plan.preprocessing = options.preprocessing;
    set_scale(plan, ready.scale);
    complete_plan(plan);
  });
  return result;
}

} // namespace tessera
