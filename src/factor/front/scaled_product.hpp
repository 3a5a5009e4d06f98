#ifndef TESSERA_FACTOR_FRONT_SCALED_PRODUCT_HPP
#define TESSERA_FACTOR_FRONT_SCALED_PRODUCT_HPP

#include "base/portable.hpp"
#include "base/scalar.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

/// x over 2^exponent: 0, or of a magnitude in [1/2, 1).
TESSERA_BOTH inline double fraction(double x, int *exponent)
{
  using std::frexp;
  return frexp(x, exponent);
}
inline Complex fraction(Complex x, int *exponent)
{
  int more = 0;
  std::frexp(std::max(std::abs(x.real()), std::abs(x.imag())), exponent); // the magnitude itself may overflow
  x = {std::ldexp(x.real(), -*exponent), std::ldexp(x.imag(), -*exponent)};
  std::frexp(std::abs(x), &more);
  *exponent += more;
  return {std::ldexp(x.real(), -more), std::ldexp(x.imag(), -more)};
}

/// A product mantissa 2^exponent of real or complex numbers that neither overflows nor underflows: mantissa is 0, or of
/// a magnitude in [1/2, 1), but for rounding where it is complex. It begins as 1.
template <class T>
struct ScaledProductOf {
  T mantissa = 0.5;
  long long exponent = 1;

  TESSERA_BOTH void times(T x)
  {
    int power = 0, carry = 0;
    mantissa = fraction(mantissa * fraction(x, &power), &carry);
    exponent += power + carry;
  }

  TESSERA_BOTH void times(const ScaledProductOf &other)
  {
    times(other.mantissa);
    exponent += other.exponent;
  }

  /// other is not 0.
  TESSERA_BOTH void divide_by(const ScaledProductOf<double> &other)
  {
    times(1 / other.mantissa);
    exponent -= other.exponent;
  }
};

using ScaledProduct = ScaledProductOf<double>;

} // namespace tessera
#endif
