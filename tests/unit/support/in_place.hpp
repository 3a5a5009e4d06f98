#ifndef TESSERA_TESTS_SUPPORT_IN_PLACE_HPP
#define TESSERA_TESTS_SUPPORT_IN_PLACE_HPP

#include "base/types.hpp"

#include <numeric>

namespace tessera::test {

/// Where a caller that stores the entries of a matrix as they are has them.
inline std::vector<Offset> in_place(const Matrix &matrix)
{
  std::vector<Offset> source(matrix.pattern.entries());
  std::iota(source.begin(), source.end(), 0);
  return source;
}

} // namespace tessera::test
#endif
