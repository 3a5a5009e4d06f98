#ifndef EXAMPLES_INTERIOR_POINT_STEP_HPP
#define EXAMPLES_INTERIOR_POINT_STEP_HPP

#include "iterate.hpp"
#include "kkt_solver.hpp"

namespace examples {

/// The iterate that a method starts from, after Mehrotra (1992): the point of least norm that meets the equations, the
/// multipliers that leave the least dual residual, and both moved so far that all distances and multipliers are
/// positive and of one size. `good` is false if the solver fails.
PetscErrorCode Start(const Program &program, const Boxes &boxes, KktSolver *solver, Iterate *at, bool *good);

/// Makes distances and multipliers so much larger that a step to the solution would leave them positive: where they are
/// small beside it, it is cut to nothing, and so are those that follow.
void MoveInside(const Boxes &boxes, const Iterate &step, Iterate *at);

/// Takes a predictor-corrector step (Mehrotra 1992). The KKT matrix is factored once; the system is solved for the step
/// to the solution, which says how much may be hoped for, and for the step that goes toward the central path and
/// corrects the products of the first. `lengths`: of the primal and of the dual step. `moves_inside`: as often it may
/// move the iterate inside instead, with lengths of 0, where the step to the solution would have next to no length; it
/// is 0 after a step that was taken. `good` is false if the solver fails; the iterate is then what it was.
PetscErrorCode TakeStep(const Program &program, const Boxes &boxes, const Residuals &residuals, KktSolver *solver,
                        Iterate *at, PetscReal lengths[2], PetscInt *moves_inside, bool *good);

} // namespace examples
#endif
