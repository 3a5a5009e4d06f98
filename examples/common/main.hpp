#ifndef EXAMPLES_MAIN_HPP
#define EXAMPLES_MAIN_HPP

#include "system.hpp"

namespace examples {

/// Makes the system of an example, right-hand side included, after PetscInitialize().
using BuildFunction = PetscErrorCode (*)(System *system);

/// Runs an example: makes its system, solves it with the options and reports (solve_system.hpp). phase: what is said
/// while `build` runs. Returns the exit status: 0 solved, 1 an error, 2 not solved. An error is one line on stderr;
/// with -error_trace it is PETSc's usual trace of calls.
int ExampleMain(int argc, char **argv, const char *help, const char *phase, BuildFunction build);

/// Options -f FILE, which has to be there, and -name NAME, by default the file's name. what: that the file holds.
PetscErrorCode GetFileOptions(const char *what, std::string *file, std::string *name);

} // namespace examples
#endif
