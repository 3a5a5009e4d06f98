#include "analysis/matching/search_state.hpp"

#include <utility>

namespace tessera {

SearchState::SearchState(const CostGraph &graph, Assignment &assignment)
    : graph(graph), assignment(assignment), column(graph.n)
{
  for (Index j = 0; j < graph.n; ++j)
    column[j] = {assignment.col_dual[j], unreached, assignment.row_of_col[j], -1};
}

void SearchState::reach(Index col, Cost distance, Index row)
{
  SearchColumn &c = column[col];
  if (c.distance == unreached)
    touched.push_back(col);
  c.distance = distance;
  c.parent = row;
  queue_.push(col, distance);
}

bool SearchState::next(Cost bound, Cost &reached, Index &col)
{
  return queue_.pop(bound, reached, col, [&](Index j, Cost distance) { return column[j].distance == distance; });
}

void SearchState::update_duals(Cost limit)
{
  for (Index j : taken) {
    const Cost slack = limit - column[j].distance;
    column[j].dual -= slack;
    if (column[j].row >= 0)
      assignment.row_dual[column[j].row] += slack;
  }
}

void SearchState::flip(Index root, Index end)
{
  Index row, col = end;
  do {
    row = column[col].parent;
    column[col].row = row;
    std::swap(assignment.col_of_row[row], col);
  } while (row != root);
}

void SearchState::reset(Cost distance)
{
  for (Index j : touched)
    column[j].distance = distance;
  touched.clear();
  taken.clear();
  queue_.clear();
}

void SearchState::finish()
{
  for (Index j = 0; j < graph.n; ++j) {
    assignment.col_dual[j] = column[j].dual;
    assignment.row_of_col[j] = column[j].row;
  }
}

} // namespace tessera
