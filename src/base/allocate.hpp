#ifndef TESSERA_BASE_ALLOCATE_HPP
#define TESSERA_BASE_ALLOCATE_HPP

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

} // namespace tessera
#endif
