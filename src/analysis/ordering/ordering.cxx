#include "analysis/ordering/ordering.hpp"

#include "analysis/ordering/dissection.hpp"
#include "analysis/ordering/graph_shape.hpp"
#include "analysis/ordering/metis_ordering.hpp"
#include "analysis/ordering/minimum_degree.hpp"
#include "analysis/ordering/ordering_kokkos.hpp"
#include "analysis/ordering/reduce_graph.hpp"
#include "base/permute.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

constexpr Index large_leaf = 250000;  ///< OrderingChoice::leaf to have AMD work in parallel
constexpr Index looked_at = 200000;   ///< vertices from which on a graph is looked at before AMD orders it
constexpr Index cut_for_amd = 500000; ///< and from which on AMD does not order it in one piece

constexpr Offset worth_reducing = 30000; ///< entries of a graph whose dissection takes longer than some milliseconds

std::vector<Index> natural(Index n)
{
  std::vector<Index> perm(n);
  std::iota(perm.begin(), perm.end(), 0);
  return perm;
}

/// Whether row i has more entries than that.
bool has_more(const Pattern &graph, Index i, Offset entries)
{
  return graph.start[i + 1] - graph.start[i] > entries;
}

/// Nested dissection of the graph without its diagonal and its dense rows, which are appended in ascending degree: one
/// of n / 10 entries leaves no small separator, and coarsening stalls.
template <class Dissect>
std::vector<Index> without_dense_rows(const Pattern &graph, const std::vector<Index> &weight, const Dissect &dissect)
{
  std::vector<Index> sparse, dense;
  const Offset most = dense_degree(graph);
  for (Index i = 0; i < graph.rows; ++i)
    (has_more(graph, i, most) ? dense : sparse).push_back(i);
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

/// Nested dissection of the graph after its easy vertices.
std::vector<Index> reduced_dissection(const Pattern &graph, const std::vector<Index> &weight, Index leaf,
                                      const std::function<void()> &meanwhile)
{
  ReducedGraph reduced;
  if (graph.rows <= leaf || graph.entries() < worth_reducing || !reduce_graph(graph, weight, reduced))
    return nested_dissection(graph, weight, leaf, meanwhile);
  // A leaf is as large a part of the graph as ever.
  const Offset leaf_left = Offset(leaf) * reduced.graph.rows / graph.rows;
  return expand(reduced,
                nested_dissection(reduced.graph, reduced.weight, std::max<Index>(1, Index(leaf_left)), meanwhile));
}

std::vector<Index> dissection(const Pattern &graph, const std::vector<Index> &weight, Index leaf,
                              const std::function<void()> &meanwhile = {})
{
  bool dense = false;
  const Offset most = dense_degree(graph);
  for (Index i = 0; i < graph.rows && !dense; ++i)
    dense = has_more(graph, i, most);
  if (!dense)
    return reduced_dissection(graph, weight, leaf, meanwhile);
  return without_dense_rows(graph, weight, [&](const Pattern &subgraph, const std::vector<Index> &its_weight) {
    return reduced_dissection(subgraph, its_weight, leaf, meanwhile);
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

/// Operations of a complete factor, per row, that are worth nested dissection where they are cheap: a factor with
/// dropping takes a small share of them. At 2e5 a row, G3_circuit, minimum degree and factor took 5 s, nested
/// dissection and factor 12.
constexpr double cheap_flops_per_row = 5e5;

double rows_of(const std::vector<Index> &weight)
{
  return std::accumulate(weight.begin(), weight.end(), 0.0);
}

Symbolic count(const Pattern &graph, const std::vector<Index> &weight, const std::vector<Index> &perm)
{
  return perm.size() == weight.size() ? analyze(graph, weight, perm) : Symbolic();
}

/// AMD, which is serial, takes as long for a large graph as everything else together on many cores. A breadth-first
/// search tells of most whether it would be in vain, or where to leave parts of the graph to it.
Symbolic automatic(const Pattern &graph, const std::vector<Index> &weight, const OrderingChoice &choice)
{
  const Shape shape = graph.rows < looked_at ? Shape() : measure_shape(graph, weight);
  if (!shape.is_long)
    return cheaper_order(graph, weight, choice);
  // A separator as wide as the graph leads to some twice the cube of its rows, all smaller ones included. Levels cost
  // little beside that: parts are those of least fill.
  if (2 * std::pow(double(shape.width), 3) > cheap_flops_per_row * rows_of(weight))
    return count(graph, weight, dissection(graph, weight, OrderingChoice().leaf));
  return graph.rows < cut_for_amd ? cheaper_order(graph, weight, choice)
                                  : count(graph, weight, dissection(graph, weight, large_leaf));
}

Symbolic cheaper_of(Symbolic by_degree, Symbolic dissected, const std::vector<Index> &weight,
                    const OrderingChoice &choice)
{
  const auto cost = [&](const Symbolic &symbolic) {
    return symbolic.size.flops + (choice.level_flops ? choice.level_flops(symbolic, weight) : 0);
  };
  const bool better = !by_degree.empty() && !dissected.empty() && cost(dissected) < cost(by_degree);
  return better ? std::move(dissected) : std::move(by_degree);
}

} // namespace

std::vector<Index> order(const Pattern &graph, const std::vector<Index> &weight, Ordering ordering,
                         const OrderingChoice &choice)
{
  if (graph.rows <= 1 || graph.entries() == 0)
    return natural(graph.rows);
  switch (ordering) {
  case Ordering::Automatic:
    return automatic(graph, weight, choice).perm;
  case Ordering::AMD:
    return minimum_degree(graph);
  case Ordering::ND:
    return dissection(graph, weight, choice.leaf);
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
                         const OrderingChoice &choice)
{
  if (ordering == Ordering::Automatic && graph.entries() > 0)
    return automatic(graph, weight, choice);
  return count(graph, weight, order(graph, weight, ordering, choice));
}

Symbolic cheaper_order(const Pattern &graph, const std::vector<Index> &weight, const OrderingChoice &choice)
{
  Symbolic by_degree;
  const auto count_by_degree = [&] { by_degree = order_and_count(graph, weight, Ordering::AMD); };
  const double costly = std::min(choice.costly_levels, choice.costly_levels_per_entry * double(graph.entries()));
  if (choice.level_flops && costly <= 0 && graph.entries() > 0) { // a look at both: minimum degree is one thread's
    const std::vector<Index> perm = dissection(graph, weight, choice.leaf, count_by_degree);
    return cheaper_of(std::move(by_degree), count(graph, weight, perm), weight, choice);
  }
  count_by_degree();
  if (by_degree.empty())
    return by_degree;
  const bool cheap = choice.are_cheap && choice.are_cheap(by_degree.size);
  const double least = cheap ? cheap_flops_per_row * rows_of(weight) : choice.flops_per_entry * double(graph.entries());
  const bool deep = choice.level_flops && choice.level_flops(by_degree, weight) >= costly;
  if (!deep && by_degree.size.flops < least)
    return by_degree;
  return cheaper_of(std::move(by_degree), order_and_count(graph, weight, Ordering::ND, choice), weight, choice);
}

} // namespace tessera
