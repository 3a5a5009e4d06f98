#include "analysis/scaling/scaling.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

std::vector<double> scale_factors(const std::vector<double> &log2_scale)
{
  std::vector<double> scale(log2_scale.size());
  // Halves, from which rounding errors may have taken a little, are rounded up, not to the even neighbour: then A and
  // 4^k A get the same factors but for 2^k.
  constexpr double half = 0.5 + 0x1p-30;
  for (std::size_t i = 0; i < scale.size(); ++i) {
    const double exponent = std::clamp(log2_scale[i], -1022.0, 1023.0);
    scale[i] = std::ldexp(1.0, static_cast<int>(std::floor(exponent + half)));
  }
  return scale;
}

} // namespace tessera
