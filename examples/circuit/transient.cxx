#include "transient.hpp"

namespace examples {
namespace {

constexpr PetscReal first_step = 1e-12, least_step = 1e-18, most_step = 1e-3; // seconds
constexpr PetscReal growth = 4, shrinkage = 100;

/// Follows the currents through capacitors, from the x that is given, with the sources held at their first voltages,
/// until little changes: channels that do not conduct, of which there are many at first, leave a matrix without
/// capacitors nearly singular.
PetscErrorCode Settle(Equations *equations, Newton *newton, Vec x, const char **failure)
{
  Vec last;
  bool settled = false;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &last));
  for (PetscReal step = first_step; step >= least_step && step <= most_step && !settled;) {
    const PetscInt before = newton->effort().iterations;
    PetscCall(equations->Accept(x));
    PetscCall(VecCopy(x, last));
    equations->SetTime(0, {1 / step, 0});
    PetscCall(newton->Solve(0, x, failure));
    if (*failure)
      PetscCall(VecCopy(last, x));
    settled = !*failure && newton->effort().iterations == before + 1;
    step = *failure ? step / shrinkage : step * growth;
  }
  PetscCall(VecDestroy(&last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode RunTransient(const Schedule &schedule, Equations *equations, Newton *newton, Vec x, Course *course)
{
  PetscFunctionBeginUser;
  PetscCall(Settle(equations, newton, x, &course->failure));
  equations->SetTime(0, {});
  if (!course->failure)
    PetscCall(newton->Solve(0, x, &course->failure));
  course->operating_iterations = newton->effort().iterations;
  while (!course->failure && course->steps < schedule.steps) {
    PetscCall(equations->Accept(x));
    const bool trapezoidal = schedule.trapezoidal && course->steps > 0;
    const PetscReal time = schedule.step * (course->steps + 1);
    equations->SetTime(time, {(trapezoidal ? 2 : 1) / schedule.step, trapezoidal ? 1.0 : 0.0});
    PetscCall(newton->Solve(time, x, &course->failure));
    course->steps += !course->failure;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
