#ifndef TESSERA_FACTOR_FRONT_SCALED_PRODUCT_HPP
#define TESSERA_FACTOR_FRONT_SCALED_PRODUCT_HPP

#include "base/portable.hpp"

#include <cmath>

namespace tessera {

/// A product mantissa 2^exponent that neither overflows nor underflows: mantissa is 0, or of a magnitude in [1/2, 1).
/// It begins as 1.
struct ScaledProduct {
  double mantissa = 0.5;
  long long exponent = 1;

  TESSERA_BOTH void times(double x)
  {
    using std::frexp;
    int power = 0, carry = 0;
    mantissa = frexp(mantissa * frexp(x, &power), &carry);
    exponent += power + carry;
  }

  TESSERA_BOTH void times(const ScaledProduct &other)
  {
    times(other.mantissa);
    exponent += other.exponent;
  }

  /// other is not 0.
  TESSERA_BOTH void divide_by(const ScaledProduct &other)
  {
    times(1 / other.mantissa);
    exponent -= other.exponent;
  }
};

} // namespace tessera
#endif
