#ifndef TESSERA_TESTS_FUZZ_BYTE_SOURCE_HPP
#define TESSERA_TESTS_FUZZ_BYTE_SOURCE_HPP

#include "base/types.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tessera::fuzz {

/// The bytes of an input, one after the other; zeros behind its end, so that every input means something.
class ByteSource {
public:
  ByteSource(const std::uint8_t *data, std::size_t size) : next_(data), end_(data + size) {}

  bool empty() const { return next_ == end_; }
  std::uint8_t byte() { return empty() ? 0 : *next_++; }
  bool flag() { return byte() % 2 == 1; }
  /// 0 .. count - 1, of a byte; count <= 256.
  Index below(Index count) { return byte() % count; }
  /// One of a list of at most 256.
  template <class T, std::size_t N>
  const T &one_of(const T (&choices)[N])
  {
    return choices[byte() % N];
  }
  /// The double that the next eight bytes are; it may be any.
  double any_double()
  {
    std::uint64_t bits = 0;
    for (int k = 0; k < 8; ++k)
      bits = bits << 8 | byte();
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }

private:
  const std::uint8_t *next_;
  const std::uint8_t *end_;
};

} // namespace tessera::fuzz
#endif
