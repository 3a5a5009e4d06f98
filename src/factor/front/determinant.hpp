#ifndef TESSERA_FACTOR_FRONT_DETERMINANT_HPP
#define TESSERA_FACTOR_FRONT_DETERMINANT_HPP

#include "factor/front/scaled_product.hpp"

namespace tessera {

/// The determinant of a matrix from that of the one that was scaled from both sides, and the products of the scale
/// factors.
template <class T>
ScaledProductOf<T> unscaled_determinant(ScaledProductOf<T> scaled, const ScaledProduct &rows,
                                        const ScaledProduct &columns)
{
  scaled.divide_by(rows);
  scaled.divide_by(columns);
  if (scaled.mantissa == T(0))
    scaled.exponent = 0;
  return scaled;
}

} // namespace tessera
#endif
