#include "analysis/matching/augment.hpp"

#include "analysis/matching/search_state.hpp"

namespace tessera {
namespace {

/// When searches from single rows have scanned this many times the graph's edges, one search from all rows is due. Such
/// a search takes about as long as they did, so that neither kind costs much more than the better of the two would.
constexpr Offset scans_before_disjoint_paths = 3;

/// Dijkstra's algorithm from one free row to the nearest free column.
class ShortestPath {
public:
  explicit ShortestPath(SearchState &state) : state_(state) {}

  /// Augments along the shortest path from the free row root to a free column; false if there is none.
  bool augment_from(Index root)
  {
    length_ = unreached;
    Cost reached = 0;
    Index row = root, col;
    while (!scan(row, reached) && state_.next(length_, reached, col)) {
      state_.taken.push_back(col);
      row = state_.column[col].row;
    }
    if (length_ == unreached) {
      // All edges of the rows scanned lead to columns matched among these rows, and no augmentation changes that.
      state_.reset(dead);
      return false;
    }
    state_.assignment.row_dual[root] += length_;
    state_.update_duals(length_);
    state_.flip(root, end_);
    state_.reset(unreached);
    return true;
  }

private:
  /// Reaches columns from a row at distance `reached`. True if that ends the search: a free column just as far.
  bool scan(Index row, Cost reached)
  {
    const CostGraph &graph = state_.graph;
    state_.edges_scanned += graph.start[row + 1] - graph.start[row];
    const Cost base = reached - state_.assignment.row_dual[row];
    for (Offset p = graph.start[row]; p < graph.start[row + 1]; ++p) {
      const Edge edge = graph.edge[p];
      SearchColumn &column = state_.column[edge.col];
      const Cost distance = base + edge.cost - column.dual;
      if (distance >= length_ || distance >= column.distance)
        continue;
      if (column.row >= 0) {
        state_.reach(edge.col, distance, row);
        continue;
      }
      column.parent = row;
      length_ = distance;
      end_ = edge.col;
      if (distance == reached)
        return true;
    }
    return false;
  }

  SearchState &state_;
  Cost length_ = unreached; ///< of the shortest path to a free column found
  Index end_ = -1;          ///< that column
};

} // namespace

Index augment(const CostGraph &graph, Assignment &assignment)
{
  SearchState state(graph, assignment);
  ShortestPath search(state);
  const Offset budget = scans_before_disjoint_paths * graph.start[graph.n];
  Offset limit = budget;
  Index matched = 0;
  for (Index i = 0; i < graph.n; ++i) {
    if (assignment.col_of_row[i] < 0 && state.edges_scanned > limit) {
      augment_disjoint_paths(state);
      limit = state.edges_scanned + budget;
    }
    if (assignment.col_of_row[i] < 0)
      search.augment_from(i);
  }
  for (Index i = 0; i < graph.n; ++i)
    matched += assignment.col_of_row[i] >= 0;
  state.finish();
  return matched;
}

} // namespace tessera
