#include "analysis/search_state.hpp"

#include <algorithm>

namespace tessera {

SearchState::SearchState(const CostGraph &graph, Assignment &assignment)
    : graph(graph), assignment(assignment), column(graph.n)
{
  for (Index j = 0; j < graph.n; ++j)
    column[j] = {assignment.col_dual[j], unreached, assignment.row_of_col[j], -1};
}

/// Orders a heap with the nearest candidate on top, ties by column for determinism.
bool SearchState::farther(const Candidate &a, const Candidate &b)
{
  return a.distance != b.distance ? a.distance > b.distance : a.col > b.col;
}

void SearchState::reach(Index col, Cost distance, Index row, Cost reached)
{
  SearchColumn &c = column[col];
  if (c.distance == unreached)
    touched.push_back(col);
  c.distance = distance;
  c.parent = row;
  if (distance == reached) {
    level_.push_back(col);
  } else {
    heap_.push_back({distance, col});
    std::push_heap(heap_.begin(), heap_.end(), farther);
  }
}

bool SearchState::next(Cost bound, Cost &reached, Index &col)
{
  if (!level_.empty()) {
    col = level_.back();
    level_.pop_back();
    return true;
  }
  while (!heap_.empty()) {
    const Candidate candidate = heap_.front();
    if (candidate.distance >= bound)
      return false;
    std::pop_heap(heap_.begin(), heap_.end(), farther);
    heap_.pop_back();
    if (candidate.distance != column[candidate.col].distance)
      continue; // reached on a shorter path since
    reached = candidate.distance;
    col = candidate.col;
    return true;
  }
  return false;
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
  level_.clear();
  heap_.clear();
}

void SearchState::finish()
{
  for (Index j = 0; j < graph.n; ++j) {
    assignment.col_dual[j] = column[j].dual;
    assignment.row_of_col[j] = column[j].row;
  }
}

} // namespace tessera
