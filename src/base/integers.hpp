#ifndef TESSERA_BASE_INTEGERS_HPP
#define TESSERA_BASE_INTEGERS_HPP

#include "base/allocate.hpp"
#include "base/types.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace tessera {

/// Whether n is a number that Index holds: 0 to 2^31 - 1.
constexpr bool fits_index(std::int64_t n)
{
  return n >= 0 && n <= std::numeric_limits<Index>::max();
}

/// A number of times as an Index: beyond 2^31 - 1 it makes no difference how many.
constexpr Index clamped_index(std::int64_t n)
{
  constexpr std::int64_t largest = std::numeric_limits<Index>::max();
  return static_cast<Index>(std::min(n, largest));
}

/// n, or the next multiple of `to`.
template <class Integer>
constexpr Integer round_up(Integer n, Integer to)
{
  return (n + to - 1) / to * to;
}

/// Integers from[0 .. n-1] as integers of another type, which has to hold their values: the array itself if it is of
/// that type already, else a copy, which `copy` keeps.
template <class To, class From>
const To *as_integers(const From *from, Offset n, std::vector<To> &copy)
{
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else {
    allocate_in_parallel(copy, n);
#pragma omp parallel for schedule(static) if (n > parallel_rows)
    for (Offset i = 0; i < n; ++i)
      copy[i] = static_cast<To>(from[i]);
    return copy.data();
  }
}

} // namespace tessera
#endif
