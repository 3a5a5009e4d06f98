#include "factor/front/make_plan.hpp"

#include "analysis/matching/balance_pairs.hpp"
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
  result.pairs = ready.pairs;
  const CompressedGraph graph =
      clock.run(AnalysisStep::Compression, [&] { return compress(matrix.pattern, ready.partner); });
  const Symbolic symbolic =
      clock.run(AnalysisStep::Ordering, [&] { return order_fronts(graph, options, given_order); });
  if (symbolic.perm.size() != graph.weight.size()) {
    result.status = AnalysisStatus::OrderingFailed;
    return result;
  }
  clock.run(AnalysisStep::Fronts, [&] {
    balance_pairs(matrix, ready.partner, ready.scale);
    FrontPlan &plan = result.plan;
    plan.tree = assembly_tree(graph, fronts_of(symbolic, graph, options, true), matrix.pattern);
    plan.matrix = matrix.pattern;
    plan.source = source;
    plan.entries = front_entries(plan.tree, matrix.pattern, source);
    plan.preprocessing = options.preprocessing;
    set_scale(plan, ready.scale);
    complete_plan(plan);
  });
  return result;
}

} // namespace tessera
