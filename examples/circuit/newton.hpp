#ifndef EXAMPLES_CIRCUIT_NEWTON_HPP
#define EXAMPLES_CIRCUIT_NEWTON_HPP

#include "equations.hpp"
#include <petscksp.h>

namespace examples {

/// Newton's method with one KSP for all systems, which has the options of the command line.
class Newton {
public:
  /// Seconds, and iterations of Newton's method and of the KSP.
  struct Effort {
    double assembly = 0, setup = 0, solve = 0;
    PetscInt iterations = 0, linear = 0;
  };

  Newton() = default;
  ~Newton();
  Newton(const Newton &) = delete;
  Newton &operator=(const Newton &) = delete;

  /// Options: those of the KSP, -newton_max, -voltage_tol, -current_tol, -view_steps.
  PetscErrorCode Create(Equations *equations);

  /// Solves the equations at their time from the x that is given. `failure` is NULL, or why there is no solution: a
  /// linear system was not solved, or the iterations came to their end.
  PetscErrorCode Solve(PetscReal time, Vec x, const char **failure);

  KSP ksp() const { return ksp_; }
  const Effort &effort() const { return effort_; }

private:
  PetscErrorCode Iterate(Vec x, PetscReal *change, const char **failure);
  PetscErrorCode Move(Vec x);
  PetscErrorCode Measure(Vec x, bool *small);
  PetscErrorCode View(PetscReal time, PetscInt iteration, PetscReal change, const Effort &before);

  Equations *equations_ = nullptr;
  KSP ksp_ = nullptr;
  Vec step_ = nullptr;
  Vec most_ = nullptr; // work
  PetscInt most_iterations_ = 100;
  PetscReal voltage_tolerance_ = 1e-6, current_tolerance_ = 1e-9;
  PetscReal imbalance_ = 0; // largest entry of the residual
  PetscBool view_ = PETSC_FALSE;
  Effort effort_;
};

} // namespace examples
#endif
