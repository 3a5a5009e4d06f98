#include "system.hpp"

#include "file_text.hpp"
#include "matrix_market.hpp"
#include "symmetry.hpp"
#include "vector_file.hpp"
#include <cstring>

namespace examples {
namespace {

/// Option -write_matrix to a PETSc binary file.
PetscErrorCode WriteBinary(const std::string &file, Mat aij)
{
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(OpenPetscBinary(file, FILE_MODE_WRITE, &viewer));
  PetscCall(MatView(aij, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The rows of an AIJ matrix on one process.
PetscErrorCode CopyRows(Mat aij, Csr *a)
{
  PetscInt rows;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(aij, &rows, &a->cols));
  for (PetscInt i = 0; i < rows; ++i) {
    PetscInt count;
    const PetscInt *column;
    const PetscScalar *value;
    PetscCall(MatGetRow(aij, i, &count, &column, &value));
    a->column.insert(a->column.end(), column, column + count);
    a->value.insert(a->value.end(), value, value + count);
    a->EndRow();
    PetscCall(MatRestoreRow(aij, i, &count, &column, &value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Turns the AIJ matrix of a system into the type that -mat_type asks for.
PetscErrorCode ConvertAsAsked(System *system)
{
  char type[256] = MATAIJ;
  PetscBool sbaij, spd = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-mat_type", type, sizeof type, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-spd", &spd, nullptr));
  sbaij = std::strstr(type, "sbaij") ? PETSC_TRUE : PETSC_FALSE;
  PetscCheck(system->symmetric || !sbaij, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "%s: -mat_type %s needs a symmetric matrix", system->name.c_str(), type);
  PetscCheck(system->symmetric || !spd, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "%s: -spd needs a symmetric matrix",
             system->name.c_str());
  PetscCall(MatSetOption(system->A, MAT_SYMMETRIC, system->symmetric));
  if (std::strcmp(type, MATAIJ) != 0)
    PetscCall(MatConvert(system->A, type, MAT_INPLACE_MATRIX, &system->A));
  PetscCall(MatSetFromOptions(system->A)); // options of the type, such as -mat_cusparse_spmv_alg
  PetscCall(MatSetOption(system->A, MAT_SYMMETRIC, system->symmetric));
  PetscCall(MatSetOption(system->A, MAT_SYMMETRY_ETERNAL, system->symmetric));
  if (spd) {
    PetscCall(MatSetOption(system->A, MAT_SPD, PETSC_TRUE));
    PetscCall(MatSetOption(system->A, MAT_SPD_ETERNAL, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Option -zero_diagonal: adds a zero wherever the diagonal has no entry.
PetscErrorCode FillDiagonalIfAsked(Mat aij)
{
  Mat zeros;
  PetscInt local, global, first, end;
  PetscBool asked = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-zero_diagonal", &asked, nullptr));
  if (!asked)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetLocalSize(aij, &local, nullptr));
  PetscCall(MatGetSize(aij, &global, nullptr));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, local, local, global, global, 1, nullptr, 0, nullptr, &zeros));
  PetscCall(MatGetOwnershipRange(zeros, &first, &end));
  for (PetscInt i = first; i < end; ++i)
    PetscCall(MatSetValue(zeros, i, i, 0.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(zeros, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(zeros, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAXPY(aij, 1.0, zeros, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatDestroy(&zeros));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Completes the diagonal if asked, counts, writes if asked, and converts an assembled AIJ matrix.
PetscErrorCode TakeMatrix(System *system, Mat aij, PetscBool symmetric)
{
  MatInfo info;

  PetscFunctionBeginUser;
  PetscCall(FillDiagonalIfAsked(aij));
  PetscCall(MatGetInfo(aij, MAT_GLOBAL_SUM, &info));
  system->A = aij;
  system->symmetric = symmetric;
  system->entries = static_cast<PetscCount>(info.nz_used);
  PetscCall(WriteMatrixIfAsked(aij, symmetric));
  PetscCall(ConvertAsAsked(system));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// AIJ matrix with the given local rows; every row range of one process follows that of the one before.
PetscErrorCode CreateAIJ(PetscInt local_rows, PetscInt global_rows, const PetscInt *start, const PetscInt *column,
                         const PetscScalar *value, Mat *aij)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, aij));
  PetscCall(MatSetSizes(*aij, local_rows, local_rows, global_rows, global_rows));
  PetscCall(MatSetType(*aij, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(*aij, start, column, value));
  PetscCall(MatMPIAIJSetPreallocationCSR(*aij, start, column, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode WriteMatrixIfAsked(Mat aij, PetscBool symmetric)
{
  char file[PETSC_MAX_PATH_LEN];
  PetscBool asked;
  PetscMPIInt processes;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-write_matrix", file, sizeof file, &asked));
  if (!asked)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (!EndsWith(file, ".mtx")) {
    PetscCall(WriteBinary(file, aij));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  PetscCheck(processes == 1, PETSC_COMM_WORLD, PETSC_ERR_SUP,
             "-write_matrix: a .mtx file is written by one process only; any other name gives PETSc binary");
  if (symmetric) // one triangle says all only where the other has the same bits
    PetscCall(MatIsSymmetric(aij, 0.0, &symmetric));
  Csr a;
  PetscCall(CopyRows(aij, &a));
  PetscCall(WriteMatrixMarket(file, a, symmetric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetRange(PetscInt count, PetscInt *first, PetscInt *end)
{
  PetscInt local = PETSC_DECIDE;

  PetscFunctionBeginUser;
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &local, &count));
  PetscCallMPI(MPI_Scan(&local, end, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  *first = *end - local;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetMatrixRows(System *system, PetscInt global_rows, const Csr &rows, PetscBool symmetric)
{
  Mat aij;

  PetscFunctionBeginUser;
  PetscCall(CreateAIJ(rows.rows, global_rows, rows.start.data(), rows.column.data(), rows.value.data(), &aij));
  PetscCall(TakeMatrix(system, aij, symmetric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetMatrixWhole(System *system, const Csr &a, PetscBool symmetric)
{
  Mat aij;
  PetscInt first, end;

  PetscFunctionBeginUser;
  PetscCheck(a.rows == a.cols, PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ,
             "%s: the matrix has %" PetscInt_FMT " rows and %" PetscInt_FMT " columns: only square systems are solved",
             system->name.c_str(), a.rows, a.cols);
  PetscCall(GetRange(a.rows, &first, &end));
  std::vector<PetscInt> start(a.start.begin() + first, a.start.begin() + end + 1);
  const PetscInt skipped = start[0];
  for (PetscInt &s : start)
    s -= skipped;
  PetscCall(CreateAIJ(end - first, a.rows, start.data(), a.column.data() + skipped, a.value.data() + skipped, &aij));
  if (!symmetric)
    PetscCall(IsSymmetric(aij, &symmetric));
  PetscCall(TakeMatrix(system, aij, symmetric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetMatrixAIJ(System *system, Mat aij)
{
  PetscInt rows, cols;
  PetscBool symmetric;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(aij, &rows, &cols));
  PetscCheck(rows == cols, PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ,
             "%s: the matrix has %" PetscInt_FMT " rows and %" PetscInt_FMT " columns: only square systems are solved",
             system->name.c_str(), rows, cols);
  PetscCall(IsSymmetric(aij, &symmetric));
  PetscCall(TakeMatrix(system, aij, symmetric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetRightHandSide(System *system)
{
  char file[PETSC_MAX_PATH_LEN];
  PetscBool given;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(system->A, nullptr, &system->b));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-rhs", file, sizeof file, &given));
  if (given) {
    PetscCall(ReadVector(file, system->b));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecDuplicate(system->b, &system->exact));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-exact", file, sizeof file, &given));
  if (given)
    PetscCall(ReadVector(file, system->exact));
  else
    PetscCall(VecSet(system->exact, 1.0));
  PetscCall(MatMult(system->A, system->exact, system->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DestroySystem(System *system)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&system->A));
  PetscCall(VecDestroy(&system->b));
  PetscCall(VecDestroy(&system->exact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
