#ifndef TESSERA_FACTOR_FOREST_CUT_HPP
#define TESSERA_FACTOR_FOREST_CUT_HPP

#include "analysis/block_structure.hpp"

namespace tessera {

/// The elimination forest of the blocks, cut into subtrees that are independent of each other and the rows above them.
///
/// Block row b pulls updates from descendants of b only, with any pattern of tiles: a pattern and its complete fill
/// have the same forest. The cut is a function of the structure, never of the number of threads.
struct ForestCut {
  std::vector<Index> parent;        ///< [blocks] or -1 at a root
  std::vector<Index> order;         ///< [blocks] rows of all tasks, then of all segments; children before parents
  std::vector<Index> task_start;    ///< [tasks + 1] a task is one or several whole subtrees; the largest task first
  std::vector<Index> segment_start; ///< [segments + 1] a segment is a path of rows above the subtrees
  std::vector<Index> segment;       ///< [blocks] segment of a row, -1 for a row in a task
  std::vector<Index> segment_level; ///< [segments] longest chain of segments below it; ascending
  std::vector<Index> below;         ///< [segments] rows of tasks and of other segments whose parent is in it

  Index tasks() const { return static_cast<Index>(task_start.size()) - 1; }
  Index segments() const { return static_cast<Index>(segment_start.size()) - 1; }

  /// The segment that waits for row b, or -1: the one of its parent, if it is another one than b's own.
  Index waiting(Index b) const
  {
    const Index above = parent[b] < 0 ? -1 : segment[parent[b]];
    return above == segment[b] ? -1 : above;
  }
};

/// Cuts the forest into subtrees of at most limit work and packs them into tasks of about as much. A segment goes on
/// from a row to its parent while the parent has no other child above the subtrees, so that it could not start before
/// anyway; rows that are `alone` [blocks] are segments of their own.
ForestCut cut_forest(const BlockStructure &structure, const std::vector<double> &work, double limit,
                     const std::vector<bool> &alone);

} // namespace tessera
#endif
