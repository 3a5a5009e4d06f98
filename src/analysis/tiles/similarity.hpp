#ifndef TESSERA_ANALYSIS_TILES_SIMILARITY_HPP
#define TESSERA_ANALYSIS_TILES_SIMILARITY_HPP

#include "analysis/tiles/blocking.hpp"

namespace tessera {

/// Vertices joined by the cosine of the angle between their rows, |row i ∩ row j| / sqrt(|row i| |row j|), where every
/// row counts its diagonal as an entry (Saad 2003, "Finding exact and approximate block structures").
struct Clusters {
  Blocking blocks;  ///< clusters in the order of their first vertex
  double below = 0; ///< the greatest cosine under the threshold of two vertices that would fit in one cluster
};

/// Clusters of any vertices: each vertex not yet taken, in ascending order, takes the most similar later ones with a
/// cosine of at least `threshold`, up to max_rows rows.
///
/// graph: both triangles, no diagonal. Rows of A Aᵀ are formed one at a time and only for vertices that start a
/// cluster, so that the memory is linear in the vertices. Rows with more than max(32, 2 sqrt(n)) entries stay alone
/// and do not count as columns: a row that everything touches makes A Aᵀ dense and says nothing about similarity.
Clusters cluster_similar(const Pattern &graph, const std::vector<Index> &weight, Index max_rows, double threshold);

/// Clusters of consecutive vertices, each similar to the next, up to max_rows rows: only the superdiagonal of A Aᵀ is
/// needed, which is linear in the entries whatever rows are dense.
Clusters cluster_consecutive(const Pattern &graph, const std::vector<Index> &weight, Index max_rows, double threshold);

} // namespace tessera
#endif
