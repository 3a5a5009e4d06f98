#include "analysis/compress.hpp"

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

/// The pattern without its diagonal, when every vertex is one row.
Pattern without_diagonal(const Pattern &a)
{
  Pattern result;
  result.rows = result.cols = a.rows;
  result.start.assign(a.rows + 1, 0);
  result.column.reserve(a.column.size());
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset p = a.start[i]; p < a.start[i + 1]; ++p)
      if (a.column[p] != i)
        result.column.push_back(a.column[p]);
    result.start[i + 1] = static_cast<Offset>(result.column.size());
  }
  return result;
}

/// The columns of each row in ascending order: a transposition, which for a symmetric pattern changes nothing else.
Pattern transpose(const Pattern &a)
{
  Pattern result;
  result.rows = a.cols;
  result.cols = a.rows;
  result.start.assign(a.cols + 1, 0);
  for (Index j : a.column)
    ++result.start[j + 1];
  for (Index j = 0; j < a.cols; ++j)
    result.start[j + 1] += result.start[j];
  result.column.resize(a.column.size());
  std::vector<Offset> next(result.start.begin(), result.start.end() - 1);
  for (Index i = 0; i < a.rows; ++i)
    for (Offset p = a.start[i]; p < a.start[i + 1]; ++p)
      result.column[next[a.column[p]]++] = i;
  return result;
}

/// The union of the rows of each vertex, columns replaced by their vertices, in no order.
Pattern merge_rows(const Pattern &a, const CompressedGraph &graph, const std::vector<Index> &vertex)
{
  const Index vertices = static_cast<Index>(graph.weight.size());
  Pattern result;
  result.rows = result.cols = vertices;
  result.start.assign(vertices + 1, 0);
  result.column.reserve(a.column.size());
  std::vector<Index> seen(vertices, -1);
  for (Index v = 0; v < vertices; ++v) {
    seen[v] = v;
    for (Index k = graph.row_start[v]; k < graph.row_start[v + 1]; ++k)
      for (Offset p = a.start[graph.row[k]]; p < a.start[graph.row[k] + 1]; ++p) {
        const Index w = vertex[a.column[p]];
        if (seen[w] != v) {
          seen[w] = v;
          result.column.push_back(w);
        }
      }
    result.start[v + 1] = static_cast<Offset>(result.column.size());
  }
  return result;
}

} // namespace

CompressedGraph compress(const Pattern &symmetric, const std::vector<Index> &partner)
{
  CompressedGraph graph;
  const std::vector<Index> vertex = number_vertices(partner, graph);
  if (static_cast<Index>(graph.weight.size()) == symmetric.rows)
    graph.pattern = without_diagonal(symmetric);
  else
    graph.pattern = transpose(merge_rows(symmetric, graph, vertex));
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
