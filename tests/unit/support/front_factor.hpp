#ifndef TESSERA_TESTS_SUPPORT_FRONT_FACTOR_HPP
#define TESSERA_TESTS_SUPPORT_FRONT_FACTOR_HPP

#include "factor/front/device/device_plan.hpp"

#include <cstdint>
#include <vector>

namespace tessera::test {

/// A factor as DeviceFront describes it.
struct FrontFactor {
  std::vector<double> factor;
  std::vector<std::uint32_t> live, negative, swapped;
};

/// That of a matrix which needs no pivoting, by a plain multifrontal factorization with dense fronts. Columns of a
/// panel are in a random order, so that the diagonal blocks are full, and some are exchanged by J. values: as the
/// caller of the plan stores them.
FrontFactor factor_fronts(const FrontPlan &plan, const DevicePlan &fronts, const std::vector<double> &values);

} // namespace tessera::test
#endif
