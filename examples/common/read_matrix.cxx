#include "read_matrix.hpp"

#include "file_text.hpp"
#include "matrix_market.hpp"
#include "vector_file.hpp"
#include <limits>

namespace examples {
namespace {

PetscErrorCode ReadBinaryMatrix(const std::string &file, System *system)
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

PetscErrorCode ReadMatrixMarket(const std::string &file, System *system)
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

} // namespace

PetscErrorCode ReadMatrix(const std::string &file, System *system)
{
  PetscBool binary;

  PetscFunctionBeginUser;
  PetscCall(IsPetscBinary(file, MAT_FILE_CLASSID, &binary));
  if (binary)
    PetscCall(ReadBinaryMatrix(file, system));
  else
    PetscCall(ReadMatrixMarket(file, system));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
