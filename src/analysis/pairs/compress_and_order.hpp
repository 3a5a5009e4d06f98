#ifndef TESSERA_ANALYSIS_PAIRS_COMPRESS_AND_ORDER_HPP
#define TESSERA_ANALYSIS_PAIRS_COMPRESS_AND_ORDER_HPP

#include "analysis/ordering/compress.hpp"
#include "analysis/preprocess.hpp"
#include "analysis/symbolic/symbolic.hpp"

#include <functional>

namespace tessera {

/// A compressed graph in an order that is good for it.
struct OrderedGraph {
  CompressedGraph graph;
  Symbolic symbolic; ///< empty where the ordering failed
};

/// Compresses the graph of a preprocessed matrix and orders it. loose: without the loose pairs (see SinglePivots),
/// unless a quarter of the entries are there, or the pairs take fewer operations: that is looked at where rows that
/// wait for others take half as many again. ready.partner and ready.pairs: overwritten with the pairs that are left.
/// order: returns the symbolic factorization of a graph, in the order that it chooses.
OrderedGraph compress_and_order(const Matrix &symmetric, SymmetricPreprocessing &ready, bool loose, StepClock &clock,
                                const std::function<Symbolic(const CompressedGraph &)> &order);

} // namespace tessera
#endif
