#include "analysis/ordering.hpp"

#include "analysis/ordering_kokkos.hpp"
#include "analysis/permute.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <metis.h>
#include <suitesparse/amd.h>

namespace tessera {
namespace {

static_assert(sizeof(idx_t) == sizeof(Index), "METIS must be built with 32-bit indices");

std::vector<Index> natural(Index n)
{
  std::vector<Index> perm(n);
  std::iota(perm.begin(), perm.end(), 0);
  return perm;
}

/// AMD with aggressive absorption and rows denser than 10 sqrt(n) put last. Entries beyond 2^31 take the library's
/// 64-bit interface.
std::vector<Index> amd(const Pattern &graph)
{
  const Index n = graph.rows;
  double control[AMD_CONTROL], info[AMD_INFO];
  amd_defaults(control);
  control[AMD_AGGRESSIVE] = 1;
  control[AMD_DENSE] = 10;
  std::vector<Index> perm(n);
  if (graph.entries() <= std::numeric_limits<Index>::max()) {
    const std::vector<Index> start(graph.start.begin(), graph.start.end());
    if (amd_order(n, start.data(), graph.column.data(), perm.data(), control, info) < AMD_OK)
      perm.clear();
    return perm;
  }
  const std::vector<SuiteSparse_long> start(graph.start.begin(), graph.start.end());
  const std::vector<SuiteSparse_long> column(graph.column.begin(), graph.column.end());
  std::vector<SuiteSparse_long> perm64(n);
  if (amd_l_order(n, start.data(), column.data(), perm64.data(), control, info) < AMD_OK)
    return {};
  std::copy(perm64.begin(), perm64.end(), perm.begin());
  return perm;
}

/// METIS_NodeND of a graph without diagonal, with its fixed default seed.
std::vector<Index> node_nd(const Pattern &graph, std::vector<Index> weight)
{
  if (graph.entries() == 0)
    return natural(graph.rows);
  if (graph.entries() > std::numeric_limits<idx_t>::max())
    return {};
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  idx_t n = graph.rows;
  std::vector<idx_t> start(graph.start.begin(), graph.start.end()), column(graph.column);
  std::vector<idx_t> perm(n), inverse(n);
  if (METIS_NodeND(&n, start.data(), column.data(), weight.data(), options, perm.data(), inverse.data()) != METIS_OK)
    return {};
  return perm;
}

/// Nested dissection of the graph without its dense rows, which are appended in ascending degree: one row of n / 10
/// entries joins everything, so that no small separator exists and METIS's coarsening stalls.
std::vector<Index> nested_dissection(const Pattern &graph, const std::vector<Index> &weight)
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
  const std::vector<Index> inner = node_nd(permute_graph(graph, sparse), sparse_weight);
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

} // namespace

std::vector<Index> order(const Pattern &graph, const std::vector<Index> &weight, Ordering ordering)
{
  if (graph.rows <= 1 || graph.entries() == 0)
    return natural(graph.rows);
  switch (ordering) {
  case Ordering::AMD:
    return amd(graph);
  case Ordering::METIS:
    return nested_dissection(graph, weight);
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
