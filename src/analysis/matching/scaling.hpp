#ifndef TESSERA_ANALYSIS_MATCHING_SCALING_HPP
#define TESSERA_ANALYSIS_MATCHING_SCALING_HPP

#include "base/types.hpp"

namespace tessera {

/// The factors 2^log2_scale[i], rounded to powers of two and clamped to the range 2^-1022 .. 2^1023 of normal numbers.
/// Powers of two make scaling free of rounding error: the significands of the entries stay as they are. Scaled entries
/// are then off by a factor of up to 2, up to sqrt(2) from either side. A factor lowered to the upper end makes scaled
/// entries smaller; one raised to the lower end may make an entry larger than the logarithms were made for, but no
/// larger than 2 |a_ij|.
std::vector<double> scale_factors(const std::vector<double> &log2_scale);

/// row_scale * value * col_scale for positive factors, without overflow or underflow on the way to a representable
/// result: the factors are applied in the order that keeps the intermediate product between value and result, or
/// near 1.
inline double scaled(double value, double row_scale, double col_scale)
{
  const double small = row_scale < col_scale ? row_scale : col_scale;
  const double large = row_scale < col_scale ? col_scale : row_scale;
  return value >= 1 || value <= -1 ? value * small * large : value * large * small;
}

} // namespace tessera
#endif
