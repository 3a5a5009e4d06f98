#ifndef TESSERA_HOST_FRONT_MEASURED_ROUNDING_HPP
#define TESSERA_HOST_FRONT_MEASURED_ROUNDING_HPP

#include <cmath>
#include <limits>

namespace tessera {

/// How much of a pivot yᵀ A x that was measured may be nothing but rounding: two units of the root of the sum of all
/// (y_i a_ij x_j)², which is what independent errors of the entries of A make of it, and as much of a millionth of its
/// mass, for what is of second order. Elimination has errors of first order, of units of rounding of the whole mass.
/// That would hide pivots that the matrix has, in one order of the rows and not in the next: masses depend on the order
/// and on the kind of factor, the root does not. Where A x or Aᵀ y are 0 but for rounding, as of constraints that
/// depend on each other, the root is not much either, and the mass decides: there pivots come out as at most 1e-8 of
/// two units of it.
///
/// squares: the sum; mass: of LU the root of those of its row and its column, one after the other.
inline double measured_rounding(double squares, double mass)
{
  constexpr double second_order = 0x1p-20;
  return 2 * std::numeric_limits<double>::epsilon() * (std::sqrt(squares) + second_order * mass);
}

} // namespace tessera
#endif
