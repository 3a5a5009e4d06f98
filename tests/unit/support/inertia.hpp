#ifndef TESSERA_TESTS_SUPPORT_INERTIA_HPP
#define TESSERA_TESTS_SUPPORT_INERTIA_HPP

#include "support/dense.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::test {

/// Eigenvalues by sign.
struct Counts {
  Offset negative, zero, positive;
  bool operator==(const Counts &o) const { return negative == o.negative && zero == o.zero && positive == o.positive; }
};

/// By the eigenvalues in extended precision; those of at most 1e-13 of the largest count as 0.
inline Counts inertia(const Matrix &a)
{
  Counts counts{0, 0, 0};
  if (a.pattern.rows == 0)
    return counts;
  const std::vector<long double> values = eigenvalues(dense_of(a));
  long double largest = 0;
  for (long double x : values)
    largest = std::max(largest, std::abs(x));
  for (long double x : values)
    ++(std::abs(x) <= 1e-13L * largest ? counts.zero : x < 0 ? counts.negative : counts.positive);
  return counts;
}

} // namespace tessera::test
#endif
