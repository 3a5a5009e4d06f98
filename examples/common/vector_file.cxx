#include "vector_file.hpp"

#include "file_text.hpp"
#include "matrix_market.hpp"
#include <algorithm>
#include <limits>

namespace examples {
namespace {

PetscErrorCode ReadBinaryVector(const std::string &file, Vec x)
{
  PetscViewer viewer;
  Vec read;
  PetscInt size, expected;

  PetscFunctionBeginUser;
  // Read into a vector of its own: VecLoad() into x would raise no clear error for another size.
  PetscCall(OpenPetscBinary(file, FILE_MODE_READ, &viewer));
  PetscCall(VecCreate(PETSC_COMM_WORLD, &read));
  PetscCall(VecSetType(read, VECSTANDARD));
  PetscCall(VecLoad(read, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecGetSize(read, &size));
  PetscCall(VecGetSize(x, &expected));
  PetscCheck(size == expected, PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ,
             "%s: %" PetscInt_FMT " values for a matrix of %" PetscInt_FMT " rows", file.c_str(), size, expected);
  PetscCall(VecCopy(read, x));
  PetscCall(VecDestroy(&read));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode IsPetscBinary(const std::string &file, PetscInt file_classid, PetscBool *binary)
{
  PetscFunctionBeginUser;
  std::string head;
  PetscCall(ReadFileText(file, 4, &head));
  PetscInt64 number = 0;
  for (const char c : head)
    number = number * 256 + static_cast<unsigned char>(c);
  *binary = head.size() == 4 && number == file_classid ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OpenPetscBinary(const std::string &file, PetscFileMode mode, PetscViewer *viewer)
{
  PetscFunctionBeginUser;
  PetscCall(PetscViewerCreate(PETSC_COMM_WORLD, viewer));
  PetscCall(PetscViewerSetType(*viewer, PETSCVIEWERBINARY));
  PetscCall(PetscViewerBinarySkipInfo(*viewer));
  PetscCall(PetscViewerFileSetMode(*viewer, mode));
  PetscCall(PetscViewerFileSetName(*viewer, file.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadVector(const std::string &file, Vec x)
{
  PetscBool binary;
  PetscInt size, first, end;
  PetscScalar *local;

  PetscFunctionBeginUser;
  PetscCall(IsPetscBinary(file, VEC_FILE_CLASSID, &binary));
  if (binary) {
    PetscCall(ReadBinaryVector(file, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  std::string text;
  std::vector<PetscScalar> values;
  PetscCall(ReadFileText(file, std::numeric_limits<std::size_t>::max(), &text));
  PetscCall(ParseMatrixMarketVector(file, text, &values));
  PetscCall(VecGetSize(x, &size));
  PetscCheck(values.size() == static_cast<std::size_t>(size), PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ,
             "%s: %zu values for a matrix of %" PetscInt_FMT " rows", file.c_str(), values.size(), size);
  PetscCall(VecGetOwnershipRange(x, &first, &end));
  PetscCall(VecGetArrayWrite(x, &local));
  std::copy(values.begin() + first, values.begin() + end, local);
  PetscCall(VecRestoreArrayWrite(x, &local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteVector(const std::string &file, Vec x)
{
  PetscFunctionBeginUser;
  if (!EndsWith(file, ".mtx")) {
    PetscViewer viewer;
    PetscCall(OpenPetscBinary(file, FILE_MODE_WRITE, &viewer));
    PetscCall(VecView(x, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  VecScatter gather;
  Vec whole;
  PetscInt size;
  PetscMPIInt rank;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(VecScatterCreateToZero(x, &gather, &whole));
  PetscCall(VecScatterBegin(gather, x, whole, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(gather, x, whole, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetSize(whole, &size));
  if (rank == 0) {
    const PetscScalar *values;
    PetscCall(VecGetArrayRead(whole, &values));
    PetscCall(WriteMatrixMarketVector(file, size, values));
    PetscCall(VecRestoreArrayRead(whole, &values));
  }
  PetscCall(VecScatterDestroy(&gather));
  PetscCall(VecDestroy(&whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
