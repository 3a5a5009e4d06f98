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

/// What a dense factorization with complete pivoting, in extended precision, says of a matrix whose rows and columns it
/// has scaled.
struct Reference {
  double smallest = 0;                          ///< pivot that is not taken for zero, over the largest one
  double next = 0;                              ///< largest pivot that is taken for zero, over the largest one
  Index negative = 0, zero = 0, positive = 0;   ///< eigenvalues of D by sign; of LU all pivots but zeros are positive
  bool regular(double least) const { return zero == 0 && smallest >= least; }
  /// Rank and, where there is one, inertia are beyond doubt.
  bool certain(double least) const { return smallest >= least && next <= 1e-18; }
};

/// Of a Hermitian or real symmetric matrix: L D Lᴴ with the pivoting of Bunch & Parlett (1971).
template <class T>
Reference reference_ldlt(test::DenseOf<T> a);

/// Of any square matrix: L U with complete pivoting.
template <class T>
Reference reference_lu(test::DenseOf<T> a);

/// max |b - A x| / (||A|| ||x|| + ||b||), in the maximum norm and in extended precision. Infinite where x is not finite.
template <class T>
double exact_backward_error(const test::DenseOf<Extended<T>> &a, const std::vector<T> &x, const std::vector<T> &b);

} // namespace tessera::fuzz
#endif
