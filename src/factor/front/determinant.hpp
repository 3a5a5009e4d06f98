#ifndef TESSERA_FACTOR_FRONT_DETERMINANT_HPP
#define TESSERA_FACTOR_FRONT_DETERMINANT_HPP

#include "factor/front/options.hpp"
#include "factor/front/scaled_product.hpp"

#include <vector>

namespace tessera {

/// The determinant of a matrix from the product of the pivots of the one that was scaled by `scale` from both sides.
inline void set_determinant(ScaledProduct pivots, const std::vector<double> &scale, DirectReport &report)
{
  for (double s : scale) {
    pivots.times(1 / s);
    pivots.times(1 / s);
  }
  report.determinant = pivots.mantissa;
  report.exponent = pivots.mantissa == 0 ? 0 : pivots.exponent;
}

} // namespace tessera
#endif
