#ifndef TESSERA_TESTS_SUPPORT_COMPLEX_CASES_HPP
#define TESSERA_TESTS_SUPPORT_COMPLEX_CASES_HPP

#include "base/symmetry.hpp"
#include "support/inertia.hpp"
#include "support/lu_cases.hpp"

namespace tessera::test {

/// A real symmetric matrix with a random argument for each pair of mirror images, conjugate ones in a Hermitian matrix,
/// whose diagonal stays real.
template <Symmetry S>
MatrixOf<Complex> with_arguments_of_pairs(const Matrix &a);

/// (1 + i) Q A Qᵀ, or Q A Qᴴ, for a real symmetric A and a diagonal Q of random powers of i: of the same rank and of
/// the same inertia, without rounding.
template <Symmetry S>
MatrixOf<Complex> turned_pairs(const Matrix &a);

/// The upper triangle alone in reverse order of storage; what is below the diagonal has it as its source.
template <Symmetry S>
StoredOf<Complex> store_upper(const MatrixOf<Complex> &a);

/// Of a Hermitian matrix, by LAPACK's zheev: eigenvalues at most 1e-12 times the largest are 0.
Inertia inertia_of(const MatrixOf<Complex> &a);

} // namespace tessera::test
#endif
