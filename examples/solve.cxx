static char help[] = "Solves A x = b with a matrix from a file, by any PETSc method, and checks the answer.\n\n"
                     "  -f FILE              matrix: Matrix Market (.mtx, .mtx.gz) or PETSc binary\n"
                     "  -name NAME           name in the report; default: the file's\n";

#include "common/file_text.hpp"
#include "common/main.hpp"
#include "common/matrix_market.hpp"
#include "common/vector_file.hpp"
#include <limits>

using namespace examples;

static PetscErrorCode ReadBinaryMatrix(const std::string &file, System *system)
{
  PetscViewer viewer;
  Mat aij;

  PetscFunctionBeginUser;
  PetscCall(OpenPetscBinary(file, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &aij));
  PetscCall(MatSetType(aij, MATAIJ));
  PetscCall(MatLoad(aij, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(SetMatrixAIJ(system, aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadMatrixMarket(const std::string &file, System *system)
{
  PetscBool symmetric;

  PetscFunctionBeginUser;
  Csr a;
  {
    std::string text;
    PetscCall(ReadFileText(file, std::numeric_limits<std::size_t>::max(), &text));
    PetscCall(ParseMatrixMarket(file, text, &a, &symmetric));
  }
  PetscCall(SetMatrixWhole(system, a, symmetric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadSystem(System *system)
{
  std::string file;
  PetscBool binary;

  PetscFunctionBeginUser;
  PetscCall(GetFileOptions("matrix", &file, &system->name));
  PetscCall(IsPetscBinary(file, MAT_FILE_CLASSID, &binary));
  if (binary)
    PetscCall(ReadBinaryMatrix(file, system));
  else
    PetscCall(ReadMatrixMarket(file, system));
  PetscCall(SetRightHandSide(system));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return ExampleMain(argc, argv, help, "read", ReadSystem);
}
