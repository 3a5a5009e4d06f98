#include "analysis/scaling.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

std::vector<double> scale_factors(const std::vector<double> &log2_scale, Rounding rounding)
{
  std::vector<double> scale(log2_scale.size());
  // Halves, from which rounding errors may have taken a little, are rounded up, not to the even neighbour: then A and
  // 4^k A get the same factors but for 2^k.
  constexpr double half = 0.5 + 0x1p-30;
  for (size_t i = 0; i < scale.size(); ++i) {
    const double exponent = std::clamp(log2_scale[i], -1022.0, 1023.0);
    scale[i] = rounding == Rounding::none ? std::exp2(exponent)
                                          : std::ldexp(1.0, static_cast<int>(std::floor(exponent + half)));
  }
  return scale;
}

void scale_symmetric(Matrix &a, const std::vector<double> &scale)
{
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      a.value[p] = scaled(a.value[p], scale[i], scale[a.pattern.column[p]]);
}

} // namespace tessera
