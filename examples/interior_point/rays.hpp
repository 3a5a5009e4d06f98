#ifndef EXAMPLES_INTERIOR_POINT_RAYS_HPP
#define EXAMPLES_INTERIOR_POINT_RAYS_HPP

#include "iterate.hpp"
#include "reduce.hpp"

namespace examples {

/// What the direction of an iterate proves, up to `tolerance`, when the iterates diverge.
///   Infeasible: multipliers with A^T y + z = 0 that prove A x = w and the bounds to contradict each other (Farkas).
///   Unbounded:  a direction x with A x = 0, Q x = 0, inside all bounds, along which the objective falls.
/// Open if neither.
Status Judge(const Program &program, const Boxes &boxes, const Iterate &at, PetscReal tolerance);

} // namespace examples
#endif
