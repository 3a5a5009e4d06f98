#ifndef EXAMPLES_MAIN_HPP
#define EXAMPLES_MAIN_HPP

#include "system.hpp"
#include <functional>

namespace examples {

/// Makes the system of an example, right-hand side included, after PetscInitialize().
using BuildFunction = PetscErrorCode (*)(System *system);

/// What an example does after PetscInitialize(), and its exit status.
using BodyFunction = std::function<PetscErrorCode(int *status)>;

/// Runs an example between PetscInitialize() and PetscFinalize(); returns the exit status, 1 for an error. An error is
/// one line on stderr; with -error_trace it is PETSc's usual trace of calls.
int GuardedMain(int argc, char **argv, const std::string &help, const BodyFunction &body);

/// Runs an example: makes its system, solves it with the options and reports (solve_system.hpp). phase: what is said
/// while `build` runs. Returns the exit status: 0 solved, 1 an error (see GuardedMain()), 2 not solved.
int ExampleMain(int argc, char **argv, const char *help, const char *phase, BuildFunction build);

/// Options -f FILE, which has to be there, and -name NAME, by default the file's name. what: that the file holds.
PetscErrorCode GetFileOptions(const char *what, std::string *file, std::string *name);

} // namespace examples
#endif
