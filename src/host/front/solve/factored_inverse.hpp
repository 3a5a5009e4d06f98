#ifndef TESSERA_HOST_FRONT_SOLVE_FACTORED_INVERSE_HPP
#define TESSERA_HOST_FRONT_SOLVE_FACTORED_INVERSE_HPP

#include "base/types.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace tessera {

/// The inverse of a regular matrix of m rows from its factors, the sum of all x_q y_qᵀ / d_q.
struct FactoredInverse {
  std::vector<double> value; ///< [m] the d_q
  std::vector<double> right; ///< [m, m] the x_q, one behind the other
  std::vector<double> left;  ///< the y_q; empty of a symmetric matrix, of which they are the same
  bool is_odd = false;       ///< the determinant is the product of all d_q, or minus that

  /// Whether the inverse has a norm below 1, by its row and column sums: no eigenvalue and no singular value of the
  /// matrix is as small as 1 then.
  bool has_norm_below_one() const;

  /// Of a symmetric matrix, else 0.
  Offset negative_eigenvalues() const
  {
    return !is_symmetric() ? 0 : std::count_if(value.begin(), value.end(), [](double d) { return d < 0; });
  }
  bool is_symmetric() const { return left.empty(); }
  const std::vector<double> &left_vectors() const { return is_symmetric() ? right : left; } ///< [m, m] the y_q
};

/// By L D Lᵀ with the pivots of Bunch and Kaufman (1977), 2x2 ones rotated to their eigenvalues, so that the d_q have
/// the signs of the eigenvalues (Sylvester). a: [m, m] symmetric, of which the lower triangle is read. None where a
/// pivot is 0.
std::optional<FactoredInverse> invert_symmetric(int m, std::vector<double> a);

/// The number of negative eigenvalues, by the same factors. None where a pivot is 0, or no number.
std::optional<Offset> count_negative_eigenvalues(int m, std::vector<double> a);

/// By L U with partial pivoting. a: [m, m] by columns. None where a pivot is 0.
std::optional<FactoredInverse> invert_any(int m, std::vector<double> a);

} // namespace tessera
#endif
