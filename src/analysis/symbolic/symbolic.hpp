#ifndef TESSERA_ANALYSIS_SYMBOLIC_SYMBOLIC_HPP
#define TESSERA_ANALYSIS_SYMBOLIC_SYMBOLIC_HPP

#include "base/types.hpp"

namespace tessera {

/// Size of the complete factor.
struct FactorSize {
  Offset entries = 0;       ///< of the triangular factor, diagonal included
  Offset dense_entries = 0; ///< those of the dense triangle at its end
  double flops = 0;         ///< sum over its columns of the square of their count
};

/// Whether the complete factor is a dense triangle at its end but for a tenth. Graphs without small separators, random
/// ones, end like that: nearly every row is close to every other, and levels of fill or dropping leave little out.
bool ends_dense(const FactorSize &size);

/// Whether a complete factor costs so little that nothing is worth leaving out: it takes a few tenths of a second, or
/// no longer than the analysis and some tens of iterations, or than some thirty of its applications, or it ends dense.
/// matrix_entries: of the matrix.
bool is_worth_keeping(const FactorSize &size, Offset matrix_entries);

/// Symbolic complete factorization of a graph in a given order.
struct Symbolic {
  std::vector<Index> perm;   ///< [n] the given order followed by a postorder of its elimination tree: the same fill
  std::vector<Index> parent; ///< [n] elimination tree in the order of `perm`, -1 at a root
  std::vector<Offset> count; ///< [n] rows of the factor in the leading column of each vertex, diagonal included
  FactorSize size;

  bool empty() const { return perm.empty(); } ///< no vertices, or no order for them
};

/// Entries of the largest dense triangle at the end of the factor: size.dense_entries.
Offset dense_entries(const Symbolic &symbolic, const std::vector<Index> &weight);

/// Counts the complete factor of `graph` (both triangles) eliminated in the order `perm`.
Symbolic analyze(const Pattern &graph, const std::vector<Index> &weight, const std::vector<Index> &perm);

/// Blocks of at most block_rows rows on the longest path of the elimination tree, about: vertices whose columns have
/// one structure share a block, and others while it has fewer than `least` rows, as supernodes are merged.
Index tree_depth(const Symbolic &symbolic, const std::vector<Index> &weight, Index block_rows, Index least);

} // namespace tessera
#endif
