#ifndef TESSERA_ANALYSIS_MATCHING_AUGMENT_HPP
#define TESSERA_ANALYSIS_MATCHING_AUGMENT_HPP

#include "analysis/matching/costs.hpp"

namespace tessera {

/// A matching of rows to columns together with its dual variables. Throughout, every edge has
/// reduced cost cost - row_dual - col_dual >= 0, and matched edges are tight: reduced cost 0.
struct Assignment {
  std::vector<Index> col_of_row; ///< [n] or -1
  std::vector<Index> row_of_col; ///< [n] or -1
  std::vector<Cost> row_dual;    ///< [n]
  std::vector<Cost> col_dual;    ///< [n]

  /// Nothing matched and all duals zero.
  explicit Assignment(Index n) : col_of_row(n, -1), row_of_col(n, -1), row_dual(n, 0), col_dual(n, 0) {}

  void match(Index row, Index col)
  {
    col_of_row[row] = col;
    row_of_col[col] = row;
  }
};

/// Extends the assignment to one of maximum cardinality by shortest augmenting paths, one Dijkstra search from each
/// free row (Duff & Koster 2001, sections 3 and 4) and, where these get long, now and then a search from all free rows
/// (see augment_disjoint_paths), and returns the number of matched rows. A perfect matching (n rows) is optimal: of
/// minimum cost, that is of maximum product. Of a smaller one only the cardinality means something: edges into columns
/// from which no free column can be reached are left out of the duals.
Index augment(const CostGraph &graph, Assignment &assignment);

} // namespace tessera
#endif
