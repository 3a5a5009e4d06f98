#ifndef EXAMPLES_RESIDUAL_HPP
#define EXAMPLES_RESIDUAL_HPP

#include <petscmat.h>

namespace examples {

/// Measures of r = b - A x.
struct Residual {
  PetscReal norm = 0;           ///< ||r||_2
  PetscReal relative = 0;       ///< ||r||_2 / ||b||_2; ||r||_2 if b = 0
  PetscReal backward_error = 0; ///< ||r||_inf / (||A||_inf ||x||_inf + ||b||_inf)
};

/// Computes r from A, b and x alone, and measures it.
PetscErrorCode ComputeResidual(Mat A, Vec b, Vec x, Residual *residual);

} // namespace examples
#endif
