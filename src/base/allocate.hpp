#ifndef TESSERA_BASE_ALLOCATE_HPP
#define TESSERA_BASE_ALLOCATE_HPP

#include "base/types.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera {

/// Makes an empty vector one of n zeros. What takes time with a large one is that the system maps its pages, at the
/// first access to each; so all threads access them before one fills them.
template <class T>
void allocate_in_parallel(std::vector<T> &x, std::size_t n)
{
  constexpr std::size_t page = 4096, worth_it = 4 << 20;
  x.clear();
  x.reserve(n);
  volatile char *memory = reinterpret_cast<char *>(x.data());
  const std::size_t bytes = n * sizeof(T);
#pragma omp parallel for schedule(static) if (bytes > worth_it)
  for (std::size_t p = 0; p < bytes; p += page)
    memory[p] = 0;
  x.resize(n);
}

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
