#include "analysis/dissection.hpp"

#include "analysis/minimum_degree.hpp"
#include "analysis/separator.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

constexpr Index leaf = 200;       ///< parts of at most this many vertices are ordered by minimum degree
constexpr Index task_from = 2000; ///< parts of at least this many vertices are tasks of their own

/// A part of the graph that is still to be ordered.
struct Part {
  WeightedGraph graph;
  std::vector<Index> vertex; ///< [n] its vertices as the caller numbered them
};

/// Orders a small part. Minimum degree of so few vertices cannot run out of memory in any way worth a status.
void order_leaf(const Part &part, Index *perm)
{
  Pattern pattern;
  pattern.rows = pattern.cols = part.graph.n;
  pattern.start = part.graph.start;
  pattern.column = part.graph.column;
  for (Index i = 0; i < pattern.rows; ++i)
    std::sort(pattern.column.begin() + pattern.start[i], pattern.column.begin() + pattern.start[i + 1]);
  const std::vector<Index> local = minimum_degree(pattern);
  for (Index k = 0; k < pattern.rows; ++k)
    perm[k] = part.vertex[local.empty() ? k : local[k]];
}

/// The subgraphs on both sides of a separator. The separator's vertices go to `separator`.
void split(const Part &part, const Separation &separation, Part side[2], Index *separator)
{
  const WeightedGraph &graph = part.graph;
  std::vector<Index> local(graph.n);
  Offset entries[2] = {0, 0};
  for (Index v = 0; v < graph.n; ++v) {
    const std::uint8_t s = separation.part[v];
    if (s == 2) {
      *separator++ = part.vertex[v];
      continue;
    }
    local[v] = side[s].graph.n++;
    entries[s] += graph.start[v + 1] - graph.start[v];
    side[s].vertex.push_back(part.vertex[v]);
    side[s].graph.weight.push_back(graph.weight[v]);
    side[s].graph.total += graph.weight[v];
  }
  for (int s = 0; s < 2; ++s) {
    side[s].graph.start.reserve(side[s].graph.n + 1);
    side[s].graph.column.reserve(entries[s]);
  }
  for (Index v = 0; v < graph.n; ++v) {
    const std::uint8_t s = separation.part[v];
    if (s == 2)
      continue;
    for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
      if (separation.part[graph.column[p]] == s)
        side[s].graph.column.push_back(local[graph.column[p]]);
    }
    side[s].graph.start.push_back(static_cast<Offset>(side[s].graph.column.size()));
  }
  for (int s = 0; s < 2; ++s)
    side[s].graph.edge.assign(side[s].graph.column.size(), 1);
}

/// Orders `part` into perm[0 .. n - 1]. place: where that lies in the whole order, which seeds the part's separator.
void dissect(Part part, Index *perm, Index place)
{
  if (part.graph.n <= leaf || part.graph.column.empty())
    return order_leaf(part, perm);
  const std::uint64_t seed = (static_cast<std::uint64_t>(place) << 32) + static_cast<std::uint64_t>(part.graph.n);
  const Separation separation = separate(part.graph, seed);
  Index size[3] = {0, 0, 0};
  for (std::uint8_t s : separation.part)
    ++size[s];
  if (size[0] == 0 || size[1] == 0)
    return order_leaf(part, perm);

  Part side[2];
  split(part, separation, side, perm + size[0] + size[1]);
  part = Part();
#pragma omp task default(none) firstprivate(perm, place) shared(side) if (size[0] >= task_from)
  dissect(std::move(side[0]), perm, place);
  dissect(std::move(side[1]), perm + size[0], place + size[0]);
#pragma omp taskwait
}

} // namespace

std::vector<Index> nested_dissection(const Pattern &graph, const std::vector<Index> &weight)
{
  Part whole;
  whole.graph.n = graph.rows;
  whole.graph.start = graph.start;
  whole.graph.column = graph.column;
  whole.graph.edge.assign(graph.column.size(), 1);
  whole.graph.weight = weight;
  whole.graph.total = std::accumulate(weight.begin(), weight.end(), Offset(0));
  whole.vertex.resize(graph.rows);
  std::iota(whole.vertex.begin(), whole.vertex.end(), 0);
  std::vector<Index> perm(graph.rows);
#pragma omp parallel
#pragma omp single
  dissect(std::move(whole), perm.data(), 0);
  return perm;
}

} // namespace tessera
