#ifndef EXAMPLES_SOLVE_SYSTEM_HPP
#define EXAMPLES_SOLVE_SYSTEM_HPP

#include "system.hpp"

namespace examples {

/// Text for -help on the options that SetMatrix...(), SetRightHandSide() and SolveAndReport() share.
extern const char *const solve_options_help;

/// Solves a system with the KSP that the options describe (relative tolerance 1e-6 unless -ksp_rtol says otherwise),
/// measures residual and errors itself, prints a report, and writes the solution with -write FILE. `solved` is whether
/// the true relative residual is within the tolerance asked for (-accept, by default that of the KSP), whatever the
/// method claims; if not, a line on stderr says so. Options: see solve_options_help.
PetscErrorCode SolveAndReport(const System &system, PetscBool *solved);

} // namespace examples
#endif
