#ifndef TESSERA_ANALYSIS_SYMBOLIC_HPP
#define TESSERA_ANALYSIS_SYMBOLIC_HPP

#include "analysis/types.hpp"

namespace tessera {

/// Elimination tree of a symmetric graph in its natural order (Liu 1986): parent[j], or -1 at a root.
std::vector<Index> elimination_tree(const Pattern &graph);

/// Postorder of a forest with parent[j] > j or -1: post[k] = the k-th vertex; children are visited in ascending order.
std::vector<Index> postorder(const std::vector<Index> &parent);

/// Rows in each column of the complete factor, diagonal included (Gilbert, Ng & Peyton 1994), in time near linear in
/// the entries of `graph`. Vertex i counts as weight[i] rows, so that count[j] is the height of the leading column of
/// vertex j. `graph` is in elimination order; parent and post are its elimination tree and a postorder of it.
std::vector<Offset> column_counts(const Pattern &graph, const std::vector<Index> &weight,
                                  const std::vector<Index> &parent, const std::vector<Index> &post);

/// Symbolic complete factorization of a graph in a given order.
struct Symbolic {
  std::vector<Index> perm;   ///< [n] the given order followed by a postorder of its elimination tree: the same fill
  std::vector<Index> parent; ///< [n] elimination tree in the order of `perm`, -1 at a root
  std::vector<Offset> count; ///< [n] rows of the factor in the leading column of each vertex, diagonal included
  Offset entries = 0;        ///< entries of the triangular factor, diagonal included
  double flops = 0;          ///< sum over its columns of the square of their count
};

/// Counts the complete factor of `graph` (both triangles) eliminated in the order `perm`.
Symbolic analyze(const Pattern &graph, const std::vector<Index> &weight, const std::vector<Index> &perm);

/// Blocks of at most block_rows rows on the longest path of the elimination tree, about: vertices whose columns have
/// one structure share a block, and others while it has fewer than `least` rows, as supernodes are merged.
Index tree_depth(const Symbolic &symbolic, const std::vector<Index> &weight, Index block_rows, Index least);

} // namespace tessera
#endif
