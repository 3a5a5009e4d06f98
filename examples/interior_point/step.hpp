#ifndef EXAMPLES_INTERIOR_POINT_STEP_HPP
#define EXAMPLES_INTERIOR_POINT_STEP_HPP

#include "iterate.hpp"
#include "kkt_solver.hpp"

namespace examples {

/// The iterate that a method starts from, after Mehrotra (1992): the point of least norm that meets the equations, the
/// multipliers that leave the least dual residual, and both moved so far that all distances and multipliers are
/// positive and of one size. `good` is false if the solver fails.
PetscErrorCode Start(const Program &program, const Boxes &boxes, KktSolver *solver, Iterate *at, bool *good);

/// Makes all multipliers of bounds as large as what is left of any dual equation, as it is of a variable without
/// bounds: steps that make up for that would take smaller ones below 0, and are cut to nothing.
void RaiseMultipliers(const Program &program, const Boxes &boxes, Iterate *at);

/// Takes a predictor-corrector step (Mehrotra 1992). The KKT matrix is factored once; the system is solved for the step
/// to the solution, which says how much may be hoped for, and for the step that goes toward the central path and
/// corrects the products of the first. `lengths`: of the primal and of the dual step. `good` is false if the solver
/// fails; the iterate is then what it was.
PetscErrorCode TakeStep(const Program &program, const Boxes &boxes, const Residuals &residuals, KktSolver *solver,
                        Iterate *at, PetscReal lengths[2], bool *good);

} // namespace examples
#endif
