#ifndef TESSERA_TILE_SCALARS_HPP
#define TESSERA_TILE_SCALARS_HPP

#include "base/portable.hpp"

#include <cmath>
#include <limits>

namespace tessera {

// Limits of T as constants, which device code may use where it may not call a function of the host.
template <class T>
constexpr T largest_finite = std::numeric_limits<T>::max();
template <class T>
constexpr T smallest_normal = std::numeric_limits<T>::min();
template <class T>
constexpr T rounding = std::numeric_limits<T>::epsilon();
template <class T>
constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

// The operations on lanes that kernels also do with scalars, each rounded once, on the host and on the device alike.
// Where a lane is a scalar they are the operations on lanes.

TESSERA_COLLECTIVE double fma(double a, double b, double c)
{
  return ::fma(a, b, c);
}
TESSERA_COLLECTIVE float fma(float a, float b, float c)
{
  return ::fmaf(a, b, c);
}
TESSERA_COLLECTIVE double abs(double x)
{
  return ::fabs(x);
}
TESSERA_COLLECTIVE float abs(float x)
{
  return ::fabsf(x);
}
TESSERA_COLLECTIVE double sqrt(double x)
{
  return ::sqrt(x);
}
TESSERA_COLLECTIVE float sqrt(float x)
{
  return ::sqrtf(x);
}
template <class T>
TESSERA_COLLECTIVE T select(bool m, T a, T b)
{
  return m ? a : b;
}
template <class T>
TESSERA_COLLECTIVE T max(T a, T b)
{
  return a > b ? a : b;
}
template <class T>
TESSERA_COLLECTIVE bool finite(T x)
{
  return abs(x) <= largest_finite<T>;
}

} // namespace tessera
#endif
