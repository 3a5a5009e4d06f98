#ifndef TESSERA_ANALYSIS_ORDERING_COMPRESS_HPP
#define TESSERA_ANALYSIS_ORDERING_COMPRESS_HPP

#include "base/types.hpp"

namespace tessera {

/// The graph of a symmetric matrix in which each pair of rows is one vertex. Vertices are numbered by their lowest row.
struct CompressedGraph {
  Pattern pattern;              ///< adjacency of the vertices, symmetric, without the diagonal
  std::vector<Index> row_start; ///< [vertices + 1] vertex v has the rows row[row_start[v]] .. row[row_start[v + 1] - 1]
  std::vector<Index> row;       ///< [matrix rows] ascending in each vertex
  std::vector<Index> weight;    ///< [vertices] number of rows, 1 or 2
};

/// Compresses a symmetric pattern by the partners that find_pairs found. Linear in the entries.
CompressedGraph compress(const Pattern &symmetric, const std::vector<Index> &partner);

/// The vertex of each row.
std::vector<Index> vertices_of_rows(const CompressedGraph &graph);

/// The ordering of the rows that an ordering of the vertices means: vertex_order[k] is the k-th vertex, and the
/// result's [k] the k-th row. The rows of a pair stay adjacent.
std::vector<Index> expand(const CompressedGraph &graph, const std::vector<Index> &vertex_order);

} // namespace tessera
#endif
