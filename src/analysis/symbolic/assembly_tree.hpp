#ifndef TESSERA_ANALYSIS_SYMBOLIC_ASSEMBLY_TREE_HPP
#define TESSERA_ANALYSIS_SYMBOLIC_ASSEMBLY_TREE_HPP

#include "analysis/ordering/compress.hpp"
#include "analysis/symbolic/supernodes.hpp"
#include "base/task_loop.hpp"

#include <cstdint>

namespace tessera {

/// The fronts of a multifrontal factorization (Duff & Reid 1983). Rows are named by their place in the elimination
/// order. Front s eliminates its own columns first[s] .. first[s + 1] - 1. Its rows are these and the rows below them;
/// "place" is the number of a row in its front, own columns first. What a front contributes goes to the front of its
/// parent.
struct AssemblyTree {
  std::vector<Index> perm;         ///< [rows] row perm[i] of the matrix is eliminated as the i-th
  std::vector<std::uint8_t> pair;  ///< [rows] 1: row i and row i + 1 are a matched pair
  std::vector<Index> first;        ///< [fronts + 1]
  std::vector<Index> parent;       ///< [fronts] parent[s] > s in postorder; -1 at a root
  std::vector<Index> child_start;  ///< [fronts + 1]
  std::vector<Index> child;        ///< children of front s: child[child_start[s]] .., ascending
  std::vector<Offset> below_start; ///< [fronts + 1]
  std::vector<Index> below;        ///< rows below the own columns of front s: below[below_start[s]] .., ascending
  std::vector<Index> to_parent;    ///< [below] place of that row in the front of the parent

  Index rows() const { return static_cast<Index>(perm.size()); }
  Index fronts() const { return static_cast<Index>(first.size()) - 1; }
  Index columns(Index s) const { return first[s + 1] - first[s]; }
  Index below_rows(Index s) const { return static_cast<Index>(below_start[s + 1] - below_start[s]); }
  /// Fronts of the subtree of s are this one .. s.
  Index first_of_subtree(Index s) const
  {
    while (child_start[s] < child_start[s + 1])
      s = child[child_start[s]];
    return s;
  }
};

/// Fronts of the supernodes of the compressed graph of a matrix, whose pairs stay together and come first in their
/// front. Of a pair in an ancestor, a front has only the rows that its own columns reach: the structure is that of the
/// matrix, not of the graph. matrix: both triangles.
AssemblyTree assembly_tree(const CompressedGraph &graph, const Supernodes &supernodes, const Pattern &matrix);

/// Lists the children of the fronts of a tree that has their parents.
void list_children(AssemblyTree &tree);

/// [rows] the front that eliminates each, in elimination order.
std::vector<Index> front_of_columns(const AssemblyTree &tree);

/// Completes a tree that has its order, pairs, fronts and their parents: children, rows, and places.
void complete_tree(AssemblyTree &tree, const Pattern &matrix);

/// Where the entries of a matrix go: entry p of front s, start[s] <= p < start[s + 1], adds the caller's value
/// source[p] to the front at place row[p] >= column[p].
struct FrontEntries {
  std::vector<Offset> start; ///< [fronts + 1]
  Buffer<Offset> source;     ///< [entries]
  Buffer<Index> row;         ///< [entries]
  Buffer<Index> column;      ///< [entries]
};

/// The lower triangle, in elimination order, of a symmetric matrix that stores both triangles; source[p]: where the
/// caller has the value of entry p. Entries of a column are in the order of the rows' numbers in the matrix.
FrontEntries front_entries(const AssemblyTree &tree, const Pattern &matrix, const std::vector<Offset> &source);

} // namespace tessera
#endif
