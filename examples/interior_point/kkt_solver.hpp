#ifndef EXAMPLES_INTERIOR_POINT_KKT_SOLVER_HPP
#define EXAMPLES_INTERIOR_POINT_KKT_SOLVER_HPP

#include "kkt_matrix.hpp"
#include <petscksp.h>

namespace examples {

/// Solves the systems of all steps with one KSP, which has the options of the command line. A factor that tells its
/// inertia has to have a negative eigenvalue for each variable and a positive one for each row: where some are
/// missing, delta (on the variables) or gamma (on the rows) is added to the diagonal and grows until none is. Other
/// factors get a little gamma from the first step on, and more of both when a setup or solve fails.
class KktSolver {
public:
  /// Seconds and iterations of the KSP.
  struct Effort {
    double setup = 0, solve = 0;
    PetscInt iterations = 0, setups = 0;
  };

  /// What the last factor says about its eigenvalues.
  struct Inertia {
    bool known = false;
    PetscInt negative = 0, zero = 0, positive = 0;
  };

  KktSolver() = default;
  ~KktSolver();
  KktSolver(const KktSolver &) = delete;
  KktSolver &operator=(const KktSolver &) = delete;

  /// Makes matrix and KSP for a program. Options: those of the KSP, -mat_type, -refine,
  /// -analyze_every.
  PetscErrorCode Create(const Program &program);

  /// Puts the diagonals in and sets the KSP up. `good` is false if no regularization helped:
  /// the factorization fails, or the inertia of a quadratic program is wrong, as it is if that is not convex.
  PetscErrorCode Factor(const Values &d_x, const Values &d_w, bool *good);

  /// Adds more to the diagonal and factors again, after a solve that was not good.
  PetscErrorCode FactorMoreRegular(bool *good);

  /// What is added to the diagonal.
  struct Regularization {
    PetscReal delta, gamma;
  };
  Regularization regularization() const { return {delta_, gamma_}; }
  void SetRegularization(Regularization next)
  {
    delta_ = next.delta;
    gamma_ = next.gamma;
  }

  /// Has the next factor have more of delta, of gamma, or of both, unless so much may do harm to a step. Returns
  /// whether it will.
  bool GrowRegularization(bool variables, bool rows);

  /// Solves, and refines with the residual of the matrix without delta and gamma. b_x and b_y are the right-hand side;
  /// `good` is whether the solution is good enough for a step.
  PetscErrorCode Solve(const Values &b_x, const Values &b_y, Values *dx, Values *dy, bool *good);

  /// Effort since the last call.
  Effort TakeEffort();

  const Inertia &inertia() const { return inertia_; }
  PetscReal delta() const { return delta_; }
  PetscReal gamma() const { return gamma_; }
  /// Whether a factor that tells its inertia needed gamma: it had too few positive eigenvalues without, as where rows
  /// depend on each other, or its solutions were no good.
  bool lacks_rows() const { return watched_ && gamma_ > 0; }

  KSP ksp() const { return ksp_; }

private:
  PetscErrorCode ReadAnalyzeEvery();
  PetscErrorCode SetUp(bool *failed);
  PetscErrorCode ReadInertia();
  PetscErrorCode ForgetAnalysis();
  PetscErrorCode FactorUntilRegular(bool *good);
  bool WantsMore(bool failed, bool *variables, bool *rows) const;
  PetscErrorCode Residual(PetscReal *norm, PetscReal *regular_norm);
  PetscErrorCode Correct();
  PetscErrorCode GetSolution(Values *dx, Values *dy) const;

  KktMatrix matrix_;
  KSP ksp_ = nullptr;
  Vec rhs_ = nullptr, solution_ = nullptr, residual_ = nullptr, correction_ = nullptr;
  Vec regularization_ = nullptr; // [-delta; gamma]
  Vec previous_ = nullptr, work_ = nullptr;
  Values d_x_, d_w_;
  bool quadratic_ = false;
  bool watched_ = true; // as far as is known the factor tells its inertia
  PetscReal delta_ = 0, gamma_ = 0;
  PetscInt most_refinements_ = 3, analyze_every_ = 1, factors_ = 0;
  Inertia inertia_;
  Effort effort_;
};

} // namespace examples
#endif
