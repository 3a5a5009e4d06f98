#ifndef TESSERA_HOST_FRONT_SOLVE_SOLUTION_GROWTH_HPP
#define TESSERA_HOST_FRONT_SOLVE_SOLUTION_GROWTH_HPP

#include "base/random.hpp"
#include "factor/front/front_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {

/// Solutions that are so many times as large as their right-hand side tell of a column that is zero as far as a
/// factorization can tell, and has a pivot: entries of L are bounded, but those of its inverse may grow from row to row
/// and hide it. That is what a pivot of a unit of rounding squared would make of them; systems of interior-point
/// methods come to 1e21 before they end.
constexpr double hidden_growth = 0x1p104;

/// The largest entry of the solution of the scaled system for 1 and -1 at random, the same in every run; infinite where
/// it overflows. solve(b, x): the solve with the factor of the matrix of T, without its scale.
template <class T, class Solve>
double solution_growth(const FrontPlan &plan, const Solve &solve)
{
  const Index n = plan.tree.rows();
  const std::vector<double> scale = unpermuted_scale(plan);
  std::vector<T> b(n), x(n);
  SplitMix64 random(1);
  for (Index i = 0; i < n; ++i)
    b[i] = T((random.below(2) ? 1 : -1) / scale[i]);
  solve(b.data(), x.data());
  double most = 0;
  for (Index i = 0; i < n; ++i) {
    const double size = magnitude(x[i]) / scale[i];
    most = std::isfinite(size) ? std::max(most, size) : std::numeric_limits<double>::infinity();
  }
  return most;
}

} // namespace tessera
#endif
