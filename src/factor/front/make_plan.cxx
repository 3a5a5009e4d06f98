#include "factor/front/make_plan.hpp"

namespace tessera {
namespace {

/// The order of the vertices in which their first rows come in an order of the rows.
std::vector<Index> order_of_vertices(const CompressedGraph &graph, const std::vector<Index> &rows)
{
  const Index vertices = static_cast<Index>(graph.weight.size());
  std::vector<Index> vertex_of(graph.row.size()), perm;
  for (Index v = 0; v < vertices; ++v)
    for (Index r = graph.row_start[v]; r < graph.row_start[v + 1]; ++r)
      vertex_of[graph.row[r]] = v;
  std::vector<bool> taken(vertices, false);
  for (Index row : rows)
    if (!taken[vertex_of[row]]) {
      taken[vertex_of[row]] = true;
      perm.push_back(vertex_of[row]);
    }
  return perm;
}

} // namespace

PlanResult make_plan(const Matrix &matrix, const std::vector<Offset> &source, const PlanOptions &options,
                     const std::vector<Index> &given_order, StepObserver *observer)
{
  PlanResult result;
  StepClock clock(result.steps, observer);
  const SymmetricPreprocessing ready = preprocess_symmetric(matrix, options.preprocessing, true, clock);
  if (ready.status != MatrixStatus::usable) {
    result.status = AnalysisStatus::NonFinite;
    result.faulty_row = ready.faulty_row;
    return result;
  }
  result.structural_rank = ready.structural_rank;
  result.pairs = ready.pairs;
  const CompressedGraph graph =
      clock.run(AnalysisStep::Compression, [&] { return compress(matrix.pattern, ready.partner); });
  const std::vector<Index> perm = clock.run(AnalysisStep::Ordering, [&] {
    return given_order.empty() ? order(graph.pattern, graph.weight, options.ordering)
                               : order_of_vertices(graph, given_order);
  });
  if (perm.size() != graph.weight.size()) {
    result.status = AnalysisStatus::OrderingFailed;
    return result;
  }
  clock.run(AnalysisStep::Fronts, [&] {
    FrontPlan &plan = result.plan;
    plan.tree =
        assembly_tree(graph, supernodes(analyze(graph.pattern, graph.weight, perm), graph.weight, options.relaxation));
    plan.matrix = matrix.pattern;
    plan.source = source;
    plan.entries = front_entries(plan.tree, matrix.pattern, source);
    for (Index row : plan.tree.perm)
      plan.scale.push_back(ready.scale[row]);
    complete_plan(plan);
  });
  return result;
}

} // namespace tessera
