#ifndef TESSERA_ANALYSIS_SYMBOLIC_ELIMINATION_TREE_HPP
#define TESSERA_ANALYSIS_SYMBOLIC_ELIMINATION_TREE_HPP

#include "base/types.hpp"

namespace tessera {

/// Elimination tree of a symmetric graph in its natural order (Liu 1986): parent[j], or -1 at a root. The graph may be
/// given by its lower triangle alone, that is by rows with the columns before them.
std::vector<Index> elimination_tree(const Pattern &graph);

/// Postorder of a forest with parent[j] > j or -1: post[k] = the k-th vertex; children are visited in ascending order.
std::vector<Index> postorder(const std::vector<Index> &parent);

/// Sums over the subtrees of a forest with parent[j] > j or -1: what each vertex and all its descendants have.
std::vector<double> subtree_sums(const std::vector<Index> &parent, std::vector<double> own);

/// Rows in each column of the complete factor, diagonal included (Gilbert, Ng & Peyton 1994), in time near linear in
/// the entries of `graph`. Vertex i counts as weight[i] rows, so that count[j] is the height of the leading column of
/// vertex j. `graph` is in elimination order, both triangles; parent and post are its elimination tree and a postorder
/// of it.
std::vector<Offset> column_counts(const Pattern &graph, const std::vector<Index> &weight,
                                  const std::vector<Index> &parent, const std::vector<Index> &post);

} // namespace tessera
#endif
