#include "analysis/augment.hpp"

#include <algorithm>

namespace tessera {
namespace {

constexpr Cost unreached = no_cost;
constexpr Cost dead = -no_cost; ///< distance of a column from which no free column can be reached any more

/// What a search needs to know of a column, together in memory because edges reach columns in no order.
struct Column {
  Cost dual;
  Cost distance; ///< length of the shortest alternating path found from the root
  Index row;     ///< matched row or -1
  Index parent;  ///< row before this column on that path
};

struct Candidate {
  Cost distance;
  Index col;
};

/// Orders a heap with the nearest candidate on top, ties by column for determinism.
struct Farther {
  bool operator()(const Candidate &a, const Candidate &b) const
  {
    return a.distance != b.distance ? a.distance > b.distance : a.col > b.col;
  }
};

/// Dijkstra's algorithm on the alternating paths from one free row.
class Search {
public:
  Search(const CostGraph &graph, Assignment &assignment);

  /// Augments along a shortest path from the free row root to a free column; false if there is none.
  bool augment_from(Index root);

  /// Writes the columns' duals and rows back to the assignment.
  void finish();

private:
  bool scan(Index row, Cost reached);
  bool next(Cost &reached, Index &col);
  void update_duals(Index root);
  void flip(Index root);
  void reset(Cost distance);

  const CostGraph &graph_;
  Assignment &assignment_;
  std::vector<Column> column_;
  std::vector<Candidate> heap_; ///< reached columns farther than the current one; some outdated
  std::vector<Index> level_;    ///< reached columns just as far as the current one
  std::vector<Index> touched_;  ///< columns with a distance
  std::vector<Index> scanned_;  ///< columns whose matched row was scanned, by distance
  Cost bound_ = unreached;      ///< distance of the nearest free column found
  Index end_ = -1;              ///< that column
};

Search::Search(const CostGraph &graph, Assignment &assignment)
    : graph_(graph), assignment_(assignment), column_(graph.n)
{
  for (Index j = 0; j < graph.n; ++j)
    column_[j] = {assignment.col_dual[j], unreached, assignment.row_of_col[j], -1};
}

/// Reaches columns from a row at distance `reached`. True if that ends the search: a free column just as far.
bool Search::scan(Index row, Cost reached)
{
  const Cost base = reached - assignment_.row_dual[row];
  for (Offset p = graph_.start[row]; p < graph_.start[row + 1]; ++p) {
    const Edge edge = graph_.edge[p];
    Column &column = column_[edge.col];
    const Cost distance = base + edge.cost - column.dual;
    if (distance >= bound_ || distance >= column.distance)
      continue;
    column.parent = row;
    if (column.row < 0) {
      bound_ = distance;
      end_ = edge.col;
      if (distance == reached)
        return true;
      continue;
    }
    if (column.distance == unreached)
      touched_.push_back(edge.col);
    column.distance = distance;
    if (distance == reached) {
      level_.push_back(edge.col);
    } else {
      heap_.push_back({distance, edge.col});
      std::push_heap(heap_.begin(), heap_.end(), Farther());
    }
  }
  return false;
}

/// The nearest column not yet scanned. False if there is none nearer than the best free column.
bool Search::next(Cost &reached, Index &col)
{
  if (!level_.empty()) {
    col = level_.back();
    level_.pop_back();
    return true;
  }
  while (!heap_.empty()) {
    const Candidate candidate = heap_.front();
    if (candidate.distance >= bound_)
      return false;
    std::pop_heap(heap_.begin(), heap_.end(), Farther());
    heap_.pop_back();
    if (candidate.distance != column_[candidate.col].distance)
      continue; // reached on a shorter path since
    reached = candidate.distance;
    col = candidate.col;
    return true;
  }
  return false;
}

/// Makes the shortest path tight and keeps all reduced costs nonnegative.
void Search::update_duals(Index root)
{
  assignment_.row_dual[root] += bound_;
  for (Index j : scanned_) {
    const Cost slack = bound_ - column_[j].distance;
    column_[j].dual -= slack;
    assignment_.row_dual[column_[j].row] += slack;
  }
}

/// Exchanges matched and unmatched edges on the path from root to the free column.
void Search::flip(Index root)
{
  Index row, col = end_;
  do {
    row = column_[col].parent;
    column_[col].row = row;
    std::swap(assignment_.col_of_row[row], col);
  } while (row != root);
}

void Search::reset(Cost distance)
{
  for (Index j : touched_)
    column_[j].distance = distance;
  touched_.clear();
  scanned_.clear();
  level_.clear();
  heap_.clear();
  bound_ = unreached;
}

bool Search::augment_from(Index root)
{
  Cost reached = 0;
  Index row = root, col;
  while (!scan(row, reached) && next(reached, col)) {
    scanned_.push_back(col);
    row = column_[col].row;
  }
  if (bound_ == unreached) {
    // All edges of the rows scanned lead to columns matched among these rows, and no augmentation changes that.
    reset(dead);
    return false;
  }
  update_duals(root);
  flip(root);
  reset(unreached);
  return true;
}

void Search::finish()
{
  for (Index j = 0; j < graph_.n; ++j) {
    assignment_.col_dual[j] = column_[j].dual;
    assignment_.row_of_col[j] = column_[j].row;
  }
}

} // namespace

Index augment(const CostGraph &graph, Assignment &assignment)
{
  Search search(graph, assignment);
  Index matched = 0;
  for (Index i = 0; i < graph.n; ++i)
    matched += assignment.col_of_row[i] >= 0 || search.augment_from(i);
  search.finish();
  return matched;
}

} // namespace tessera
