#ifndef TESSERA_HOST_FRONT_INVERSE_NORM_HPP
#define TESSERA_HOST_FRONT_INVERSE_NORM_HPP

#include "host/front/blas.hpp"

#include <vector>

namespace tessera {

/// Estimates the norm of the inverse of a matrix with n rows, its largest row sum of magnitudes (Higham 1988, by
/// LAPACK's dlacn2). solve(x, transposed) overwrites x: [n] with the inverse, or its transpose, times x.
template <class Solve>
double estimate_inverse_norm(Index n, const Solve &solve)
{
  std::vector<double> v(n), x(n);
  std::vector<int> sign(n);
  double estimate = 0;
  int which = 0, saved[3] = {0, 0, 0};
  if (n == 0)
    return 0;
  do {
    dlacn2_(&n, v.data(), x.data(), sign.data(), &estimate, &which, saved);
    if (which != 0)
      solve(x.data(), which == 1); // dlacn2 estimates the largest column sum, of the transpose here
  } while (which != 0);
  return estimate;
}

} // namespace tessera
#endif
