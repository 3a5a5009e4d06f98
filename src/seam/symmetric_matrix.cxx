/*
   How the preconditioners and the direct solver read a symmetric matrix.
*/
#include "seam/symmetric_matrix.hpp"

#include "seam/stored_rows.hpp"

#include <petsc/private/petscimpl.h>

PetscErrorCode TesseraMatCheckInput(Mat A, const char who[], const tessera::SymmetricInput &input)
{
  PetscFunctionBegin;
  PetscCall(TesseraMatCheckOnce(A, input.status == tessera::SymmetricInput::Repeated ? input.row : -1, input.column));
  PetscCheck(input.status != tessera::SymmetricInput::Nonsymmetric, PetscObjectComm((PetscObject)A),
             PETSC_ERR_ARG_INCOMP,
             "%s is for symmetric %smatrices: entries (%" PetscInt_FMT ",%" PetscInt_FMT ") and (%" PetscInt_FMT
             ",%" PetscInt_FMT ") of this one differ, or one of them is missing",
             who, PetscDefined(USE_COMPLEX) ? "and Hermitian " : "", (PetscInt)input.row, (PetscInt)input.column,
             (PetscInt)input.column, (PetscInt)input.row);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TesseraMatSymmetryKnown(Mat A, PetscBool *known, tessera::Symmetry *symmetry)
{
  PetscBool upper, set, flag;

  PetscFunctionBegin;
  *known = PETSC_TRUE;
  *symmetry = tessera::Symmetry::Hermitian;
  if (PetscDefined(USE_COMPLEX)) {
    PetscCall(MatIsHermitianKnown(A, &set, &flag));
    if (set && flag)
      PetscFunctionReturn(PETSC_SUCCESS);
  }
  *symmetry = tessera::Symmetry::Symmetric;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQSBAIJ, &upper));
  PetscCall(MatIsSymmetricKnown(A, &set, &flag));
  *known = (PetscBool)(upper || (set && flag));
  if (PetscDefined(USE_COMPLEX) && *known && !upper) { // MAT_SPD says that it is symmetric of a Hermitian one too
    PetscCall(MatIsSPDKnown(A, &set, &flag));
    *known = (PetscBool) !(set && flag);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TesseraMatReadSymmetric(Mat A, const char who[], tessera::SymmetricInput *input,
                                       tessera::FirstError *error)
{
  TesseraMatValues values;
  PetscBool known, done;
  tessera::Symmetry said;
  PetscInt rows, block_size = 1;
  const PetscInt *start, *column;

  PetscFunctionBegin;
  PetscCall(TesseraMatSymmetryKnown(A, &known, &said));
  PetscCall(TesseraMatGetValues(A, tessera::Place::Host, &values));
  if (values.from_sbaij)
    PetscCall(MatGetBlockSize(A, &block_size));
  PetscCall(TesseraMatGetRows(A, values.from_sbaij, &rows, &start, &column));
  error->guard([&] {
    *input = TesseraWithRows(rows, start, column, [&](tessera::Index n, const auto *starts, const auto *columns) {
      return values.from_sbaij
                 ? tessera::read_upper_blocks(n, tessera::Index(block_size), starts, columns, values.value, said)
                 : tessera::read_full(n, starts, columns, values.value, !known, said);
    });
  });
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, (PetscBool)values.from_sbaij, &rows, &start, &column, &done));
  PetscCall(TesseraMatRestoreValues(A, &values));
  PetscCall(TesseraMatCheckInput(A, who, *input));
  PetscFunctionReturn(PETSC_SUCCESS);
}
