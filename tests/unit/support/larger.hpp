#ifndef TESSERA_TESTS_SUPPORT_LARGER_HPP
#define TESSERA_TESTS_SUPPORT_LARGER_HPP

#include <algorithm>
#include <cmath>

namespace tessera::test {

/// The larger one of two errors; infinite where the second one is no number, which std::max() does not notice.
template <class T>
T larger(T most, T x)
{
  return std::isnan(x) ? T(INFINITY) : std::max(most, x);
}

} // namespace tessera::test
#endif
