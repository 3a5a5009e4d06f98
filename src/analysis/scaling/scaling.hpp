#ifndef TESSERA_ANALYSIS_SCALING_SCALING_HPP
#define TESSERA_ANALYSIS_SCALING_SCALING_HPP

#include "base/types.hpp"

namespace tessera {

/// The factors 2^log2_scale[i], rounded to powers of two and clamped to the range 2^-1022 .. 2^1023 of normal numbers.
/// Powers of two make scaling free of rounding error: the significands of the entries stay as they are. Scaled entries
/// are then off by a factor of up to 2, up to sqrt(2) from either side. A factor lowered to the upper end makes scaled
/// entries smaller; one raised to the lower end may make an entry larger than the logarithms were made for, but no
/// larger than 2 |a_ij|.
std::vector<double> scale_factors(const std::vector<double> &log2_scale);

} // namespace tessera
#endif
