#ifndef EXAMPLES_RANDOM_HPP
#define EXAMPLES_RANDOM_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <petscsys.h>

namespace examples {

/// splitmix64: the same numbers on every platform.
class Random {
public:
  explicit Random(PetscInt64 seed) : state_(static_cast<std::uint64_t>(seed)) {}

  /// Evenly between 0 and 1.
  PetscReal Uniform()
  {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return std::ldexp(static_cast<PetscReal>(z >> 11), -53);
  }

  /// Evenly between -1 and 1.
  PetscReal Signed() { return 2 * Uniform() - 1; }

  /// 0 .. count - 1
  PetscInt Below(PetscInt count) { return std::min(static_cast<PetscInt>(Uniform() * count), count - 1); }

private:
  std::uint64_t state_;
};

} // namespace examples
#endif
