#include "read_matrix.hpp"

#include "file_text.hpp"
#include "matrix_market.hpp"
#include "vector_file.hpp"
#include <cstdint>
#include <limits>

namespace examples {
namespace {

/// Number k of a text that begins with big-endian numbers, as PETSc's binary form does.
PetscInt BigEndian(const std::string &text, std::size_t k)
{
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof(PetscInt); ++i)
    bits = bits << 8 | static_cast<unsigned char>(text[k * sizeof(PetscInt) + i]);
  return static_cast<PetscInt>(bits);
}

/// Raises an error where MatLoad(), which looks at neither, would take row lengths below zero or columns that the
/// matrix has not, and then write where they point to.
PetscErrorCode CheckBinaryMatrix(const std::string &file)
{
  constexpr std::size_t head = 4; // what it is, rows, columns, entries
  std::string text;
  PetscInt64 sum = 0;

  PetscFunctionBeginUser;
  PetscCall(ReadFileText(file, head * sizeof(PetscInt), &text));
  PetscCheck(text.size() == head * sizeof(PetscInt), PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
             "%s: the file ends in its header", file.c_str());
  const PetscInt rows = BigEndian(text, 1), columns = BigEndian(text, 2), entries = BigEndian(text, 3);
  PetscCheck(rows >= 0 && columns >= 0 && entries >= 0, PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
             "%s: not a sparse matrix: %" PetscInt_FMT " rows, %" PetscInt_FMT " columns, %" PetscInt_FMT " entries",
             file.c_str(), rows, columns, entries);
  const std::size_t first = head + rows, end = first + entries;
  PetscCall(ReadFileText(file, end * sizeof(PetscInt), &text));
  PetscCheck(text.size() == end * sizeof(PetscInt), PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
             "%s: the file ends before the columns of its %" PetscInt_FMT " entries", file.c_str(), entries);
  for (std::size_t k = head; k < first; ++k) {
    const PetscInt length = BigEndian(text, k);
    PetscCheck(length >= 0 && length <= columns, PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
               "%s: row %zu of %" PetscInt_FMT " columns has %" PetscInt_FMT " entries", file.c_str(), k - head + 1,
               columns, length);
    sum += length;
  }
  PetscCheck(sum == entries, PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
             "%s: rows of %" PetscInt64_FMT " entries in a matrix of %" PetscInt_FMT, file.c_str(), sum, entries);
  for (std::size_t k = first; k < end; ++k) {
    const PetscInt column = BigEndian(text, k);
    PetscCheck(column >= 0 && column < columns, PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
               "%s: entry %zu is in column %" PetscInt_FMT " of %" PetscInt_FMT, file.c_str(), k - first + 1, column,
               columns);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadBinaryMatrix(const std::string &file, System *system)
{
  PetscViewer viewer;
  Mat aij;

  PetscFunctionBeginUser;
  PetscCall(CheckBinaryMatrix(file));
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
