#include "factor/front/make_plan.hpp"

#include "analysis/matching/balance_pairs.hpp"

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

/// Graphs with more vertices are cut by nested dissection without a look at minimum degree, which is one thread's.
constexpr Index compared_vertices = 100000;

Relaxation relaxation_of(const Symbolic &symbolic, const PlanOptions &options)
{
  const bool small = symbolic.size.flops < options.small_flops;
  return {small ? options.small_nemin : options.relaxation.nemin, options.relaxation.zeros};
}

/// What the operations and the levels of a factor take.
double cost_of(const Symbolic &symbolic, const CompressedGraph &graph, const PlanOptions &options)
{
  const Index nemin = relaxation_of(symbolic, options).nemin;
  return symbolic.size.flops +
         (options.level_flops > 0 ? options.level_flops * tree_depth(symbolic, graph.weight, nemin, nemin) : 0);
}

/// The symbolic factorization of the compressed graph in the order of the options. Automatic is nested dissection, or
/// minimum degree where that costs less: a factor pays for each operation, where an incomplete one does not.
Symbolic order_and_analyze(const CompressedGraph &graph, const PlanOptions &options)
{
  const auto with = [&](Ordering o) { return order_and_count(graph.pattern, graph.weight, o, LevelCost()); };
  if (options.ordering != Ordering::Automatic)
    return with(options.ordering);
  Symbolic dissected = with(Ordering::ND);
  if (graph.pattern.rows > compared_vertices || dissected.empty())
    return dissected;
  Symbolic by_degree = with(Ordering::AMD);
  return !by_degree.empty() && cost_of(by_degree, graph, options) < cost_of(dissected, graph, options) ? by_degree
                                                                                                       : dissected;
}

} // namespace

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
  const Symbolic symbolic = clock.run(AnalysisStep::Ordering, [&] {
    return given_order.empty() ? order_and_analyze(graph, options)
                               : analyze(graph.pattern, graph.weight, order_of_vertices(graph, given_order));
  });
  if (symbolic.perm.size() != graph.weight.size()) {
    result.status = AnalysisStatus::OrderingFailed;
    return result;
  }
  clock.run(AnalysisStep::Fronts, [&] {
    balance_pairs(matrix, ready.partner, ready.scale);
    FrontPlan &plan = result.plan;
    plan.tree =
        assembly_tree(graph, supernodes(symbolic, graph.weight, relaxation_of(symbolic, options)), matrix.pattern);
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
