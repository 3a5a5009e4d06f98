#ifndef TESSERA_HOST_FRONT_SOLVE_SOLUTION_GROWTH_HPP
#define TESSERA_HOST_FRONT_SOLVE_SOLUTION_GROWTH_HPP

#include "base/random.hpp"
#include "host/front/solve/front_solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {

/// Solutions that are so many times as large as their right-hand side tell of a column that is zero as far as a
/// factorization can tell, and has a pivot: entries of L are bounded, but those of its inverse may grow from row to row
/// and hide it. That is what a pivot of a unit of rounding squared would make of them; systems of interior-point
/// methods come to 1e21 before they end.
constexpr double hidden_growth = 0x1p104;

/// 1 and -1 at random, the same in every run, as a right-hand side of the scaled system, without its scale.
template <class T>
std::vector<T> growth_vector(const std::vector<double> &scale)
{
  std::vector<T> b(scale.size());
  SplitMix64 random(1);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = T((random.below(2) ? 1 : -1) / scale[i]);
  return b;
}

/// The largest entry of the solution of the scaled system for that; infinite where it overflows.
template <class T, Symmetry S>
double solution_growth(const FrontPlan &plan, FrontSolve<T, S> &solve)
{
  const Index n = plan.tree.rows();
  const std::vector<double> scale = unpermuted_scale(plan);
  const std::vector<T> b = growth_vector<T>(scale);
  std::vector<T> x(n);
  solve.run(1, b.data(), n, x.data(), n);
  double most = 0;
  for (Index i = 0; i < n; ++i) {
    const double size = magnitude(x[i]) / scale[i];
    most = std::isfinite(size) ? std::max(most, size) : std::numeric_limits<double>::infinity();
  }
  return most;
}

} // namespace tessera
#endif
