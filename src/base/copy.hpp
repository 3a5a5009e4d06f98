#ifndef TESSERA_BASE_COPY_HPP
#define TESSERA_BASE_COPY_HPP

#include "base/allocate.hpp"
#include "base/types.hpp"

#include <algorithm>

namespace tessera {

/// A copy of a vector, by all threads if it is large.
template <class T>
std::vector<T> copy_in_parallel(const std::vector<T> &x)
{
  constexpr std::size_t part = 1 << 16, worth_it = 1 << 20;
  std::vector<T> copy;
  const std::size_t n = x.size();
  allocate_in_parallel(copy, n);
#pragma omp parallel for schedule(static) if (n > worth_it)
  for (std::size_t begin = 0; begin < n; begin += part)
    std::copy(x.begin() + std::ptrdiff_t(begin), x.begin() + std::ptrdiff_t(std::min(n, begin + part)),
              copy.begin() + std::ptrdiff_t(begin));
  return copy;
}

/// A copy of a pattern, likewise.
inline Pattern copy_in_parallel(const Pattern &pattern)
{
  return {pattern.rows, pattern.cols, copy_in_parallel(pattern.start), copy_in_parallel(pattern.column)};
}

} // namespace tessera
#endif
