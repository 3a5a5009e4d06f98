#ifndef EXAMPLES_MAIN_HPP
#define EXAMPLES_MAIN_HPP

#include <petscsys.h>

namespace examples {

/// What an example does between PetscInitialize() and PetscFinalize(); sets `solved` to whether it solved its system.
using ExampleFunction = PetscErrorCode (*)(PetscBool *solved);

/// Runs an example and returns its exit status: 0 solved, 1 an error, 2 not solved. An error is one line on stderr;
/// with -error_trace it is PETSc's usual trace of calls.
int ExampleMain(int argc, char **argv, const char *help, ExampleFunction run);

} // namespace examples
#endif
