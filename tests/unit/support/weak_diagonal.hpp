#ifndef TESSERA_TESTS_SUPPORT_WEAK_DIAGONAL_HPP
#define TESSERA_TESTS_SUPPORT_WEAK_DIAGONAL_HPP

#include "support/random_matrix.hpp"

namespace tessera::test {

/// The matrix with a share of its diagonal entries, at random, multiplied by 1e-9.
inline Matrix with_weak_diagonal(Matrix a, double share)
{
  Random random(5);
  for (Index i = 0; i < a.pattern.rows; ++i) {
    const bool weak = random.uniform() < share;
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (weak && a.pattern.column[p] == i)
        a.value[p] *= 1e-9;
  }
  return a;
}

} // namespace tessera::test
#endif
