#ifndef TESSERA_HOST_FRONT_REFINEMENT_HPP
#define TESSERA_HOST_FRONT_REFINEMENT_HPP

#include "host/front/front_solve.hpp"

namespace tessera {

/// Iterative refinement in double precision (Skeel 1980), with the values of the matrix at its last factorization.
class Refinement {
public:
  Refinement(const FrontPlan &plan, FrontSolve &solve) : plan_(plan), solve_(solve) {}

  /// Copies the values of the matrix from the caller's. Returns -1, or the first row with an entry that is not finite.
  Index set_values(const double *values);

  /// Improves x, a solution of A x = b. Raises what the report says.
  void run(const double *b, double *x, const RefinementOptions &options, SolveReport &report);

  /// Of the matrix: its largest row sum of magnitudes.
  double norm() const { return norm_; }

  Offset bytes() const;

private:
  double residual(const double *b, const double *x);

  const FrontPlan &plan_;
  FrontSolve &solve_;
  std::vector<double> value_; ///< [entries of both triangles]
  double norm_ = 0;
  std::vector<double> residual_, correction_, better_;
};

} // namespace tessera
#endif
