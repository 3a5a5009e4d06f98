#include "analysis/matching/search_state.hpp"

namespace tessera {
namespace {

/// Dijkstra's algorithm from all free rows at once, until it has taken as many free columns or has no more to take.
/// Returns how many free columns it took; `reached` gets the distance of the last.
Index reach_free_columns(SearchState &state, const std::vector<Index> &free_row, Cost &reached)
{
  const CostGraph &graph = state.graph;
  const auto scan = [&](Index row) {
    const Cost base = reached - state.assignment.row_dual[row];
    for (Offset p = graph.start[row]; p < graph.start[row + 1]; ++p) {
      const Edge edge = graph.edge[p];
      const Cost distance = base + edge.cost - state.column[edge.col].dual;
      if (distance < state.column[edge.col].distance)
        state.reach(edge.col, distance, row);
    }
    state.edges_scanned += graph.start[row + 1] - graph.start[row];
  };
  reached = 0;
  for (Index i : free_row)
    scan(i);
  const Index count = static_cast<Index>(free_row.size());
  Index found = 0, col;
  while (found < count && state.next(unreached, reached, col)) {
    state.taken.push_back(col);
    if (state.column[col].row < 0)
      ++found;
    else
      scan(state.column[col].row);
  }
  return found;
}

/// Depth-first search for tight paths from free rows to free columns. A column is visited once, whether or not it led
/// to a free one, so that the paths of one round are disjoint.
class TightPaths {
public:
  explicit TightPaths(SearchState &state) : state_(state), next_(state.graph.n) {}

  bool augment_from(Index root)
  {
    enter(root);
    while (!path_.empty()) {
      const Index row = path_.back(), col = advance(row);
      if (col < 0) {
        path_.pop_back();
        continue;
      }
      state_.column[col].parent = row;
      state_.column[col].distance = 0;
      state_.touched.push_back(col);
      if (state_.column[col].row < 0) {
        state_.flip(root, col);
        path_.clear();
        return true;
      }
      enter(state_.column[col].row);
    }
    return false;
  }

private:
  void enter(Index row)
  {
    path_.push_back(row);
    next_[row] = state_.graph.start[row];
  }

  /// The next column of a row by a tight edge that is not visited yet, or -1.
  Index advance(Index row)
  {
    const Cost dual = state_.assignment.row_dual[row];
    while (next_[row] < state_.graph.start[row + 1]) {
      const Edge edge = state_.graph.edge[next_[row]++];
      const SearchColumn &column = state_.column[edge.col];
      if (column.distance == unreached && dual + column.dual == edge.cost)
        return edge.col;
    }
    return -1;
  }

  SearchState &state_;
  std::vector<Offset> next_; ///< next edge of each row on the path
  std::vector<Index> path_;  ///< rows from the root to the current one
};

} // namespace

Index augment_disjoint_paths(SearchState &state)
{
  std::vector<Index> free_row;
  for (Index i = 0; i < state.graph.n; ++i)
    if (state.assignment.col_of_row[i] < 0)
      free_row.push_back(i);
  Cost limit = 0;
  if (reach_free_columns(state, free_row, limit) == 0) {
    state.reset(dead); // none of these rows can ever be matched
    return 0;
  }
  for (Index i : free_row)
    state.assignment.row_dual[i] += limit;
  state.update_duals(limit);
  state.reset(unreached);
  TightPaths paths(state);
  Index matched = 0, round;
  do {
    round = 0;
    for (Index i : free_row)
      round += state.assignment.col_of_row[i] < 0 && paths.augment_from(i);
    state.reset(unreached);
    matched += round;
  } while (round > 0);
  return matched;
}

} // namespace tessera
