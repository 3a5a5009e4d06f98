#ifndef TESSERA_BASE_SCALAR_HPP
#define TESSERA_BASE_SCALAR_HPP

#include <cmath>
#include <complex>
#include <limits>

namespace tessera {

using Complex = std::complex<double>;

// What algorithms for real and for complex numbers ask of both. The operators of std::complex look for what is not
// finite on the way, and its magnitude for what overflows there, which takes several times as long as the rest.

inline double product(double x, double y)
{
  return x * y;
}
inline Complex product(Complex x, Complex y)
{
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

inline double quotient(double x, double y)
{
  return x / y;
}
/// Without overflow on the way (Smith 1962).
inline Complex quotient(Complex x, Complex y)
{
  const bool real = std::abs(y.real()) >= std::abs(y.imag());
  const double large = real ? y.real() : y.imag(), small = real ? y.imag() : y.real();
  const double ratio = small / large, divisor = large + small * ratio;
  return real ? Complex((x.real() + x.imag() * ratio) / divisor, (x.imag() - x.real() * ratio) / divisor)
              : Complex((x.real() * ratio + x.imag()) / divisor, (x.imag() * ratio - x.real()) / divisor);
}

/// |x|², which may overflow or underflow.
inline double squared_magnitude(double x)
{
  return x * x;
}
inline double squared_magnitude(Complex x)
{
  return x.real() * x.real() + x.imag() * x.imag();
}

inline double magnitude(double x)
{
  return std::abs(x);
}
/// Whether the square of a magnitude has all its digits.
inline bool is_good_square(double square)
{
  constexpr double least = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
  return square >= least && square <= std::numeric_limits<double>::max();
}
inline double magnitude(Complex x)
{
  const double square = squared_magnitude(x);
  return is_good_square(square) ? std::sqrt(square) : std::abs(x);
}

/// What an analysis sees of an entry: of a complex one the magnitude.
inline double analysed(double x)
{
  return x;
}
inline double analysed(Complex x)
{
  return magnitude(x);
}

/// Whether |x| <= bound, which a NaN is not. A complex x is not where the square of the bound overflows or underflows.
inline bool is_at_most(double x, double bound)
{
  return std::abs(x) <= bound;
}
inline bool is_at_most(Complex x, double bound)
{
  const double square = bound * bound;
  return squared_magnitude(x) <= square && is_good_square(square);
}

inline bool is_finite(double x)
{
  return std::isfinite(x);
}
inline bool is_finite(Complex x)
{
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}

} // namespace tessera
#endif
