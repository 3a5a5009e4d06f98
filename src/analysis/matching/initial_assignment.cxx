#include "analysis/matching/initial_assignment.hpp"

#include <algorithm>

namespace tessera {
namespace {

/// Row minima, then what they leave to the columns, then what these leave to the rows. Starting from the rows keeps one
/// dense row of large entries from setting the duals of all columns.
void set_minimum_duals(const CostGraph &graph, Assignment &assignment)
{
  std::vector<Cost> &u = assignment.row_dual, &v = assignment.col_dual;
  std::fill(v.begin(), v.end(), no_cost);
  for (Index i = 0; i < graph.n; ++i) {
    Cost least = no_cost;
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      least = std::min<Cost>(least, graph.edge[p].cost);
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      v[graph.edge[p].col] = std::min(v[graph.edge[p].col], graph.edge[p].cost - least);
  }
  std::replace(v.begin(), v.end(), no_cost, Cost(0));
#pragma omp parallel for schedule(static) if (graph.start[graph.n] > parallel_entries)
  for (Index i = 0; i < graph.n; ++i) {
    Cost least = no_cost;
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      least = std::min(least, graph.edge[p].cost - v[graph.edge[p].col]);
    u[i] = least == no_cost ? 0 : least;
  }
}

/// Matches rows to free columns by tight edges; a row that finds none may push one matched row to another column.
class GreedyMatching {
public:
  GreedyMatching(const CostGraph &graph, Assignment &assignment)
      : graph_(graph), assignment_(assignment), next_(graph.start.begin(), graph.start.end() - 1)
  {
  }

  void match_row(Index row)
  {
    const Index col = free_column(row);
    if (col >= 0) {
      assignment_.match(row, col);
      return;
    }
    for (Offset p = graph_.start[row]; p < graph_.start[row + 1]; ++p) {
      if (!tight(row, graph_.edge[p]))
        continue;
      const Index owner = assignment_.row_of_col[graph_.edge[p].col], other = free_column(owner);
      if (other < 0)
        continue;
      assignment_.match(owner, other);
      assignment_.match(row, graph_.edge[p].col);
      return;
    }
  }

private:
  bool tight(Index row, const Edge &edge) const
  {
    return assignment_.row_dual[row] + assignment_.col_dual[edge.col] == edge.cost;
  }

  /// The next free column of a row; columns never become free again, so each edge is passed once.
  Index free_column(Index row)
  {
    for (Offset &p = next_[row]; p < graph_.start[row + 1]; ++p)
      if (assignment_.row_of_col[graph_.edge[p].col] < 0 && tight(row, graph_.edge[p]))
        return graph_.edge[p].col;
    return -1;
  }

  const CostGraph &graph_;
  Assignment &assignment_;
  std::vector<Offset> next_; ///< edges of each row before this one lead to no free column
};

/// Symmetric duals y with y_i + y_j <= c_ij.
class SymmetricDuals {
public:
  /// The row that gives way where an edge does not allow both ends their diagonals.
  enum class GivesWay { weaker, stronger };

  /// Rows without a diagonal have duals up to half_missing.
  SymmetricDuals(const CostGraph &graph, GivesWay gives_way, Cost half_missing)
      : graph_(graph), gives_way_(gives_way), half_diagonal_(graph.n, half_missing), weakness_(graph.n, no_cost),
        y_(graph.n, 0)
  {
    measure_diagonal();
#pragma omp parallel for schedule(static) if (graph_.start[graph_.n] > parallel_entries)
    for (Index i = 0; i < graph_.n; ++i)
      y_[i] = start(i);
    for (Index i = 0; i < graph_.n; ++i)
      y_[i] = raised(i);
  }

  const std::vector<Cost> &values() const
  {
    return y_;
  }

  /// What row i lacks to a tight diagonal.
  Cost slack(Index i) const
  {
    return half_diagonal_[i] - y_[i];
  }

  bool tight_diagonal(Index i) const
  {
    return weakness_[i] != no_cost && slack(i) == 0;
  }

private:
  void measure_diagonal()
  {
#pragma omp parallel for schedule(static) if (graph_.start[graph_.n] > parallel_entries)
    for (Index i = 0; i < graph_.n; ++i) {
      Cost least = no_cost, diagonal = no_cost;
      for (Offset p = graph_.start[i]; p < graph_.start[i + 1]; ++p) {
        least = std::min<Cost>(least, graph_.edge[p].cost);
        if (graph_.edge[p].col == i)
          diagonal = graph_.edge[p].cost;
      }
      if (diagonal == no_cost)
        continue;
      half_diagonal_[i] = diagonal / 2;
      weakness_[i] = diagonal - least;
    }
  }

  /// Half the diagonal cost, which makes the diagonal tight, where no edge forbids it. Where one does, the row whose
  /// diagonal is weaker (or stronger) beside its largest entry gives way; of equals, both do.
  Cost start(Index i) const
  {
    Cost y = half_diagonal_[i];
    for (Offset p = graph_.start[i]; p < graph_.start[i + 1]; ++p) {
      const Index j = graph_.edge[p].col;
      const Cost c = graph_.edge[p].cost;
      if (j == i || c >= half_diagonal_[i] + half_diagonal_[j])
        continue;
      if (weakness_[i] == weakness_[j])
        y = std::min(y, c / 2);
      else if ((weakness_[i] > weakness_[j]) == (gives_way_ == GivesWay::weaker))
        y = std::min(y, c - half_diagonal_[j]);
    }
    return y == no_cost ? 0 : y;
  }

  /// As large as the duals of the other rows allow. After one sweep every row has a tight edge and every edge, whatever
  /// the start, is feasible.
  Cost raised(Index i) const
  {
    Cost y = half_diagonal_[i];
    for (Offset p = graph_.start[i]; p < graph_.start[i + 1]; ++p)
      if (graph_.edge[p].col != i)
        y = std::min(y, graph_.edge[p].cost - y_[graph_.edge[p].col]);
    return y == no_cost ? 0 : y;
  }

  const CostGraph &graph_;
  const GivesWay gives_way_;
  std::vector<Cost> half_diagonal_; ///< half the cost of the diagonal entry, half_missing without one
  std::vector<Cost> weakness_;      ///< cost of the diagonal above that of the row's largest entry
  std::vector<Cost> y_;
};

/// Karp-Sipser matching of the graph of tight edges, where a tight diagonal is a loop.
class TightGraphMatching {
public:
  TightGraphMatching(const CostGraph &graph, Assignment &assignment)
      : graph_(graph), assignment_(assignment), degree_(graph.n, 0), loop_(graph.n, false)
  {
#pragma omp parallel for schedule(static) if (graph.start[graph.n] > parallel_entries)
    for (Index i = 0; i < graph.n; ++i)
      for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
        if (tight(i, graph.edge[p])) {
          ++degree_[i];
          loop_[i] |= graph.edge[p].col == i;
        }
  }

  void match_all()
  {
    for (Index i = 0; i < graph_.n; ++i)
      if (degree_[i] == 1)
        forced_.push_back(i);
    match_forced();
    for (Index i = 0; i < graph_.n; ++i) {
      if (!free(i) || loop_[i])
        continue;
      match_vertex(i);
      match_forced();
    }
    for (Index i = 0; i < graph_.n; ++i)
      if (free(i) && loop_[i])
        assignment_.match(i, i);
  }

private:
  bool tight(Index i, const Edge &edge) const
  {
    return assignment_.row_dual[i] + assignment_.row_dual[edge.col] == edge.cost;
  }

  bool free(Index i) const
  {
    return assignment_.col_of_row[i] < 0;
  }

  void match_forced()
  {
    while (!forced_.empty()) {
      const Index i = forced_.back();
      forced_.pop_back();
      if (free(i))
        match_vertex(i);
    }
  }

  /// Matches i to the free neighbour that has the fewest choices itself, or to none if there is none.
  void match_vertex(Index i)
  {
    Index best = -1;
    for (Offset p = graph_.start[i]; p < graph_.start[i + 1]; ++p) {
      const Index j = graph_.edge[p].col;
      if (free(j) && tight(i, graph_.edge[p]) && (best < 0 || degree_[j] < degree_[best]))
        best = j;
    }
    if (best < 0)
      return;
    assignment_.match(i, best);
    assignment_.match(best, i);
    withdraw(i);
    if (best != i)
      withdraw(best);
  }

  /// Takes a matched vertex out of the choices of its neighbours.
  void withdraw(Index i)
  {
    for (Offset p = graph_.start[i]; p < graph_.start[i + 1]; ++p) {
      const Index j = graph_.edge[p].col;
      if (free(j) && tight(i, graph_.edge[p]) && --degree_[j] == 1)
        forced_.push_back(j);
    }
  }

  const CostGraph &graph_;
  Assignment &assignment_;
  std::vector<Index> degree_; ///< free vertices, itself included, that a free vertex can be matched to
  std::vector<char> loop_;    ///< tight diagonal
  std::vector<Index> forced_; ///< vertices with one choice left
};

} // namespace

Assignment initial_assignment(const CostGraph &graph)
{
  Assignment assignment(graph.n);
  set_minimum_duals(graph, assignment);
  GreedyMatching greedy(graph, assignment);
  for (Index i = 0; i < graph.n; ++i)
    greedy.match_row(i);
  return assignment;
}

SymmetricStart diagonals_first(const CostGraph &graph)
{
  SymmetricStart start{Assignment(graph.n), {}};
  Assignment &assignment = start.assignment;
  assignment.row_dual = SymmetricDuals(graph, SymmetricDuals::GivesWay::weaker, no_cost).values();
  assignment.col_dual = assignment.row_dual;
  TightGraphMatching(graph, assignment).match_all();
  for (Index i = 0; i < graph.n; ++i)
    if (assignment.col_of_row[i] < 0)
      start.order.push_back(i);
  return start;
}

SymmetricStart diagonals_last(const CostGraph &graph)
{
  SymmetricStart start{Assignment(graph.n), {}};
  Cost largest = 0;
  for (const Edge &edge : graph.edge)
    largest = std::max<Cost>(largest, edge.cost);
  const SymmetricDuals duals(graph, SymmetricDuals::GivesWay::stronger, 2 * largest);
  start.assignment.row_dual = start.assignment.col_dual = duals.values();
  for (Index i = 0; i < graph.n; ++i) {
    if (duals.tight_diagonal(i))
      start.assignment.match(i, i);
    else
      start.order.push_back(i);
  }
  std::stable_sort(start.order.begin(), start.order.end(),
                   [&](Index i, Index j) { return duals.slack(i) > duals.slack(j); });
  return start;
}

} // namespace tessera
