#ifndef TESSERA_ANALYSIS_MATCHING_SYMMETRIC_SEARCH_HPP
#define TESSERA_ANALYSIS_MATCHING_SYMMETRIC_SEARCH_HPP

#include "analysis/matching/augment.hpp"
#include "analysis/matching/nearest_queue.hpp"

#include <cstddef>

namespace tessera {

/// Shortest augmenting paths in a symmetric graph whose row and column duals are equal.
///
/// A matching of a symmetric matrix is kept as loops (a row matched to its own column), pairs and odd cycles: a basic
/// solution of the fractional matching problem of the graph on the rows, whose optimum is that of the bipartite graph
/// of rows and columns (Balinski 1965; Applegate & Cook 1993 start with it). A search from a free row takes paths that
/// alternate between unmatched edges and pairs. A row at an even place of such a path ("outer") acts as a row of the
/// bipartite graph, one at an odd place ("inner") as a column. A path from a row to its own column, which every search
/// of the bipartite graph looks for, has a mirror image, and both meet in the middle: at another free row, at a loop or
/// odd cycle, which a path may break up, or at an edge between two outer rows, which closes an odd cycle. So the
/// search ends at half the length, and what it finds stands for two paths of the bipartite graph. Odd cycles are not
/// contracted.
///
/// Costs are even, which keeps the duals whole: along tight edges all have the parity of the root's dual.
///
/// All of this is for symmetric costs. With any others the search ends as well, and what it leaves is a matching of the
/// same kind, but not the best one: a row that a search has passed gets no shorter path, so that each one's path to the
/// root consists of rows passed before it, and duals have bounds.
class SymmetricSearch {
public:
  static constexpr Offset no_limit = INT64_MAX;

  /// Continues from an assignment with equal row and column duals, of loops and pairs and free rows.
  SymmetricSearch(const CostGraph &graph, const Assignment &start);

  /// Matches the free row `root`, and maybe another free row with it, by Dijkstra's algorithm. Returns false if there
  /// is no augmenting path from it: then there never will be. Having scanned `limit` edges it takes the best path that
  /// it knows, or the first one that it finds. That path need not be tight: then matched edges have reduced costs,
  /// which no other search changes. Those of all edges stay nonnegative.
  bool augment_from(Index root, Offset limit = no_limit);

  bool is_free(Index row) const { return vertex_[row].next < 0; }

  Offset edges_scanned() const { return edges_scanned_; } ///< since the start, to weigh searches against each other

  /// Makes the duals feasible again for all edges between matched rows, after searches that found no path: later ones
  /// left out what these had reached. To be called after the last search.
  void settle();

  /// The assignment reached; returns the number of matched rows.
  Index result(Assignment &assignment) const;

private:
  /// A row and its column, together in memory because edges reach them in no order.
  struct Vertex {
    Cost dual;
    Cost inner;     ///< distance from the root as a column, `unreached` or `dead`
    Cost outer;     ///< distance as a row
    Index next;     ///< column matched to this row, -1 for a free one
    Index previous; ///< row matched to this column
    Index parent;   ///< outer row before it on the path that made it inner

    bool is_outer() const { return outer != unreached; }
  };
  static constexpr Cost unreached = no_cost;
  static constexpr Cost dead = -no_cost;            ///< distance of a column from which no path leads out any more
  static constexpr Cost largest_dual = no_cost / 4; ///< more than those of symmetric costs; sums of a few are whole

  bool in_pair(Index v) const;
  bool take_next(Cost &reached, Index &v);
  bool scan(Index row, Cost reached);
  void end_at(Cost length, Index from, Index to);
  void change_dual(Index v, Cost by);
  void update_duals(Index root, Cost radius);
  void reset(Cost inner);
  void shift_duals(std::size_t begin, std::size_t end);
  void match(Index a, Index b);
  void path_to_root(Index outer, std::vector<Index> &path) const;
  void flip(const std::vector<Index> &path);
  void open_cycle(Index v);
  void close_cycle(Index a, Index b);

  const CostGraph &graph_;
  std::vector<Vertex> vertex_;
  NearestQueue<Ties::oldest_first> queue_; ///< vertices reached as columns and not yet taken
  std::vector<Index> taken_;               ///< inner vertices the search went on from, by distance
  std::vector<Index> touched_;             ///< vertices with a distance
  std::vector<Index> dead_;           ///< inner vertices of the searches that found no path, one search after the other
  std::vector<std::size_t> dead_end_; ///< [searches without a path] where each of them ends in dead_
  std::vector<Index> path_, other_path_;
  Cost length_ = unreached; ///< of the shortest path found, from the root to where it meets its mirror image
  Index from_ = -1;         ///< last outer row of that path
  Index to_ = -1;           ///< free row, loop, row of a cycle, or outer row that it leads to
  Offset edges_scanned_ = 0;
};

} // namespace tessera
#endif
