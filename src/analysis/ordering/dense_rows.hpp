#ifndef TESSERA_ANALYSIS_ORDERING_DENSE_ROWS_HPP
#define TESSERA_ANALYSIS_ORDERING_DENSE_ROWS_HPP

#include "base/types.hpp"

namespace tessera {

/// Stored entries beyond which a row of a graph is dense: it joins so much that it had better be put last.
///
/// That is 10 sqrt(n), as in AMD, and at least 16. Fewer where a few rows stand out: minimum degree goes through such a
/// row each time that one of its neighbours is eliminated, so with the square of its entries. Where rows of more than
/// 10 times the entries of most make that more than 100 times the entries of the graph, they are dense, unless they are
/// so many that a front of all of them would cost more than 100 operations for each entry of the graph.
Offset dense_degree(const Pattern &graph);

} // namespace tessera
#endif
