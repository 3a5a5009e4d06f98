#include "analysis/ordering/ordering.hpp"

#include "analysis/ordering/dissection.hpp"
#include "analysis/ordering/graph_shape.hpp"
#include "analysis/ordering/metis_ordering.hpp"
#include "analysis/ordering/minimum_degree.hpp"
#include "analysis/ordering/ordering_kokkos.hpp"
#include "base/permute.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {
namespace {

constexpr Index small_leaf = 200;     ///< vertices of parts that nested dissection leaves to AMD for least fill
constexpr Index large_leaf = 250000;  ///< and to have AMD work in parallel
constexpr Index looked_at = 200000;   ///< vertices from which on a graph is looked at before AMD orders it
constexpr Index cut_for_amd = 500000; ///< and from which on AMD does not order it in one piece

std::vector<Index> natural(Index n)
{
  std::vector<Index> perm(n);
  std::iota(perm.begin(), perm.end(), 0);
  return perm;
}

/// Rows that join everything: one of n / 10 entries leaves no small separator, and coarsening stalls.
bool is_dense(const Pattern &graph, Index i)
{
  const Offset dense_degree = std::max<Offset>(16, static_cast<Offset>(10 * std::sqrt(double(graph.rows))));
  return graph.start[i + 1] - graph.start[i] > dense_degree;
}

/// Nested dissection of the graph without its diagonal and its dense rows, which are appended in ascending degree.
template <class Dissect>
std::vector<Index> without_dense_rows(const Pattern &graph, const std::vector<Index> &weight, const Dissect &dissect)
{
  std::vector<Index> sparse, dense;
  for (Index i = 0; i < graph.rows; ++i)
    (is_dense(graph, i) ? dense : sparse).push_back(i);
  std::stable_sort(dense.begin(), dense.end(), [&](Index a, Index b) {
    return graph.start[a + 1] - graph.start[a] < graph.start[b + 1] - graph.start[b];
  });

  const std::vector<Index> inner = dissect(permute_graph(graph, sparse), compose(weight, sparse));
  if (inner.size() != sparse.size())
    return {};
  std::vector<Index> perm = compose(sparse, inner);
  perm.insert(perm.end(), dense.begin(), dense.end());
  return perm;
}

std::vector<Index> dissection(const Pattern &graph, const std::vector<Index> &weight, Index leaf)
{
  bool dense = false;
  for (Index i = 0; i < graph.rows && !dense; ++i)
    dense = is_dense(graph, i);
  if (!dense)
    return nested_dissection(graph, weight, leaf);
  return without_dense_rows(graph, weight, [leaf](const Pattern &subgraph, const std::vector<Index> &its_weight) {
    return nested_dissection(subgraph, its_weight, leaf);
  });
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
/// core does some 10 operations a ns, but a factor of so many is one with dropping, which takes a small share of them:
/// at 2e5 a row, G3_circuit, minimum degree and factor took 5 s, nested dissection and factor 12.
constexpr double flops_worth_dissection = 5e5;

/// Levels of the tree from which on nested dissection is tried where levels cost something: in a chain AMD goes from
/// one end to the other, nested dissection needs as many levels as the chain can be halved.
constexpr Index levels_worth_dissection = 100;

/// Operations that the factor takes, and those that its levels are worth.
double cost_of(const Symbolic &symbolic, Index depth, const LevelCost &level)
{
  return symbolic.size.flops + level.flops * depth;
}

/// AMD is several times faster than nested dissection, which in turn leaves less fill in large meshes.
std::vector<Index> better_one(const Pattern &graph, const std::vector<Index> &weight, const LevelCost &level)
{
  double estimate = 0;
  std::vector<Index> perm = minimum_degree(graph, &estimate);
  if (perm.empty())
    return perm;
  const double rows = std::accumulate(weight.begin(), weight.end(), 0.0), per_vertex = rows / graph.rows;
  const bool costly = estimate * per_vertex * per_vertex * per_vertex >= flops_worth_dissection * rows;
  if (!costly && level.flops == 0)
    return perm;
  const auto depth_of = [&](const Symbolic &symbolic) {
    return level.flops > 0 ? tree_depth(symbolic, weight, level.block_rows, level.least_rows) : 0;
  };
  const Symbolic by_degree = analyze(graph, weight, perm);
  const Index depth = depth_of(by_degree);
  if (!costly && depth < levels_worth_dissection)
    return perm;
  std::vector<Index> other = dissection(graph, weight, small_leaf);
  if (other.empty())
    return perm;
  const Symbolic dissected = analyze(graph, weight, other);
  return cost_of(dissected, depth_of(dissected), level) < cost_of(by_degree, depth, level) ? other : perm;
}

/// AMD, which is serial, takes as long for a large graph as everything else together on many cores. A breadth-first
/// search tells of most whether it would be in vain, or where to leave parts of the graph to it.
std::vector<Index> automatic(const Pattern &graph, const std::vector<Index> &weight, const LevelCost &level)
{
  if (graph.rows < looked_at)
    return better_one(graph, weight, level);
  const Shape shape = measure_shape(graph, weight);
  if (!shape.is_long)
    return better_one(graph, weight, level);
  // A separator as wide as the graph leads to some twice the cube of its rows, all smaller ones included.
  const double flops = 2 * std::pow(double(shape.width), 3), rows = std::accumulate(weight.begin(), weight.end(), 0.0);
  if (flops > flops_worth_dissection * rows)
    return dissection(graph, weight, small_leaf);
  return graph.rows < cut_for_amd ? better_one(graph, weight, level) : dissection(graph, weight, large_leaf);
}

} // namespace

std::vector<Index> order(const Pattern &graph, const std::vector<Index> &weight, Ordering ordering,
                         const LevelCost &level)
{
  if (graph.rows <= 1 || graph.entries() == 0)
    return natural(graph.rows);
  switch (ordering) {
  case Ordering::Automatic:
    return automatic(graph, weight, level);
  case Ordering::AMD:
    return minimum_degree(graph);
  case Ordering::ND:
    return dissection(graph, weight, small_leaf);
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

Symbolic order_and_count(const Pattern &graph, const std::vector<Index> &weight, Ordering ordering,
                         const LevelCost &level)
{
  const std::vector<Index> perm = order(graph, weight, ordering, level);
  return perm.size() == weight.size() ? analyze(graph, weight, perm) : Symbolic();
}

} // namespace tessera
