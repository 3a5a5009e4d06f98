#ifndef TESSERA_HOST_FRONT_INVERSE_NORM_HPP
#define TESSERA_HOST_FRONT_INVERSE_NORM_HPP

#include "host/front/blas.hpp"

#include <vector>

namespace tessera {

/// Estimates the 1-norm of the inverse of a symmetric matrix with n rows (Higham 1988, by LAPACK's dlacn2). solve(x)
/// overwrites x: [n] with the inverse times x.
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
      solve(x.data());
  } while (which != 0);
  return estimate;
}

} // namespace tessera
#endif
