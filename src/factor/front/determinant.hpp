#ifndef TESSERA_FACTOR_FRONT_DETERMINANT_HPP
#define TESSERA_FACTOR_FRONT_DETERMINANT_HPP

#include "factor/front/options.hpp"
#include "factor/front/scaled_product.hpp"

namespace tessera {

/// The determinant of a matrix from the product of the pivots of the one that was scaled from both sides, and the
/// product of the scale factors of one of them.
inline void set_determinant(ScaledProduct pivots, const ScaledProduct &scale, DirectReport &report)
{
  pivots.divide_by(scale);
  pivots.divide_by(scale);
  report.determinant = pivots.mantissa;
  report.exponent = pivots.mantissa == 0 ? 0 : pivots.exponent;
}

} // namespace tessera
#endif
