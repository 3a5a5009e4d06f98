#ifndef TESSERA_FACTOR_FACTOR_TILE_HPP
#define TESSERA_FACTOR_FACTOR_TILE_HPP

#include "tile/full_pivoting.hpp"
#include "tile/ldlt.hpp"

namespace tessera {

/// LDLᵀ of a diagonal tile in place, by the pivoting chosen at run time. Arguments as those of ldlt.
template <class G>
TESSERA_COLLECTIVE void factor_tile(const G &g, Pivoting pivoting, double *tile, int ld, int n,
                                    const LdltOptions<double> &options, double *d, double *e, std::int32_t *perm,
                                    PivotCounts *counts)
{
  switch (pivoting) {
  case Pivoting::none:
    return ldlt<Pivoting::none>(g, tile, ld, n, options, tile, d, e, perm, counts);
  case Pivoting::bunch_kaufman:
    return ldlt<Pivoting::bunch_kaufman>(g, tile, ld, n, options, tile, d, e, perm, counts);
  case Pivoting::rook:
    return ldlt<Pivoting::rook>(g, tile, ld, n, options, tile, d, e, perm, counts);
  case Pivoting::full:
    return ldlt_full(g, tile, ld, n, options.delta, tile, d, e, perm, counts);
  }
}

} // namespace tessera
#endif
