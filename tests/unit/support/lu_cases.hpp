#ifndef TESSERA_TESTS_SUPPORT_LU_CASES_HPP
#define TESSERA_TESTS_SUPPORT_LU_CASES_HPP

#include "base/scalar.hpp"
#include "factor/front/make_plan.hpp"
#include "factor/front/scaled_product.hpp"
#include "support/dense.hpp"
#include "support/factor_cases.hpp"

#include <cmath>

namespace tessera::test {

/// Random numbers in all places.
Matrix dense_unsymmetric(Index n, unsigned seed);

/// Random values on the entries of a graph and, with `diagonal`, on the diagonal; about `missing` of 8 entries of the
/// graph are left out on one side.
Matrix unsymmetric_on(const Pattern &graph, bool diagonal, unsigned missing, unsigned seed);

/// Rows and columns times powers of two up to 2^-66 or 2^66.
Matrix badly_scaled(Matrix a, unsigned seed);

/// Blocks of these sizes on the diagonal, each a random one, and entries below them.
Matrix block_triangular(const std::vector<Index> &sizes, unsigned seed);

/// Rows and columns in a random order each.
Matrix shuffled(const Matrix &a, unsigned seed);

/// One of each kind, small enough for dense references.
std::vector<NamedMatrix> lu_cases();

PlanOptions plan_options(Preprocessing preprocessing, Ordering ordering, Index nemin);

/// Plans of every kind.
const std::vector<PlanOptions> &lu_plans();

/// A matrix of real or complex values.
template <class T>
struct MatrixOf {
  Pattern pattern;
  std::vector<T> value;
};

/// The matrix itself, or with a random argument for each entry.
template <class T>
MatrixOf<T> with_arguments(const Matrix &a);

/// The matrix itself, or with rows and columns times random powers of i, and all entries times 1 + i: of the same rank,
/// and without rounding.
template <class T>
MatrixOf<T> turned(const Matrix &a);

/// What an analysis sees of a matrix: of a complex one the magnitudes.
template <class T>
Matrix analysed_values(const MatrixOf<T> &a)
{
  Matrix result{a.pattern, {}};
  for (const T &x : a.value)
    result.value.push_back(analysed(x));
  return result;
}

template <class T>
MatrixOf<T> transposed(const MatrixOf<T> &a);

/// In extended precision.
Dense extended(const MatrixOf<double> &a);
DenseOf<std::complex<long double>> extended(const MatrixOf<Complex> &a);

/// How far a determinant is from that of a matrix in extended precision, both over the power of two of the first.
template <class T>
double determinant_error(const ScaledProductOf<T> &found, const MatrixOf<T> &a)
{
  const auto expected = determinant(extended(a)) * std::ldexp(1.0L, -int(found.exponent));
  return double(std::abs(decltype(expected)(found.mantissa) - expected));
}

/// n random numbers, the parts of complex ones in -1 .. 1.
template <class T>
std::vector<T> random_numbers(Index n, unsigned seed);

/// Two dense blocks of k rows beside a dense one of m, to which both are coupled densely: a front of k columns, and its
/// parent with the others. Columns 0 and k - 1 are `small` but in rows begin .. end - 1.
Matrix two_fronts(Index k, Index m, double small, Index begin, Index end);

} // namespace tessera::test
#endif
