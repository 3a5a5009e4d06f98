#include "analysis/ordering.hpp"

#include "analysis/dissection.hpp"
#include "analysis/metis_ordering.hpp"
#include "analysis/minimum_degree.hpp"
#include "analysis/ordering_kokkos.hpp"
#include "analysis/permute.hpp"
#include "analysis/symbolic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {
namespace {

std::vector<Index> natural(Index n)
{
  std::vector<Index> perm(n);
  std::iota(perm.begin(), perm.end(), 0);
  return perm;
}

/// Nested dissection of the graph without its dense rows, which are appended in ascending degree: one row of n / 10
/// entries joins everything, so that no small separator exists and coarsening stalls.
template <class Dissect>
std::vector<Index> without_dense_rows(const Pattern &graph, const std::vector<Index> &weight, const Dissect &dissect)
{
  const Index n = graph.rows;
  const Offset dense_degree = std::max<Offset>(16, static_cast<Offset>(10 * std::sqrt(double(n))));
  std::vector<Index> sparse, dense;
  for (Index i = 0; i < n; ++i)
    (graph.start[i + 1] - graph.start[i] > dense_degree ? dense : sparse).push_back(i);
  std::stable_sort(dense.begin(), dense.end(), [&](Index a, Index b) {
    return graph.start[a + 1] - graph.start[a] < graph.start[b + 1] - graph.start[b];
  });

  std::vector<Index> sparse_weight(sparse.size());
  for (std::size_t i = 0; i < sparse.size(); ++i)
    sparse_weight[i] = weight[sparse[i]];
  const std::vector<Index> inner = dissect(permute_graph(graph, sparse), sparse_weight);
  if (inner.size() != sparse.size())
    return {};
  std::vector<Index> perm = compose(sparse, inner);
  perm.insert(perm.end(), dense.begin(), dense.end());
  return perm;
}

/// Vertices sorted by color: those of one color are independent of each other.
std::vector<Index> by_color(const Pattern &graph)
{
  const std::vector<Index> color = greedy_coloring(graph);
  if (color.empty())
    return {};
  std::vector<Index> perm = natural(graph.rows);
  std::stable_sort(perm.begin(), perm.end(), [&](Index a, Index b) { return color[a] < color[b]; });
  return perm;
}

/// Operations of the complete factor, per row, from which on nested dissection is tried: it takes some 6 us a row. A
/// core does some 10 operations a ns, but a factor of so many is one with dropping, which takes a small part of them:
/// at 2e5 a row, G3_circuit, minimum degree and factor took 5 s, nested dissection and factor 12.
constexpr double flops_worth_dissection = 5e5;

/// AMD is several times faster than nested dissection, which in turn leaves less fill in large meshes.
std::vector<Index> automatic(const Pattern &graph, const std::vector<Index> &weight)
{
  double estimate = 0;
  std::vector<Index> perm = minimum_degree(graph, &estimate);
  const double rows = std::accumulate(weight.begin(), weight.end(), 0.0), per_vertex = rows / graph.rows;
  if (perm.empty() || estimate * per_vertex * per_vertex * per_vertex < flops_worth_dissection * rows)
    return perm;
  std::vector<Index> other = without_dense_rows(graph, weight, nested_dissection);
  if (!other.empty() && analyze(graph, weight, other).flops < analyze(graph, weight, perm).flops)
    return other;
  return perm;
}

} // namespace

std::vector<Index> order(const Pattern &graph, const std::vector<Index> &weight, Ordering ordering)
{
  if (graph.rows <= 1 || graph.entries() == 0)
    return natural(graph.rows);
  switch (ordering) {
  case Ordering::Automatic:
    return automatic(graph, weight);
  case Ordering::AMD:
    return minimum_degree(graph);
  case Ordering::ND:
    return without_dense_rows(graph, weight, nested_dissection);
  case Ordering::METIS:
    return without_dense_rows(graph, weight, metis_ordering);
  case Ordering::RCM:
    return rcm(permute_graph(graph, natural(graph.rows)));
  case Ordering::Color:
    return by_color(permute_graph(graph, natural(graph.rows)));
  case Ordering::Natural:
    break;
  }
  return natural(graph.rows);
}

} // namespace tessera
