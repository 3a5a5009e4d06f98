#ifndef TESSERA_BASE_RANDOM_HPP
#define TESSERA_BASE_RANDOM_HPP

#include "base/types.hpp"

namespace tessera {

/// 2^64 over the golden ratio: multiples of it spread over all 64-bit numbers.
constexpr std::uint64_t golden_spread = 0x9e3779b97f4a7c15u;

/// Splitmix64 (Steele, Lea & Flood 2014), the same on every machine: number k of a seed is mix64(seed + (k + 1)
/// golden_spread).
constexpr std::uint64_t mix64(std::uint64_t z)
{
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Its numbers one after the other. Every use has a generator of its own, so that no result depends on who ran before.
class SplitMix64 {
public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() { return mix64(state_ += golden_spread); }

  /// Uniform in 0 .. n - 1
  Index below(Index n) { return static_cast<Index>((bits() >> 32) * static_cast<std::uint64_t>(n) >> 32); }

private:
  std::uint64_t state_;
};

} // namespace tessera
#endif
