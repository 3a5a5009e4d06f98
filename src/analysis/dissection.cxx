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

/// A small part with the separator vertices next to it, in that order; `graph` is the whole graph.
Pattern with_halo(const Pattern &graph, const std::vector<Index> &interior)
{
  std::vector<Index> halo;
  const auto inside = [&](Index v) { return std::binary_search(interior.begin(), interior.end(), v); };
  for (Index v : interior) {
    for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
      if (!inside(graph.column[p]))
        halo.push_back(graph.column[p]);
    }
  }
  std::sort(halo.begin(), halo.end());
  halo.erase(std::unique(halo.begin(), halo.end()), halo.end());

  const auto place = [](const std::vector<Index> &list, Index v) {
    return static_cast<Index>(std::lower_bound(list.begin(), list.end(), v) - list.begin());
  };
  const Index n = static_cast<Index>(interior.size());
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < n; ++i) {
    for (Offset p = graph.start[interior[i]]; p < graph.start[interior[i] + 1]; ++p) {
      const Index v = graph.column[p];
      if (inside(v)) {
        edges.push_back({i, place(interior, v)});
      } else {
        edges.push_back({i, n + place(halo, v)});
        edges.push_back({n + place(halo, v), i});
      }
    }
  }
  std::sort(edges.begin(), edges.end());
  Pattern part;
  part.rows = part.cols = n + static_cast<Index>(halo.size());
  part.start.assign(part.rows + 1, 0);
  for (auto [i, j] : edges) {
    ++part.start[i + 1];
    part.column.push_back(j);
  }
  std::partial_sum(part.start.begin(), part.start.end(), part.start.begin());
  return part;
}

/// Orders a part as a whole. Where the library runs out of memory the part stays in its own order, which is valid.
void order_leaf(const Pattern &graph, const Part &part, Index *perm)
{
  const std::vector<Index> local = minimum_degree_with_halo(with_halo(graph, part.vertex), part.graph.n);
  for (Index k = 0; k < part.graph.n; ++k)
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
void dissect(const Pattern &graph, Part part, Index *perm, Index place)
{
  if (part.graph.n <= leaf || part.graph.column.empty())
    return order_leaf(graph, part, perm);
  const std::uint64_t seed = (static_cast<std::uint64_t>(place) << 32) + static_cast<std::uint64_t>(part.graph.n);
  const Separation separation = separate(part.graph, seed);
  Index size[3] = {0, 0, 0};
  for (std::uint8_t s : separation.part)
    ++size[s];
  if (size[0] == 0 || size[1] == 0)
    return order_leaf(graph, part, perm);

  Part side[2];
  split(part, separation, side, perm + size[0] + size[1]);
  part = Part();
#pragma omp task default(none) firstprivate(perm, place) shared(graph, side) if (size[0] >= task_from)
  dissect(graph, std::move(side[0]), perm, place);
  dissect(graph, std::move(side[1]), perm + size[0], place + size[0]);
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
#pragma omp parallel if (graph.rows > parallel_rows)
#pragma omp single
  dissect(graph, std::move(whole), perm.data(), 0);
  return perm;
}

} // namespace tessera
