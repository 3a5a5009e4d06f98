#ifndef TESSERA_BASE_SCALED_HPP
#define TESSERA_BASE_SCALED_HPP

#include "base/portable.hpp"
#include "base/scalar.hpp"

namespace tessera {

/// row_scale * value * col_scale for positive factors, without overflow or underflow on the way to a representable
/// result: the factors are applied in the order that keeps the intermediate product between value and result, or
/// near 1.
TESSERA_BOTH inline double scaled(double value, double row_scale, double col_scale)
{
  const double small = row_scale < col_scale ? row_scale : col_scale;
  const double large = row_scale < col_scale ? col_scale : row_scale;
  return value >= 1 || value <= -1 ? value * small * large : value * large * small;
}
inline Complex scaled(Complex value, double row_scale, double col_scale)
{
  return {scaled(value.real(), row_scale, col_scale), scaled(value.imag(), row_scale, col_scale)};
}

} // namespace tessera
#endif
