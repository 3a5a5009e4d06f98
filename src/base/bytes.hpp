#ifndef TESSERA_BASE_BYTES_HPP
#define TESSERA_BASE_BYTES_HPP

#include "base/types.hpp"

namespace tessera {

/// Memory of the values of an array in bytes. Array: std::vector, or what has its data() and size().
template <class Array>
Offset bytes_of(const Array &array)
{
  return Offset(array.size()) * Offset(sizeof(*array.data()));
}

template <class... Arrays>
Offset bytes_of_all(const Arrays &...array)
{
  return (bytes_of(array) + ...);
}

/// Frees the memory of vectors, which assigning {} to them does not.
template <class... Vectors>
void free_all(Vectors &...vector)
{
  (Vectors().swap(vector), ...);
}

} // namespace tessera
#endif
