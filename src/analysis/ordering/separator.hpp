#ifndef TESSERA_ANALYSIS_ORDERING_SEPARATOR_HPP
#define TESSERA_ANALYSIS_ORDERING_SEPARATOR_HPP

#include "analysis/ordering/graph_coarsen.hpp"

namespace tessera {

/// Two sides without an edge between them, and the vertices that separate them.
struct Separation {
  std::vector<std::uint8_t> side; ///< [n] 0 or 1, and 2 in the separator
  Offset weight[3] = {0, 0, 0};   ///< of the sides and the separator
};

/// Whether `a` is the better separation of a graph of this weight: both sides within bounds first, then the lighter
/// separator, where sides that differ by a tenth of all are worth a hundredth of it, then balance. Without that the
/// lightest of several is one near the bounds, which leaves more work on its sides than it saves.
bool is_better(const Separation &a, const Separation &b, Offset total);

/// Moves single vertices between the separator and the sides as long as the separator gets lighter (Fiduccia &
/// Mattheyses 1982, on vertex separators), while neither side exceeds 0.6 of the total unless it already did.
void refine(const WeightedGraph &graph, Separation &separation);

/// Multilevel vertex separator (Karypis & Kumar 1998): contracts the graph to about a hundred vertices, separates that
/// from several starts, and refines the best on the way back. Depends on the graph and the seed only.
Separation separate(const WeightedGraph &graph, std::uint64_t seed);

} // namespace tessera
#endif
