#ifndef TESSERA_TESTS_SUPPORT_INERTIA_HPP
#define TESSERA_TESTS_SUPPORT_INERTIA_HPP

#include "support/dense.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::test {

/// Eigenvalues by sign.
struct Inertia {
  Offset negative = 0, zero = 0, positive = 0;
  bool operator==(const Inertia &o) const { return negative == o.negative && zero == o.zero && positive == o.positive; }
};

/// Eigenvalues of at most `zero` times the largest count as 0.
template <class T>
Inertia count_signs(const std::vector<T> &eigenvalues, T zero)
{
  Inertia result;
  T largest = 0;
  for (T x : eigenvalues)
    largest = std::max(largest, std::abs(x));
  for (T x : eigenvalues)
    ++(std::abs(x) <= zero * largest ? result.zero : x < 0 ? result.negative : result.positive);
  return result;
}

/// Of a symmetric matrix, by its eigenvalues in extended precision.
inline Inertia inertia_of(const Matrix &a)
{
  return a.pattern.rows == 0 ? Inertia() : count_signs(eigenvalues(dense_of(a)), 1e-13L);
}

} // namespace tessera::test
#endif
