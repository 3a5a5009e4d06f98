#ifndef TESSERA_HOST_FRONT_SOLVE_INVERSE_NORM_HPP
#define TESSERA_HOST_FRONT_SOLVE_INVERSE_NORM_HPP

#include "host/front/blas.hpp"

#include <type_traits>
#include <vector>

namespace tessera {

/// Estimates the norm of the inverse of a matrix with n rows, its largest row sum of magnitudes (Higham 1988, by
/// LAPACK's dlacn2 or zlacn2). solve(x, transposed) overwrites x: [n] with the inverse, or its transpose, times x.
template <class T = double, class Solve>
double estimate_inverse_norm(Index n, const Solve &solve)
{
  constexpr bool complex = std::is_same_v<T, Complex>;
  std::vector<T> v(n), x(n);
  std::vector<int> sign(n);
  double estimate = 0;
  int which = 0, saved[3] = {0, 0, 0};
  if (n == 0)
    return 0;
  const auto conjugate = [&] {
    if constexpr (complex)
      for (T &value : x)
        value = std::conj(value);
  };
  do {
    if constexpr (complex)
      zlacn2_(&n, v.data(), x.data(), &estimate, &which, saved);
    else
      dlacn2_(&n, v.data(), x.data(), sign.data(), &estimate, &which, saved);
    // It estimates the largest column sum of a matrix, of the transpose here, by products with it and its adjoint.
    if (which == 1) {
      solve(x.data(), true);
    } else if (which == 2) {
      conjugate();
      solve(x.data(), false);
      conjugate();
    }
  } while (which != 0);
  return estimate;
}

} // namespace tessera
#endif
