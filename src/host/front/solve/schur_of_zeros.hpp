#ifndef TESSERA_HOST_FRONT_SOLVE_SCHUR_OF_ZEROS_HPP
#define TESSERA_HOST_FRONT_SOLVE_SCHUR_OF_ZEROS_HPP

#include "base/types.hpp"
#include "factor/front/scaled_product.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Rows of a matrix A, and as many columns, that are left out of its factor, as they have zero pivots. With the unit
/// vectors Q of these columns and P of these rows, and the solve G with the factor, which sees nothing of these rows
/// and gives 0 in these columns, V = Q - G A Q and U = P - Gᵀ Aᵀ P are orthogonal by A to all that is not left out, and
/// Uᵀ A V is the Schur complement of what is left out: rows that it lacks in rank A lacks as well. Of a symmetric
/// matrix U = V, and A has the inertia of Uᵀ A V and the factor's (Haynsworth 1968). Errors of U and V enter it by
/// their product only, as Rᵀ G S with R = Aᵀ U and S = A V, which are 0 elsewhere but for errors. What is left out is
/// nothing but rounding where Uᵀ A V is.
///
/// All are given for U and V as they were computed, in double precision, with A V and Aᵀ U in twice the digits.
template <class T>
struct SchurOfZerosOf {
  std::vector<T> product; ///< [m, m] Uᵀ A V, by columns
  std::vector<T> error;   ///< [m, m] Rᵀ G S; or empty: it is needed where something is zero, which is judged again
  std::vector<double> squares; ///< [m, m] sums of all |u_i a_ij v_j|²; of a symmetric matrix the diagonal is
                               ///< enough
  std::vector<double> row_root, column_root; ///< [m] roots of the masses of the pivots, see DirectOptions::zero

  explicit SchurOfZerosOf(std::size_t m) : product(m * m), error(m * m), squares(m * m), row_root(m), column_root(m) {}
  std::size_t rows() const { return row_root.size(); }
};
using SchurOfZeros = SchurOfZerosOf<double>;

/// Eigenvalues or singular values of it, where rows and columns are scaled so that what may be rounding is 1.
template <class T>
struct MeasuredZerosOf {
  bool known = false;            ///< false: the measurement is not finite, nothing else is known
  Offset zero = 0, negative = 0; ///< zero: of a magnitude of at most 1
  Offset uncertain = 0;          ///< of `zero` that are more than rounding of entries and errors of U and V explain
  /// [r] The λ_q that are not zero, and [r, m] vectors x_q and y_q: without what is zero the inverse of Uᵀ A V is the
  /// sum of all x_q y_qᵀ / λ_q. None where something is zero and errors are not known yet. Where nothing is zero they
  /// may be of factors, see FactoredInverse, which takes less time; of a symmetric matrix x_q = y_q but for the scale
  /// factors in either case.
  std::vector<double> value;
  double largest = 0; ///< eigenvalue or singular value, about
  std::vector<T> right, left;
  std::vector<double> row, column; ///< [m] factors: of entry (i, j) at most row_i column_j may be rounding
  ScaledProductOf<T> determinant;  ///< of Uᵀ A V, where nothing is zero
};
using MeasuredZeros = MeasuredZerosOf<double>;

/// Of a symmetric or Hermitian matrix, whose U is the conjugate of V: eigenvalues, x_q and y_q are conjugates. What is
/// zero is as for pivots that are measured one by one, see measured_rounding() and measure_pivots().
template <class T>
MeasuredZerosOf<T> judge_zeros(const SchurOfZerosOf<T> &schur);

/// Of any matrix: singular values.
template <class T>
MeasuredZerosOf<T> judge_singular_values(const SchurOfZerosOf<T> &schur);

/// Whether what errors of U and V make of the entries is far below what may be rounding of these.
template <class T>
bool has_small_errors(const SchurOfZerosOf<T> &schur);

/// Uᵀ A V: [m, m] without what is zero.
template <class T>
std::vector<T> without_zeros(const SchurOfZerosOf<T> &schur, const MeasuredZerosOf<T> &measured);

/// Of entry (i, j) of that so many times row_i column_j may be rounding of its own computation. An elimination of it
/// has to find what has singular values of little more than 1, and entries of less.
template <class T>
double rounding_without_zeros(const MeasuredZerosOf<T> &measured);

} // namespace tessera
#endif
