#ifndef TESSERA_ANALYSIS_SYMBOLIC_FIT_PANELS_HPP
#define TESSERA_ANALYSIS_SYMBOLIC_FIT_PANELS_HPP

#include "analysis/symbolic/supernodes.hpp"

namespace tessera {

/// Of a factorization that eliminates large fronts in panels of so many columns, one after the other.
struct PanelFit {
  Index width = 0;      ///< of a panel; 0: there are none
  Index least_rows = 0; ///< fronts with more rows, and those above them in the tree, have panels
  double flops = 0;     ///< front_flops() that take no longer than a panel that waits for the one before
};

/// Moves the last columns of supernodes to their parents where both have fewer panels then: a front of 67 columns has
/// two panels of 64, and waits for the second as for a full one. Columns are later ones in the same tree then, as
/// those whose pivots are delayed, so that the fill is the same but for the rows that the parent has more. weight[i]:
/// rows of vertex i of the graph.
Supernodes fit_panels(const Supernodes &supernodes, const std::vector<Index> &weight, const PanelFit &fit);

} // namespace tessera
#endif
