#ifndef TESSERA_HOST_FRONT_SOLVE_SCHUR_OF_ZEROS_HPP
#define TESSERA_HOST_FRONT_SOLVE_SCHUR_OF_ZEROS_HPP

#include "base/types.hpp"
#include "factor/front/scaled_product.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Rows of a symmetric matrix A that have zero pivots in L D Lᵀ, and are left out of the factor for that. With their
/// unit vectors Q and the solve G with the factor, which gives 0 in these rows, V = Q - G A Q is orthogonal by A to all
/// that is not left out, and Vᵀ A V is the Schur complement of the rows that are left out: A has its inertia and the
/// factor's (Haynsworth 1968). Errors of V enter it by their square only, as Rᵀ G R with R = A V, which is 0 in other
/// rows but for errors. What is left out is nothing but rounding where Vᵀ A V is.
///
/// All are given for V as it was computed, in double precision, with A V in twice the digits.
struct SchurOfZeros {
  std::vector<double> product;       ///< [m, m] Vᵀ A V
  std::vector<double> error;         ///< [m, m] Rᵀ G R
  std::vector<double> squares, mass; ///< [m] sums of all (v_i a_ij v_j)²; masses of the pivots, see DirectOptions::zero

  explicit SchurOfZeros(std::size_t m) : product(m * m), error(m * m), squares(m), mass(m) {}
  std::size_t rows() const { return squares.size(); }
};

/// Eigenvalues of it, where rows are scaled so that what may be rounding of the diagonal is 1.
struct MeasuredZeros {
  bool known = false;            ///< false: the measurement is not finite, nothing else is known
  Offset zero = 0, negative = 0; ///< zero: of a magnitude of at most 1
  Offset uncertain = 0;          ///< of `zero` that are more than rounding of entries and errors of V explain
  /// [r] The λ_q that are not zero, and [r, m] vectors x_q: without what is zero the inverse of Vᵀ A V is the sum of
  /// all x_q x_qᵀ / λ_q.
  std::vector<double> eigenvalue, vector;
  ScaledProduct determinant; ///< of Vᵀ A V, where no eigenvalue is zero
};

/// What is zero is as for the pivots that the host measures one by one, see measured_rounding() and measure_pivots().
MeasuredZeros judge_zeros(const SchurOfZeros &schur);

} // namespace tessera
#endif
