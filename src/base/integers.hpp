#ifndef TESSERA_BASE_INTEGERS_HPP
#define TESSERA_BASE_INTEGERS_HPP

#include "base/allocate.hpp"
#include "base/types.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>
#include <vector>

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

/// Places in an array, in 32 bits, which halve what a device reads and holds. Throws std::bad_alloc for an array that
/// is too long for that.
inline std::vector<std::uint32_t> in_32_bits(const std::vector<Offset> &places)
{
  std::vector<std::uint32_t> narrow;
  const Offset n = Offset(places.size());
  allocate_in_parallel(narrow, places.size());
  bool fits = true;
#pragma omp parallel for schedule(static) reduction(&& : fits) if (n > parallel_rows)
  for (Offset i = 0; i < n; ++i) {
    narrow[i] = static_cast<std::uint32_t>(places[i]);
    fits = fits && Offset(narrow[i]) == places[i];
  }
  if (!fits)
    throw std::bad_alloc();
  return narrow;
}

} // namespace tessera
#endif
