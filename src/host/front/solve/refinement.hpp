#ifndef TESSERA_HOST_FRONT_SOLVE_REFINEMENT_HPP
#define TESSERA_HOST_FRONT_SOLVE_REFINEMENT_HPP

#include "base/symmetry.hpp"
#include "base/types.hpp"
#include "factor/front/options.hpp"

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace tessera {

/// Iterative refinement in double precision (Skeel 1980), with the values of the matrix at its last factorization, and
/// where that comes to an end before its target, FGMRES with the factor.
template <class T>
class Refinement {
public:
  /// matrix: by rows. source: [entries] where the caller stores their values. solve(b, x): x = A⁻¹ b with the factor,
  /// apart from each other. symmetry: Hermitian where the diagonal counts as real.
  Refinement(const Pattern &matrix, const std::vector<Offset> &source, std::function<void(const T *b, T *x)> solve,
             Symmetry symmetry = Symmetry::Symmetric)
      : matrix_(matrix), source_(source), solve_(std::move(solve)), symmetry_(symmetry)
  {
  }

  /// Copies the values of the matrix from the caller's. Returns -1, or the first row with an entry that is not finite.
  Index set_values(const T *values);

  /// [entries] as the matrix has them.
  const std::vector<T> &values() const { return value_; }

  /// Improves X, solutions of A X = B, one column after the other. b: [columns, b_leading], x likewise, apart from b.
  /// Reports the most steps and the largest error; without steps asked for, nothing is done or measured.
  SolveReport run(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading,
                  const RefinementOptions &options);

  /// Of the matrix: its largest row sum of magnitudes, which may be infinite where the values are not.
  double norm() const { return std::ldexp(norm_, norm_exponent_); }

  Offset bytes() const;

private:
  static constexpr int sum_exponent = 40; ///< 2^-40 of the entries of a row can be added up without overflow

  double largest_row_sum(double factor) const;
  void improve(const T *b, T *x, const RefinementOptions &options, SolveReport &report);
  Index refine(const T *b, T *x, const RefinementOptions &options, MeasuredSolution &best);
  Index correct(const T *b, T *x, const RefinementOptions &options, Index most, MeasuredSolution &best);
  MeasuredSolution residual(const T *b, const T *x);
  void multiply(const T *x, T *y) const;

  const Pattern &matrix_;
  const std::vector<Offset> &source_;
  const std::function<void(const T *b, T *x)> solve_;
  const Symmetry symmetry_;
  std::vector<T> value_;  ///< [entries]
  double norm_ = 0;       ///< over 2^norm_exponent_
  int norm_exponent_ = 0; ///< other than 0 where the norm itself overflows
  std::vector<T> residual_, correction_, better_;
};

} // namespace tessera
#endif
