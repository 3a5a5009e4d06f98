#ifndef TESSERA_FACTOR_SAME_BITS_HPP
#define TESSERA_FACTOR_SAME_BITS_HPP

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

// For comparisons of factors that have to agree to the last bit.

namespace tessera {

/// Whether two numbers are the same to the last bit.
inline bool same_bits(double x, double y)
{
  std::uint64_t one = 0, other = 0;
  std::memcpy(&one, &x, sizeof x);
  std::memcpy(&other, &y, sizeof y);
  return one == other;
}

/// "what: x, y", with all digits of numbers.
inline std::string in_words(const std::string &what, double x, double y)
{
  char numbers[80];
  std::snprintf(numbers, sizeof numbers, ": %.17g, %.17g", x, y);
  return what + numbers;
}

} // namespace tessera
#endif
