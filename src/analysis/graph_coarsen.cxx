#include "analysis/graph_coarsen.hpp"

#include <algorithm>

namespace tessera {
namespace {

constexpr Index unmatched = -1;

/// Vertices of less than 0.7 of the average degree in ascending degree, then the others. The order is random inside
/// windows of the numbering, which are small enough to keep neighbours near each other in memory.
std::vector<Index> visiting_order(const WeightedGraph &graph, Random &random)
{
  constexpr Index window = 8192;
  const Offset cap = 7 * graph.start[graph.n] / (10 * std::max<Offset>(1, graph.n));
  std::vector<Index> perm(graph.n), start(cap + 2, 0);
  const auto bucket = [&](Index i) { return std::min(cap, graph.start[i + 1] - graph.start[i]); };
  for (Index i = 0; i < graph.n; ++i)
    ++start[bucket(i) + 1];
  for (Offset b = 0; b <= cap; ++b)
    start[b + 1] += start[b];
  std::vector<Index> next(start.begin(), start.end() - 1);
  for (Index i = 0; i < graph.n; ++i)
    perm[next[bucket(i)]++] = i;
  for (Offset b = 0; b <= cap; ++b) {
    for (Index begin = start[b]; begin < start[b + 1]; begin += window) {
      for (Index k = std::min(window, start[b + 1] - begin); k > 1; --k)
        std::swap(perm[begin + k - 1], perm[begin + random.below(k)]);
    }
  }
  return perm;
}

/// Pairs the unmatched neighbours of each vertex with each other, two by two. Hubs first seen in ascending degree.
void match_two_hops(const WeightedGraph &graph, Offset max_weight, const std::vector<Index> &visit,
                    std::vector<Index> &match)
{
  for (Index hub : visit) {
    Index waiting = unmatched;
    for (Offset p = graph.start[hub]; p < graph.start[hub + 1]; ++p) {
      const Index v = graph.column[p];
      if (match[v] != unmatched)
        continue;
      if (waiting != unmatched && Offset(graph.weight[waiting]) + graph.weight[v] <= max_weight) {
        match[v] = waiting;
        match[waiting] = v;
        waiting = unmatched;
      } else {
        waiting = v;
      }
    }
  }
}

std::vector<Index> match_heavy_edges(const WeightedGraph &graph, Offset max_weight, Random &random)
{
  const std::vector<Index> visit = visiting_order(graph, random);
  std::vector<Index> match(graph.n, unmatched);
  Index alone = 0;
  for (Index v : visit) {
    if (match[v] != unmatched)
      continue;
    Index best = unmatched, heaviest = 0;
    for (Offset p = graph.start[v]; p < graph.start[v + 1]; ++p) {
      const Index u = graph.column[p];
      if (match[u] == unmatched && graph.edge[p] > heaviest &&
          Offset(graph.weight[v]) + graph.weight[u] <= max_weight) {
        best = u;
        heaviest = graph.edge[p];
      }
    }
    if (best == unmatched) {
      ++alone;
    } else {
      match[v] = best;
      match[best] = v;
    }
  }
  if (alone > graph.n / 10)
    match_two_hops(graph, max_weight, visit, match);
  return match;
}

} // namespace

CoarseGraph coarsen(const WeightedGraph &graph, Offset max_weight, Random &random)
{
  const std::vector<Index> match = match_heavy_edges(graph, max_weight, random);
  CoarseGraph coarse;
  std::vector<Index> &map = coarse.map;
  map.resize(graph.n);
  WeightedGraph &out = coarse.graph;
  for (Index v = 0; v < graph.n; ++v)
    map[v] = match[v] == unmatched || v < match[v] ? out.n++ : map[match[v]];
  out.total = graph.total;
  out.weight.reserve(out.n);
  out.start.reserve(out.n + 1);
  out.column.resize(graph.column.size());
  out.edge.resize(graph.column.size());

  // place[c]: where the present coarse row has its edge to c, if not before the row's begin
  std::vector<Offset> place(out.n, -1);
  Offset end = 0;
  for (Index v = 0; v < graph.n; ++v) {
    if (match[v] != unmatched && match[v] < v)
      continue;
    const Offset begin = end;
    const Index self = map[v], other = match[v];
    out.weight.push_back(graph.weight[v] + (other == unmatched ? 0 : graph.weight[other]));
    for (Index u : {v, other}) {
      if (u == unmatched)
        continue;
      for (Offset p = graph.start[u]; p < graph.start[u + 1]; ++p) {
        const Index c = map[graph.column[p]];
        if (c == self)
          continue;
        if (place[c] < begin) {
          place[c] = end;
          out.column[end] = c;
          out.edge[end++] = graph.edge[p];
        } else {
          out.edge[place[c]] += graph.edge[p];
        }
      }
    }
    out.start.push_back(end);
  }
  out.column.resize(end);
  out.edge.resize(end);
  out.column.shrink_to_fit();
  out.edge.shrink_to_fit();
  return coarse;
}

} // namespace tessera
