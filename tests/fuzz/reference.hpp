#ifndef TESSERA_TESTS_FUZZ_REFERENCE_HPP
#define TESSERA_TESTS_FUZZ_REFERENCE_HPP

#include "support/dense.hpp"
#include "support/lu_cases.hpp"

#include <complex>
#include <type_traits>

namespace tessera::fuzz {

/// Scalars of dense references.
template <class T>
using Extended = std::conditional_t<std::is_same_v<T, double>, long double, std::complex<long double>>;

/// What a dense factorization with complete pivoting, in extended precision, says of a matrix. Entries are compared
/// with their mass: a bound of the magnitudes that they were added up of, which does not depend on scale factors.
struct Reference {
  Index negative = 0, zero = 0, positive = 0; ///< eigenvalues of D by sign; of LU all pivots but zeros are positive
  double smallest = 1;                        ///< pivot that is not zero, over its mass
  double noise = 0;                           ///< largest entry that is taken for zero, over its mass

  /// Rank and, where there is one, inertia are beyond doubt: pivots have digits left, and nothing was taken for zero
  /// that a later pivot may hang on. What is left of a singular matrix is less than its mass says, so that it is told
  /// from zero only where no pivot has lost many digits.
  bool certain() const { return zero == 0 ? smallest >= 1e-8 && noise == 0 : smallest >= 1e-3 && noise <= 1e-18; }
  bool regular() const { return certain() && zero == 0; }
};

/// Of a Hermitian or real symmetric matrix: L D Lᴴ with the pivoting of Bunch & Parlett (1971).
template <class T>
Reference reference_ldlt(test::DenseOf<T> a);

/// Of any square matrix: L U with complete pivoting.
template <class T>
Reference reference_lu(test::DenseOf<T> a);

/// max |b - A x| / (||A|| ||x|| + ||b||), in the maximum norm and in extended precision. Infinite where x is not
/// finite.
template <class T>
double exact_backward_error(const test::DenseOf<Extended<T>> &a, const std::vector<T> &x, const std::vector<T> &b);

} // namespace tessera::fuzz
#endif
