#ifndef TESSERA_HOST_FRONT_ELIMINATE_INVERSE_PAIR_HPP
#define TESSERA_HOST_FRONT_ELIMINATE_INVERSE_PAIR_HPP

#include "base/symmetry.hpp"

#include <algorithm>

namespace tessera {

/// The 2x2 system of a pivot: the inverse of [a b; b c], or of the Hermitian [a b̄; b c].
template <class T, Symmetry S>
struct InversePair {
  T own_first, own_second, other; ///< entries (0, 0), (1, 1) and (1, 0)

  InversePair(T a, T b, T c)
  {
    const T size = without_argument<S>(b);
    const T p = quotient(a, size), q = quotient(c, size), scale = quotient(T(1), product(size, product(p, q) - T(1)));
    own_first = product(q, scale);
    own_second = product(p, scale);
    other = -scale;
    if (S == Symmetry::Hermitian)
      other = product(other, quotient(b, size));
  }

  /// The row [x y] times the inverse.
  T first_of_row(T x, T y) const { return product(own_first, x) + product(other, y); }
  T second_of_row(T x, T y) const { return product(mirrored<S>(other), x) + product(own_second, y); }
  /// The inverse times the column [x; y].
  T first_of_column(T x, T y) const { return product(own_first, x) + product(mirrored<S>(other), y); }
  T second_of_column(T x, T y) const { return product(other, x) + product(own_second, y); }

  /// The largest row sum of magnitudes of the pivot itself.
  static double size(T a, T b, T c) { return std::max(magnitude(a), magnitude(c)) + magnitude(b); }
};

} // namespace tessera
#endif
