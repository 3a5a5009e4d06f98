#ifndef TESSERA_FACTOR_FRONT_ORDER_FRONTS_HPP
#define TESSERA_FACTOR_FRONT_ORDER_FRONTS_HPP

#include "analysis/ordering/compress.hpp"
#include "factor/front/make_plan.hpp"

namespace tessera {

/// The symbolic factorization of a compressed graph in the order of the options, or that in which the first rows of
/// its vertices come in given_order: [rows], the old row in each place, or empty. Automatic is nested dissection, or
/// minimum degree where that costs less. Empty for a graph with vertices where order() is.
Symbolic order_fronts(const CompressedGraph &graph, const PlanOptions &options, const std::vector<Index> &given_order);

/// How its supernodes are to be merged.
Relaxation relaxation_of(const Symbolic &symbolic, const PlanOptions &options);

/// The supernodes that become fronts. roots: whether trees of one front may be merged, which LU has in different
/// diagonal blocks.
Supernodes fronts_of(const Symbolic &symbolic, const CompressedGraph &graph, const PlanOptions &options,
                     bool symmetric);

} // namespace tessera
#endif
