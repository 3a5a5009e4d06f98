#include "factor/front/order_fronts.hpp"

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

/// A factor by minimum degree with fewer operations for each entry of the graph takes less time than nested dissection.
constexpr double dissection_operations = 500;

} // namespace

Relaxation relaxation_of(const Symbolic &symbolic, const PlanOptions &options)
{
  const bool small = symbolic.size.flops < options.small_flops;
  return {small ? options.small_nemin : options.relaxation.nemin, options.relaxation.zeros};
}

namespace {

/// What the operations and the levels of a factor take.
double cost_of(const Symbolic &symbolic, const CompressedGraph &graph, const PlanOptions &options)
{
  const Index nemin = relaxation_of(symbolic, options).nemin;
  return symbolic.size.flops +
         (options.level_flops > 0 ? options.level_flops * tree_depth(symbolic, graph.weight, nemin, nemin) : 0);
}

/// The symbolic factorization of the compressed graph in the order of the options. Automatic is nested dissection, or
/// minimum degree where that costs less: a factor pays for each operation, where an incomplete one does not. Where
/// levels cost nothing and the factor by minimum degree next to nothing, there is no look at nested dissection.
Symbolic order_and_analyze(const CompressedGraph &graph, const PlanOptions &options)
{
  const auto with = [&](Ordering o) { return order_and_count(graph.pattern, graph.weight, o, LevelCost()); };
  if (options.ordering != Ordering::Automatic)
    return with(options.ordering);
  if (graph.pattern.rows > compared_vertices)
    return with(Ordering::ND);
  Symbolic by_degree = with(Ordering::AMD);
  const double cheap = dissection_operations * static_cast<double>(graph.pattern.entries());
  if (!by_degree.empty() && options.level_flops == 0 && by_degree.size.flops <= cheap)
    return by_degree;
  Symbolic dissected = with(Ordering::ND);
  const bool degree = !by_degree.empty() && !dissected.empty() &&
                      cost_of(by_degree, graph, options) < cost_of(dissected, graph, options);
  return degree ? by_degree : dissected;
}

} // namespace

Symbolic order_fronts(const CompressedGraph &graph, const PlanOptions &options, const std::vector<Index> &given_order)
{
  return given_order.empty() ? order_and_analyze(graph, options)
                             : analyze(graph.pattern, graph.weight, order_of_vertices(graph, given_order));
}

} // namespace tessera
