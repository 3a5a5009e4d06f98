#ifndef TESSERA_ANALYSIS_SYMBOLIC_FOREST_CUT_HPP
#define TESSERA_ANALYSIS_SYMBOLIC_FOREST_CUT_HPP

#include "base/bytes.hpp"
#include "base/types.hpp"

namespace tessera {

/// A forest of vertices of which each waits for its descendants, cut into subtrees that are independent of each other
/// and the vertices above them. The cut is a function of the forest and its work, never of the number of threads.
///
/// The vertices may be block rows and the forest their elimination forest: a row pulls updates from its descendants
/// only, with any pattern of tiles, as a pattern and its complete fill have the same forest. Or they are the fronts of
/// a multifrontal factorization and the forest is their assembly tree.
struct ForestCut {
  std::vector<Index> parent;        ///< [n] above the vertex itself, or -1 at a root
  std::vector<Index> order;         ///< [n] vertices of all tasks, then of all segments; children before parents
  std::vector<Index> task_start;    ///< [tasks + 1] a task is one or several whole subtrees; the largest task first
  std::vector<Index> segment_start; ///< [segments + 1] a segment is a path of vertices above the subtrees
  std::vector<Index> segment;       ///< [n] segment of a vertex, -1 for one in a task
  std::vector<Index> segment_level; ///< [segments] longest chain of segments below it; ascending
  std::vector<Index> below;         ///< [segments] vertices of tasks and of other segments whose parent is in it

  Index tasks() const { return static_cast<Index>(task_start.size()) - 1; }
  Index segments() const { return static_cast<Index>(segment_start.size()) - 1; }
  Offset bytes() const { return bytes_of_all(parent, order, task_start, segment_start, segment, segment_level, below); }

  /// The segment that waits for vertex v, or -1: the one of its parent, if it is another one than v's own.
  Index waiting(Index v) const
  {
    const Index above = parent[v] < 0 ? -1 : segment[parent[v]];
    return above == segment[v] ? -1 : above;
  }
};

/// Cuts a forest with parent[v] > v or -1 into subtrees of at most `limit` work and packs them into tasks of about as
/// much. A segment goes on from a vertex to its parent while the parent has no other child above the subtrees, so that
/// it could not start before anyway; vertices that are `alone` [n] are segments of their own. work[v] >= 0: of v
/// itself.
ForestCut cut_forest(std::vector<Index> parent, const std::vector<double> &work, double limit,
                     const std::vector<bool> &alone);

} // namespace tessera
#endif
