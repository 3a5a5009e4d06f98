#ifndef EXAMPLES_REPORT_HPP
#define EXAMPLES_REPORT_HPP

#include <petscksp.h>
#include <string>

namespace examples {

/// What came out of a solve. Norms are those of the residual r = b - A x computed from the returned x.
struct Result {
  std::string name;
  std::string mat_type, ksp_type, pc_type;
  PetscInt rows = 0;
  PetscCount entries = 0;
  PetscBool symmetric = PETSC_FALSE;
  PetscMPIInt processes = 1;

  KSPConvergedReason reason = KSP_CONVERGED_ITERATING; ///< what the method claims
  PetscInt iterations = 0;
  PetscReal accept = 0;            ///< largest relative residual that counts as solved
  PetscReal relative_residual = 0; ///< ||r||_2 / ||b||_2; ||r||_2 if b = 0
  PetscReal backward_error = 0;    ///< ||r||_inf / (||A||_inf ||x||_inf + ||b||_inf)
  PetscBool has_exact = PETSC_FALSE;
  PetscReal forward_error = 0; ///< ||x - exact||_inf / ||exact||_inf, up to the null space; only if has_exact
  PetscBool solved = PETSC_FALSE;

  double read_seconds = 0, setup_seconds = 0, solve_seconds = 0;
  PetscInt repeats = 0;                                      ///< of setup with the same pattern, and of the solve
  double repeat_setup_seconds = 0, repeat_solve_seconds = 0; ///< medians; only if repeats > 0
  PetscBool same_bits = PETSC_TRUE; ///< whether all repeats gave the first solution, bit by bit
};

/// Prints a result on standard output: some aligned lines for a reader, or with -row one line of key=value words, or
/// with -json one line of JSON.
PetscErrorCode PrintResult(const Result &result);

} // namespace examples
#endif
