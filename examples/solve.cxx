static char help[] = "Solves A x = b with a matrix from a file, by any PETSc method, and checks the answer.\n\n"
                     "  -f FILE              matrix: Matrix Market (.mtx, .mtx.gz) or PETSc binary\n"
                     "  -name NAME           name in the report; default: the file's\n";

#include "common/main.hpp"
#include "common/read_matrix.hpp"

using namespace examples;

static PetscErrorCode ReadSystem(System *system)
{
  std::string file;

  PetscFunctionBeginUser;
  PetscCall(GetFileOptions("matrix", &file, &system->name));
  PetscCall(ReadMatrix(file, system));
  PetscCall(SetRightHandSide(system));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return ExampleMain(argc, argv, help, "read", ReadSystem);
}
