#include "analysis/ordering/compress.hpp"

#include "base/collect_rows.hpp"

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

/// The row of a vertex in the compressed graph: the union of the rows that it stands for, columns replaced by their
/// vertices, ascending and without the vertex itself. One thread's working space.
class VertexRow {
public:
  VertexRow(const Pattern &a, const CompressedGraph &graph, const std::vector<Index> &vertex)
      : a_(a), graph_(graph), vertex_(vertex),
        seen_by_(graph.weight.size() < vertex.size() ? graph.weight.size() : 0, -1)
  {
  }

  void operator()(Index v, FoundRows &found)
  {
    std::vector<Index> &column = found.column;
    if (seen_by_.empty()) {
      std::copy_if(a_.column.begin() + a_.start[v], a_.column.begin() + a_.start[v + 1], std::back_inserter(column),
                   [v](Index j) { return j != v; });
      return;
    }
    const std::size_t begin = column.size();
    seen_by_[v] = v;
    for (Index k = graph_.row_start[v]; k < graph_.row_start[v + 1]; ++k) {
      for (Offset p = a_.start[graph_.row[k]]; p < a_.start[graph_.row[k] + 1]; ++p) {
        const Index w = vertex_[a_.column[p]];
        if (seen_by_[w] != v) {
          seen_by_[w] = v;
          column.push_back(w);
        }
      }
    }
    if (!std::is_sorted(column.begin() + begin, column.end()))
      std::sort(column.begin() + begin, column.end());
  }

private:
  const Pattern &a_;
  const CompressedGraph &graph_;
  const std::vector<Index> &vertex_;
  std::vector<Index> seen_by_; ///< [vertices] the last vertex in whose row it was; empty without pairs
};

} // namespace

CompressedGraph compress(const Pattern &symmetric, const std::vector<Index> &partner)
{
  CompressedGraph graph;
  const std::vector<Index> vertex = number_vertices(partner, graph);
  const auto make_search = [&] { return VertexRow(symmetric, graph, vertex); };
  collect_rows(static_cast<Index>(graph.weight.size()), symmetric.entries(), make_search, graph.pattern);
  return graph;
}

std::vector<Index> vertices_of_rows(const CompressedGraph &graph)
{
  std::vector<Index> vertex(graph.row.size());
  for (Index v = 0; v < static_cast<Index>(graph.weight.size()); ++v)
    for (Index r = graph.row_start[v]; r < graph.row_start[v + 1]; ++r)
      vertex[graph.row[r]] = v;
  return vertex;
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
