#ifndef TESSERA_FACTOR_JLDLT_DIFFERENCE_HPP
#define TESSERA_FACTOR_JLDLT_DIFFERENCE_HPP

#include "factor/bildlt/factor_copy.hpp"
#include "factor/jldlt/options.hpp"

namespace tessera {

// Jacobi-LDLᵀ has the same bits on every backend. These say where it has not, in words for an error message; they are
// empty where it has.

/// Which number of two reports differs. Of factorizations that did not succeed only the status is compared.
std::string difference(const JacobiReport &one, const JacobiReport &other);

/// Which number of two factors differs. Blocks that were pushed back have other places in each, so what differs is
/// said by its place in a FactorCopy.
std::string difference(const FactorCopy &one, const FactorCopy &other);

} // namespace tessera
#endif
