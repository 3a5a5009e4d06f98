#ifndef EXAMPLES_INTERIOR_POINT_SCALING_HPP
#define EXAMPLES_INTERIOR_POINT_SCALING_HPP

#include "program.hpp"

namespace examples {

/// A program in variables x / variable, with its rows times `row` and its objective times `objective`. All factors are
/// powers of two, so that scaling rounds nothing.
struct Scaling {
  Values variable;         ///< [variables]
  Values row;              ///< [rows]
  PetscReal objective = 1; ///< also the factor of the multipliers
};

/// Equilibrates [Q A^T; A 0], rows and columns alike, until the largest entries are about one (Ruiz), and the costs.
Scaling Equilibrate(Program *program);

} // namespace examples
#endif
