#include "analysis/matching/matching.hpp"

#include "analysis/input/diagonal.hpp"
#include "analysis/matching/augment_symmetric.hpp"
#include "analysis/matching/initial_assignment.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

Matching start_result(const MatrixCheck &check)
{
  Matching result;
  result.status = check.status;
  result.faulty_row = check.faulty_row;
  return result;
}

/// Duals in units to base-2 logarithms; 0 for no_cost, the dual of an empty row. The costs are relative to the largest
/// entry of the matrix, of which each side takes half.
double logarithm(Cost dual, double log2_max)
{
  return dual == no_cost ? 0 : static_cast<double>(dual) / static_cast<double>(cost_unit) - log2_max / 2;
}

/// Makes the largest scaled entry of unmatched rows and columns 1. The two share no entry, or the matching would not be
/// of maximum cardinality. Empty rows and columns get no_cost.
void scale_unmatched(const CostGraph &graph, Assignment &assignment)
{
  std::vector<Cost> least(graph.n, no_cost);
  for (Index i = 0; i < graph.n; ++i) {
    const bool matched = assignment.col_of_row[i] >= 0;
    Cost u = no_cost;
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p) {
      const Edge &edge = graph.edge[p];
      if (!matched)
        u = std::min(u, edge.cost - assignment.col_dual[edge.col]);
      else if (assignment.row_of_col[edge.col] < 0)
        least[edge.col] = std::min(least[edge.col], edge.cost - assignment.row_dual[i]);
    }
    if (!matched)
      assignment.row_dual[i] = u;
  }
  for (Index j = 0; j < graph.n; ++j)
    if (assignment.row_of_col[j] < 0)
      assignment.col_dual[j] = least[j];
}

/// If the diagonal alone is optimal, its square roots are the scaling and prove it: |a_ij| <= sqrt|a_ii| sqrt|a_jj|.
/// Returns false otherwise. Allows the error that rounding the logarithms allows.
bool match_diagonal(const Matrix &a, Matching &result)
{
  constexpr double smallest = 0x1p-960; // the product of two roots then has all its digits
  const Index n = a.pattern.rows;
  std::vector<double> root(n);
  for (Index i = 0; i < n; ++i) {
    const double diagonal = std::abs(diagonal_entry(a, i));
    if (diagonal < smallest)
      return false;
    root[i] = std::sqrt(diagonal);
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

/// The places of some rows or columns in a submatrix.
struct Selection {
  std::vector<Index> place;  ///< [n] or -1
  std::vector<Index> member; ///< the ones selected

  /// Those with a match.
  explicit Selection(const std::vector<Index> &match) : place(match.size(), -1)
  {
    for (size_t i = 0; i < match.size(); ++i)
      if (match[i] >= 0) {
        place[i] = static_cast<Index>(member.size());
        member.push_back(static_cast<Index>(i));
      }
  }
};

CostGraph subgraph(const CostGraph &graph, const Selection &rows, const Selection &cols)
{
  CostGraph matched;
  matched.n = static_cast<Index>(rows.member.size());
  matched.start.reserve(matched.n + 1);
  matched.start.push_back(0);
  for (Index i : rows.member) {
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      if (cols.place[graph.edge[p].col] >= 0)
        matched.edge.push_back({cols.place[graph.edge[p].col], graph.edge[p].cost});
    matched.start.push_back(static_cast<Offset>(matched.edge.size()));
  }
  return matched;
}

/// The optimal assignment of the graph. In a structurally singular one the rows and columns that a first matching
/// found are matched anew among themselves, because only a perfect matching has duals for all of their edges.
Assignment assign(const CostGraph &graph, Index &cardinality)
{
  Assignment whole = initial_assignment(graph);
  cardinality = augment(graph, whole);
  if (cardinality == graph.n)
    return whole;
  const Selection rows(whole.col_of_row), cols(whole.row_of_col);
  const CostGraph matched = subgraph(graph, rows, cols);
  Assignment inner = initial_assignment(matched);
  cardinality = augment(matched, inner);
  whole = Assignment(graph.n);
  for (Index k = 0; k < matched.n; ++k) {
    if (inner.col_of_row[k] >= 0)
      whole.match(rows.member[k], cols.member[inner.col_of_row[k]]);
    whole.row_dual[rows.member[k]] = inner.row_dual[k];
    whole.col_dual[cols.member[k]] = inner.col_dual[k];
  }
  scale_unmatched(graph, whole);
  return whole;
}

} // namespace

Matching match(const Matrix &a)
{
  const MatrixCheck check = check_matrix(a);
  Matching result = start_result(check);
  if (check.status != MatrixStatus::usable)
    return result;
  const CostGraph graph = cost_graph(a, check.largest);
  Assignment assignment = assign(graph, result.cardinality);
  result.row_dual.resize(graph.n);
  result.col_dual.resize(graph.n);
  for (Index i = 0; i < graph.n; ++i) {
    result.row_dual[i] = logarithm(assignment.row_dual[i], graph.log2_max);
    result.col_dual[i] = logarithm(assignment.col_dual[i], graph.log2_max);
  }
  result.column = std::move(assignment.col_of_row);
  return result;
}

Matching match_symmetric(const Matrix &a)
{
  const MatrixCheck check = check_matrix(a);
  Matching result = start_result(check);
  if (check.status != MatrixStatus::usable || match_diagonal(a, result))
    return result;
  const CostGraph graph = cost_graph(a, check.largest);
  Assignment assignment(graph.n);
  const MatchingOutcome outcome = augment_symmetric(graph, assignment);
  result.cardinality = outcome.cardinality;
  result.excess = static_cast<double>(outcome.excess) / cost_unit;
  if (result.cardinality < graph.n)
    scale_unmatched(graph, assignment);
  result.row_dual.resize(graph.n);
  for (Index i = 0; i < graph.n; ++i)
    result.row_dual[i] = logarithm(assignment.row_dual[i], graph.log2_max);
  result.col_dual = result.row_dual;
  result.column = std::move(assignment.col_of_row);
  return result;
}

} // namespace tessera
