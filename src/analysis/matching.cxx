#include "analysis/matching.hpp"

#include "analysis/initial_assignment.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// Result for a matrix that cannot be matched, success for one that can; `largest` gets its largest magnitude.
Matching check(const Matrix &a, double &largest)
{
  Matching result;
  if (a.pattern.rows != a.pattern.cols) {
    result.status = Matching::Status::not_square;
    return result;
  }
  largest = largest_magnitude(a);
  if (std::isinf(largest)) {
    result.status = Matching::Status::not_finite;
    result.faulty_row = first_nonfinite_row(a);
  }
  return result;
}

/// Duals in units to base-2 logarithms. The costs are relative to the largest entry of the matrix, of which each side
/// takes half. Twice the sum of two duals is given where the mean is wanted, hence `parts`.
double logarithm(Cost dual, int parts, double log2_max)
{
  return static_cast<double>(dual) / static_cast<double>(parts * cost_unit) - log2_max / 2;
}

/// Raises the duals of unmatched rows to make their largest scaled entry 1, then those of unmatched columns.
void scale_unmatched(const CostGraph &graph, Assignment &assignment)
{
  std::vector<Cost> least(graph.n, no_cost);
  for (Index i = 0; i < graph.n; ++i) {
    if (assignment.col_of_row[i] >= 0 || graph.start[i] == graph.start[i + 1])
      continue;
    Cost u = no_cost;
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      u = std::min(u, graph.edge[p].cost - assignment.col_dual[graph.edge[p].col]);
    assignment.row_dual[i] = u;
  }
  for (Index i = 0; i < graph.n; ++i)
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      least[graph.edge[p].col] = std::min(least[graph.edge[p].col], graph.edge[p].cost - assignment.row_dual[i]);
  for (Index j = 0; j < graph.n; ++j)
    if (assignment.row_of_col[j] < 0 && least[j] != no_cost)
      assignment.col_dual[j] = least[j];
}

/// If the diagonal alone is optimal, its square roots are the scaling and prove it: |a_ij| <= sqrt|a_ii| sqrt|a_jj|.
/// Returns false otherwise. Allows the error that rounding the logarithms allows.
bool match_diagonal(const Matrix &a, Matching &result)
{
  const Index n = a.pattern.rows;
  std::vector<double> root(n);
  for (Index i = 0; i < n; ++i) {
    const Index *first = &a.pattern.column[0] + a.pattern.start[i],
                *last = &a.pattern.column[0] + a.pattern.start[i + 1];
    const Index *diagonal = std::lower_bound(first, last, i);
    if (diagonal == last || *diagonal != i || a.value[diagonal - &a.pattern.column[0]] == 0)
      return false;
    root[i] = std::sqrt(std::abs(a.value[diagonal - &a.pattern.column[0]]));
  }
  for (Index i = 0; i < n; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (std::abs(a.value[p]) > root[i] * root[a.pattern.column[p]] * (1 + 0x1p-21))
        return false;
  result.cardinality = n;
  result.column.resize(n);
  result.row_dual.resize(n);
  for (Index i = 0; i < n; ++i) {
    result.column[i] = i;
    result.row_dual[i] = -std::log2(root[i]);
  }
  result.col_dual = result.row_dual;
  return true;
}

/// The rows and columns with rank[i] >= 0 of a graph, renumbered by rank.
CostGraph principal_subgraph(const CostGraph &graph, const std::vector<Index> &rank, Index count)
{
  CostGraph part;
  part.n = count;
  part.start.reserve(count + 1);
  part.start.push_back(0);
  for (Index i = 0; i < graph.n; ++i) {
    if (rank[i] < 0)
      continue;
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      if (rank[graph.edge[p].col] >= 0)
        part.edge.push_back({rank[graph.edge[p].col], graph.edge[p].cost});
    part.start.push_back(static_cast<Offset>(part.edge.size()));
  }
  return part;
}

/// Keeps the matched rows of a structurally singular symmetric matrix and matches them among themselves.
Index match_principal_submatrix(const CostGraph &graph, Assignment &assignment)
{
  std::vector<Index> rank(graph.n, -1), row;
  for (Index i = 0; i < graph.n; ++i)
    if (assignment.col_of_row[i] >= 0) {
      rank[i] = static_cast<Index>(row.size());
      row.push_back(i);
    }
  const Index count = static_cast<Index>(row.size());
  const CostGraph part = principal_subgraph(graph, rank, count);
  Assignment inner = initial_symmetric_assignment(part);
  const Index matched = augment(part, inner);
  assignment = Assignment(graph.n);
  for (Index k = 0; k < count; ++k) {
    if (inner.col_of_row[k] >= 0)
      assignment.match(row[k], row[inner.col_of_row[k]]);
    assignment.row_dual[row[k]] = inner.row_dual[k];
    assignment.col_dual[row[k]] = inner.col_dual[k];
  }
  return matched;
}

/// Symmetric duals, doubled to stay whole: u + v. An unmatched row meets only matched ones.
std::vector<Cost> doubled_duals(const CostGraph &graph, const Assignment &assignment)
{
  std::vector<Cost> sum(graph.n, 0);
  for (Index i = 0; i < graph.n; ++i)
    sum[i] = assignment.row_dual[i] + assignment.col_dual[i];
  for (Index i = 0; i < graph.n; ++i) {
    if (assignment.col_of_row[i] >= 0)
      continue;
    Cost least = no_cost;
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      least = std::min(least, 2 * Cost(graph.edge[p].cost) - sum[graph.edge[p].col]);
    sum[i] = least;
  }
  return sum;
}

} // namespace

Matching match(const Matrix &a)
{
  double largest = 0;
  Matching result = check(a, largest);
  if (result.status != Matching::Status::success)
    return result;
  const CostGraph graph = cost_graph(a, largest);
  Assignment assignment = initial_assignment(graph);
  result.cardinality = augment(graph, assignment);
  if (result.cardinality < graph.n)
    scale_unmatched(graph, assignment);
  result.row_dual.resize(graph.n);
  result.col_dual.resize(graph.n);
  for (Index i = 0; i < graph.n; ++i) {
    result.row_dual[i] = logarithm(assignment.row_dual[i], 1, graph.log2_max);
    result.col_dual[i] = logarithm(assignment.col_dual[i], 1, graph.log2_max);
  }
  result.column = std::move(assignment.col_of_row);
  return result;
}

Matching match_symmetric(const Matrix &a)
{
  double largest = 0;
  Matching result = check(a, largest);
  if (result.status != Matching::Status::success || match_diagonal(a, result))
    return result;
  const CostGraph graph = cost_graph(a, largest);
  Assignment assignment = initial_symmetric_assignment(graph);
  result.cardinality = augment(graph, assignment);
  if (result.cardinality < graph.n)
    result.cardinality = match_principal_submatrix(graph, assignment);
  const std::vector<Cost> dual = doubled_duals(graph, assignment);
  result.row_dual.resize(graph.n);
  for (Index i = 0; i < graph.n; ++i)
    result.row_dual[i] = dual[i] == no_cost ? 0 : logarithm(dual[i], 2, graph.log2_max);
  result.col_dual = result.row_dual;
  result.column = std::move(assignment.col_of_row);
  return result;
}

} // namespace tessera
