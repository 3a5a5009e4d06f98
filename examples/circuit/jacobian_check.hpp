#ifndef EXAMPLES_CIRCUIT_JACOBIAN_CHECK_HPP
#define EXAMPLES_CIRCUIT_JACOBIAN_CHECK_HPP

#include "equations.hpp"

namespace examples {

/// Largest difference of an entry of the matrix to central differences of the residual, relative to the largest entry
/// of its row or 1e-6, at random voltages, with currents through capacitors. Takes a residual for each unknown, twice.
PetscErrorCode CheckJacobian(PetscInt64 seed, Equations *equations, PetscReal *difference);

} // namespace examples
#endif
