#include "main.hpp"

#include <cstdio>
#include <cstring>
#include <new>
#include <petscksp.h>

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

PetscErrorCode RunGuarded(ExampleFunction run, PetscBool *solved)
{
  PetscBool trace = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-error_trace", &trace, nullptr));
  if (!trace)
    PetscCall(PetscPushErrorHandler(PrintOneLine, nullptr));
  try {
    PetscCall(run(solved));
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  }
  if (!trace)
    PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int ExampleMain(int argc, char **argv, const char *help, ExampleFunction run)
{
  PetscBool solved = PETSC_FALSE;
  if (PetscInitialize(&argc, &argv, nullptr, help) != PETSC_SUCCESS)
    return 1;
  if (RunGuarded(run, &solved) != PETSC_SUCCESS) {
    // Objects of the failed run are still alive and other processes may wait in a collective call.
    PetscMPIInt size = 1;
    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    if (size > 1)
      MPI_Abort(PETSC_COMM_WORLD, 1);
    return 1;
  }
  if (PetscFinalize() != PETSC_SUCCESS)
    return 1;
  return solved ? 0 : 2;
}

} // namespace examples
