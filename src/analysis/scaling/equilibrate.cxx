#include "analysis/scaling/equilibrate.hpp"

#include "analysis/matching/costs.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// The cost of the largest scaled entry of each row: minus the logarithm of its norm. 0 for an empty row.
void row_norms(const CostGraph &graph, const std::vector<Cost> &dual, std::vector<Cost> &norm)
{
#pragma omp parallel for schedule(static) if (graph.start[graph.n] > parallel_entries)
  for (Index i = 0; i < graph.n; ++i) {
    Cost least = no_cost;
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      least = std::min(least, graph.edge[p].cost - dual[graph.edge[p].col]);
    norm[i] = least == no_cost ? 0 : least - dual[i];
  }
}

} // namespace

Equilibration equilibrate(const Matrix &symmetric, const EquilibrationOptions &options,
                          const std::vector<double> &log2_start)
{
  const MatrixCheck check = check_matrix(symmetric);
  Equilibration result;
  result.status = check.status;
  result.faulty_row = check.faulty_row;
  if (check.status != MatrixStatus::usable)
    return result;
  const CostGraph graph = cost_graph(symmetric, check.largest);
  const Cost tolerance = static_cast<Cost>(options.tolerance * cost_unit);
  std::vector<Cost> dual(graph.n, 0), norm(graph.n, 0);
  for (std::size_t i = 0; i < log2_start.size(); ++i)
    dual[i] = std::llround((log2_start[i] + graph.log2_max / 2) * double(cost_unit));
  Cost deviation = 0;
  for (;;) {
    row_norms(graph, dual, norm);
    deviation = 0;
    for (Cost x : norm)
      deviation = std::max(deviation, std::abs(x));
    if (deviation <= tolerance || result.iterations == options.max_iterations)
      break;
    for (Index i = 0; i < graph.n; ++i)
      dual[i] += norm[i] / 2;
    ++result.iterations;
  }
  result.converged = deviation <= tolerance;
  result.deviation = static_cast<double>(deviation) / cost_unit;
  result.log2_scale.resize(graph.n);
  for (Index i = 0; i < graph.n; ++i)
    if (graph.start[i] < graph.start[i + 1])
      result.log2_scale[i] = static_cast<double>(dual[i]) / cost_unit - graph.log2_max / 2;
  return result;
}

} // namespace tessera
