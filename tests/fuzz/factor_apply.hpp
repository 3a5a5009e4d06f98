#ifndef TESSERA_TESTS_FUZZ_FACTOR_APPLY_HPP
#define TESSERA_TESTS_FUZZ_FACTOR_APPLY_HPP

#include "analysis/analysis.hpp"
#include "factor/bildlt/factor_copy.hpp"
#include "support/dense.hpp"

#include <vector>

namespace tessera::fuzz {

/// What an application of a block factor UᵀDU has to give, in extended precision and the caller's order and scale, and
/// what bounds its rounding errors: the same with all magnitudes, those of the inverse pivots times their condition.
struct Application {
  std::vector<long double> value, bound; ///< [rows]
  long double most = 0;                  ///< largest bound of a number on the way
};
Application apply_exactly(const Analysis &analysis, const FactorCopy &factor, const std::vector<double> &r);

/// Largest entry of |U|ᵀ|D||U|: errors of a factorization, and of solves with it, are rounding times that.
long double stability(const Analysis &analysis, const FactorCopy &factor);

} // namespace tessera::fuzz
#endif
