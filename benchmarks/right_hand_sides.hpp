#ifndef TESSERA_BENCHMARKS_RIGHT_HAND_SIDES_HPP
#define TESSERA_BENCHMARKS_RIGHT_HAND_SIDES_HPP

#include "base/types.hpp"

#include <cmath>
#include <vector>

namespace tessera {

/// [columns, rows] b, 2 b, 4 b, ..., and 1 after 512: so every column has a solution of its own.
inline std::vector<double> columns_of(const std::vector<double> &b, Index columns)
{
  std::vector<double> all;
  all.reserve(b.size() * columns);
  for (Index c = 0; c < columns; ++c)
    for (double x : b)
      all.push_back(std::ldexp(x, c % 10));
  return all;
}

inline std::vector<double> last_column(const std::vector<double> &all, Index rows)
{
  return {all.end() - rows, all.end()};
}

} // namespace tessera
#endif
