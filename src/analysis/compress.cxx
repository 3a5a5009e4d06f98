#include "analysis/compress.hpp"

#include "analysis/allocate.hpp"

#include <algorithm>
#include <iterator>

namespace tessera {
namespace {

/// Numbers the vertices by their lowest row and lists their rows. Returns the vertex of each row.
std::vector<Index> number_vertices(const std::vector<Index> &partner, CompressedGraph &graph)
{
  const Index n = static_cast<Index>(partner.size());
  std::vector<Index> vertex(n);
  graph.row.reserve(n);
  graph.row_start.reserve(n + 1);
  graph.row_start.push_back(0);
  for (Index i = 0; i < n; ++i) {
    if (partner[i] < i)
      continue;
    const Index v = static_cast<Index>(graph.weight.size());
    vertex[i] = vertex[partner[i]] = v;
    graph.row.push_back(i);
    if (partner[i] > i)
      graph.row.push_back(partner[i]);
    graph.weight.push_back(partner[i] > i ? 2 : 1);
    graph.row_start.push_back(static_cast<Index>(graph.row.size()));
  }
  return vertex;
}

/// The union of the rows of each vertex, columns replaced by their vertices, ascending and without the vertex itself.
/// `seen` holds for each vertex the last one in whose row it was; empty if there are no pairs, so that vertices are
/// rows.
void append_row(const Pattern &a, const CompressedGraph &graph, const std::vector<Index> &vertex, Index v,
                std::vector<Index> &seen, std::vector<Index> &column)
{
  const std::size_t begin = column.size();
  if (seen.empty()) {
    std::copy_if(a.column.begin() + a.start[v], a.column.begin() + a.start[v + 1], std::back_inserter(column),
                 [v](Index j) { return j != v; });
    return;
  }
  seen[v] = v;
  for (Index k = graph.row_start[v]; k < graph.row_start[v + 1]; ++k) {
    for (Offset p = a.start[graph.row[k]]; p < a.start[graph.row[k] + 1]; ++p) {
      const Index w = vertex[a.column[p]];
      if (seen[w] != v) {
        seen[w] = v;
        column.push_back(w);
      }
    }
  }
  if (!std::is_sorted(column.begin() + begin, column.end()))
    std::sort(column.begin() + begin, column.end());
}

/// The rows of all vertices, in ranges of vertices that threads share out.
Pattern merge_rows(const Pattern &a, const CompressedGraph &graph, const std::vector<Index> &vertex)
{
  constexpr Index most_ranges = 64;
  const Index vertices = static_cast<Index>(graph.weight.size());
  const Index ranges = vertices > parallel_rows ? most_ranges : 1;
  const auto begin_of = [=](Index r) { return static_cast<Index>(Offset(vertices) * r / ranges); };
  Pattern result;
  result.rows = result.cols = vertices;
  result.start.assign(vertices + 1, 0);
  std::vector<std::vector<Index>> part(ranges);
  std::vector<Offset> first(ranges + 1, 0);
#pragma omp parallel if (ranges > 1)
  {
    std::vector<Index> seen(vertices < a.rows ? vertices : 0, -1);
#pragma omp for schedule(dynamic, 1)
    for (Index r = 0; r < ranges; ++r) {
      for (Index v = begin_of(r); v < begin_of(r + 1); ++v) {
        append_row(a, graph, vertex, v, seen, part[r]);
        result.start[v + 1] = static_cast<Offset>(part[r].size());
      }
    }
  }
  for (Index r = 0; r < ranges; ++r)
    first[r + 1] = first[r] + static_cast<Offset>(part[r].size());
  allocate_in_parallel(result.column, first[ranges]);
#pragma omp parallel for schedule(dynamic, 1) if (ranges > 1)
  for (Index r = 0; r < ranges; ++r) {
    std::copy(part[r].begin(), part[r].end(), result.column.begin() + first[r]);
    for (Index v = begin_of(r); v < begin_of(r + 1); ++v)
      result.start[v + 1] += first[r];
  }
  return result;
}

} // namespace

CompressedGraph compress(const Pattern &symmetric, const std::vector<Index> &partner)
{
  CompressedGraph graph;
  const std::vector<Index> vertex = number_vertices(partner, graph);
  graph.pattern = merge_rows(symmetric, graph, vertex);
  return graph;
}

std::vector<Index> expand(const CompressedGraph &graph, const std::vector<Index> &vertex_order)
{
  std::vector<Index> order;
  order.reserve(graph.row.size());
  for (Index v : vertex_order)
    order.insert(order.end(), graph.row.begin() + graph.row_start[v], graph.row.begin() + graph.row_start[v + 1]);
  return order;
}

} // namespace tessera
