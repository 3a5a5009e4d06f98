#ifndef TESSERA_FACTOR_FRONT_STATIC_PIVOTS_HPP
#define TESSERA_FACTOR_FRONT_STATIC_PIVOTS_HPP

#include "base/portable.hpp"
#include "factor/front/options.hpp"

namespace tessera {

/// The magnitude of the smallest pivot of static pivoting for a matrix whose largest scaled entry has this magnitude.
TESSERA_BOTH inline double least_static_pivot(double largest)
{
  return static_least_pivot * (largest > 0 ? largest : 1);
}

/// A pivot with the sign of d and this magnitude.
TESSERA_BOTH inline double pivot_of_size(double d, double size)
{
  return d < 0 ? -size : size;
}

/// Whether the smaller singular value of a 2x2 pivot [a b; b c] is at least that of static pivoting. Where L below it
/// is not tested, any pair would do without. b: its magnitude; determinant, first and second: those of
/// a c / b² - 1, a / b and c / b.
TESSERA_BOTH inline bool is_large_pair(double determinant, double b, double first, double second, double least)
{
  const double larger = first > second ? first : second;
  return determinant * b >= least * (larger > 1 ? larger : 1);
}

} // namespace tessera
#endif
