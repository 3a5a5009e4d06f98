#ifndef TESSERA_ANALYSIS_PAIRS_COMPRESS_AND_ORDER_HPP
#define TESSERA_ANALYSIS_PAIRS_COMPRESS_AND_ORDER_HPP

#include "analysis/ordering/compress.hpp"
#include "analysis/preprocess.hpp"
#include "analysis/symbolic/symbolic.hpp"

#include <functional>

namespace tessera {

/// Which pairs of the matching are not one vertex of the graph.
enum class PairsApart {
  None,
  Loose,         ///< the loose ones, see SinglePivots: for a factorization that delays what fails
  QuasiDefinite, ///< those of a quasi-definite matrix, and where that spares fill: for one that cannot delay
};

/// A compressed graph in an order that is good for it.
struct OrderedGraph {
  CompressedGraph graph;
  Symbolic symbolic; ///< empty where the ordering failed
};

/// Whether compress_and_order() looks at an order with some of the pairs apart.
bool leaves_pairs_apart(const Matrix &symmetric, const SymmetricPreprocessing &ready, PairsApart apart);

/// Compresses the graph of a preprocessed matrix and orders it. Loose pairs are apart only where less than a quarter of
/// the entries are there, and they take fewer operations than the pairs: that is looked at where rows that wait for
/// others take half as many again. ready.partner and ready.pairs: overwritten with the pairs that are left. order:
/// returns the symbolic factorization of a graph, in the order that it chooses.
OrderedGraph compress_and_order(const Matrix &symmetric, SymmetricPreprocessing &ready, PairsApart apart,
                                StepClock &clock, const std::function<Symbolic(const CompressedGraph &)> &order);

} // namespace tessera
#endif
