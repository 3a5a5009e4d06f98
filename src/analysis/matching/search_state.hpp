#ifndef TESSERA_ANALYSIS_MATCHING_SEARCH_STATE_HPP
#define TESSERA_ANALYSIS_MATCHING_SEARCH_STATE_HPP

#include "analysis/matching/augment.hpp"
#include "analysis/matching/nearest_queue.hpp"

namespace tessera {

constexpr Cost unreached = no_cost;
constexpr Cost dead = -no_cost; ///< distance of a column from which no free column can be reached any more

/// What the searches of `augment` need to know of a column, together in memory because edges reach columns in no order.
struct SearchColumn {
  Cost dual;
  Cost distance; ///< length of the shortest alternating path found, by reduced costs
  Index row;     ///< matched row or -1
  Index parent;  ///< row before this column on that path
};

/// The state of Dijkstra's algorithm on alternating paths that start from free rows: distances, the queue of columns
/// reached, and what a search does to the assignment in the end. Columns' duals and rows live here until finish().
struct SearchState {
  SearchState(const CostGraph &graph, Assignment &assignment);

  /// Notes that `col` is reached at `distance` from `row`, which itself is not farther away.
  void reach(Index col, Cost distance, Index row);

  /// The nearest column reached but not yet taken, and its distance. False if there is none nearer than bound.
  bool next(Cost bound, Cost &reached, Index &col);

  /// Makes shortest paths up to length `limit` tight: the duals of columns in `taken` and of their matched rows move by
  /// what their distance falls short of it, those of the roots (left to the caller) by all of it. No reduced cost
  /// becomes negative.
  void update_duals(Cost limit);

  /// Exchanges matched and unmatched edges on the path of parents from the free row root to the free column end.
  void flip(Index root, Index end);

  /// Forgets the search; all columns reached get this distance: unreached or dead.
  void reset(Cost distance);

  /// Writes the columns' duals and rows back to the assignment.
  void finish();

  const CostGraph &graph;
  Assignment &assignment;
  std::vector<SearchColumn> column;
  std::vector<Index> taken;   ///< columns the search went on from, by distance
  std::vector<Index> touched; ///< columns reached
  Offset edges_scanned = 0;   ///< since the start, to weigh kinds of search against each other

private:
  NearestQueue<Ties::newest_first> queue_; ///< columns reached and not yet taken
};

/// Matches as many free rows at once as one search from all of them allows: Dijkstra's algorithm until every free
/// column is reached (or no more can be) makes a path of tight edges to each of these columns; then disjoint tight
/// paths are found depth first. Optimality is as in `augment`. Worth its passes over the whole graph when many searches
/// from single rows would cover most of it. Returns the number of rows matched.
Index augment_disjoint_paths(SearchState &state);

} // namespace tessera
#endif
