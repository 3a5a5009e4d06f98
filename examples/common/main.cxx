#include "main.hpp"

#include "file_text.hpp"
#include "live_line.hpp"
#include "solve_system.hpp"

#include <cstdio>
#include <cstring>
#include <new>
#include <petscksp.h>
#include <petsctime.h>

namespace examples {
namespace {

/// PETSc error handler that prints the first line of the message where the error arises, and nothing on the way up.
PetscErrorCode PrintOneLine(MPI_Comm comm, int, const char *, const char *, PetscErrorCode code, PetscErrorType type,
                            const char *message, void *)
{
  PetscMPIInt rank = 0;
  if (comm != PETSC_COMM_SELF)
    MPI_Comm_rank(comm, &rank);
  if (type == PETSC_ERROR_INITIAL && rank == 0) {
    const char *text = message && *message ? message : "PETSc error";
    std::fprintf(stderr, "error: %.*s\n", static_cast<int>(std::strcspn(text, "\n")), text);
  }
  return code;
}

PetscErrorCode BuildAndSolve(const char *phase, BuildFunction build, int *status)
{
  PetscBool solved;
  System system;
  PetscLogDouble begin, end;

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&begin));
  {
    LiveLine live(PETSC_COMM_WORLD, phase);
    PetscCall(build(&system));
  }
  PetscCall(PetscTime(&end));
  system.read_seconds = end - begin;
  PetscCall(SolveAndReport(system, &solved));
  *status = solved ? 0 : 2;
  PetscCall(DestroySystem(&system));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunGuarded(const BodyFunction &body, int *status)
{
  PetscBool trace = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-error_trace", &trace, nullptr));
  if (!trace)
    PetscCall(PetscPushErrorHandler(PrintOneLine, nullptr));
  try {
    PetscCall(body(status));
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  }
  if (!trace)
    PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int GuardedMain(int argc, char **argv, const std::string &help, const BodyFunction &body)
{
  int status = 1;
  if (PetscInitialize(&argc, &argv, nullptr, help.c_str()) != PETSC_SUCCESS)
    return 1;
  if (RunGuarded(body, &status) != PETSC_SUCCESS) {
    // Objects of the failed run are still alive and other processes may wait in a collective call.
    PetscMPIInt size = 1;
    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    if (size > 1)
      MPI_Abort(PETSC_COMM_WORLD, 1);
    return 1;
  }
  return PetscFinalize() == PETSC_SUCCESS ? status : 1;
}

int ExampleMain(int argc, char **argv, const char *help, const char *phase, BuildFunction build)
{
  return GuardedMain(argc, argv, std::string(help) + solve_options_help,
                     [=](int *status) { return BuildAndSolve(phase, build, status); });
}

PetscErrorCode GetFileOptions(const char *what, std::string *file, std::string *name)
{
  char text[PETSC_MAX_PATH_LEN];
  PetscBool given;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-f", text, sizeof text, &given));
  PetscCheck(given, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "give a %s: -f FILE (see -help)", what);
  *file = text;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-name", text, sizeof text, &given));
  *name = given ? std::string(text) : BaseName(*file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
