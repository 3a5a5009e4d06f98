#ifndef EXAMPLES_CIRCUIT_TRANSIENT_HPP
#define EXAMPLES_CIRCUIT_TRANSIENT_HPP

#include "newton.hpp"

namespace examples {

/// The steps in time.
struct Schedule {
  PetscInt steps = 100; ///< 0: the operating point alone
  PetscReal step = 1e-11;
  bool trapezoidal = true; ///< otherwise backward Euler
};

/// How far it came.
struct Course {
  const char *failure = nullptr; ///< why Newton's method failed, or NULL
  PetscInt steps = 0;            ///< in time, done
  PetscInt operating_iterations = 0;
};

/// Computes the operating point at time 0, without currents through capacitors, and from there the steps. On the way to
/// it capacitors are charged from the first guess, in steps that grow. x holds that guess, then the last voltages and
/// currents of sources. The first step is one of backward Euler by either rule,
/// since the currents through capacitors jump where a source does.
PetscErrorCode RunTransient(const Schedule &schedule, Equations *equations, Newton *newton, Vec x, Course *course);

} // namespace examples
#endif
