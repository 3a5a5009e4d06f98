/*
   How the preconditioners and the direct solver read a matrix.
*/
#include "seam/matrix.hpp"

#include "base/integers.hpp"
#include "seam/stored_rows.hpp"

#include <petsc/private/petscimpl.h>

PetscErrorCode TesseraMatCheck(Mat A, const char type[])
{
  PetscBool aij, sbaij;
  PetscInt m, n;
  PetscMPIInt processes;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQSBAIJ, &sbaij));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &processes));
  PetscCheck(aij || sbaij || processes > 1, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "PC type %s needs a matrix of type aij or sbaij, not %s. Convert it, by MatConvert(), or make it one by "
             "-mat_type aij or -dm_mat_type aij",
             type, ((PetscObject)A)->type_name);
  PetscCheck(aij || sbaij, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "PC type %s needs a sequential matrix of type aij or sbaij, not %s. In parallel use it inside a "
             "block preconditioner: -pc_type bjacobi -sub_pc_type %s",
             type, ((PetscObject)A)->type_name, type);
  PetscCall(MatGetSize(A, &m, &n));
  PetscCheck(m == n, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
             "PC type %s needs a square symmetric matrix; this one has %" PetscInt_FMT " rows and %" PetscInt_FMT
             " columns",
             type, m, n);
  PetscCheck(tessera::fits_index(m), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "PC type %s takes at most 2147483647 rows, this matrix has %" PetscInt_FMT
             ". Use it for smaller blocks: -pc_type bjacobi -pc_bjacobi_local_blocks <n> -sub_pc_type %s",
             type, m, type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TesseraMatOnDevice(Mat A, PetscBool *on_device)
{
  PetscMemType type;

  PetscFunctionBegin;
  PetscCall(MatGetCurrentMemType(A, &type));
  *on_device = (PetscBool)PetscMemTypeDevice(type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TesseraMatGetValues(Mat A, tessera::Place wanted, TesseraMatValues *values)
{
  PetscBool sbaij, on_device = PETSC_FALSE;
  PetscMemType type;
  const PetscInt *start, *column;
  PetscScalar *value;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQSBAIJ, &sbaij));
  PetscCall(TesseraMatOnDevice(A, &on_device));
  PetscCall(PetscObjectStateGet((PetscObject)A, &values->state));
  values->from_sbaij = sbaij;
  values->from_csr = on_device && wanted == tessera::Place::Device;
  values->place = tessera::Place::Host;
  if (values->from_csr) {
    PetscCall(MatSeqAIJGetCSRAndMemType(A, &start, &column, &value, &type));
    values->value = value;
    if (PetscMemTypeDevice(type))
      values->place = tessera::Place::Device;
  } else if (sbaij) {
    PetscCall(MatSeqSBAIJGetArray(A, const_cast<PetscScalar **>(&values->value)));
  } else {
    PetscCall(MatSeqAIJGetArrayRead(A, &values->value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TesseraMatRestoreValues(Mat A, TesseraMatValues *values)
{
  PetscFunctionBegin;
  if (values->from_csr)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (values->from_sbaij) {
    PetscCall(MatSeqSBAIJRestoreArray(A, const_cast<PetscScalar **>(&values->value)));
    // The values were only read. Were they marked as changed, every PCApply() would begin with another PCSetUp().
    PetscCall(PetscObjectStateSet((PetscObject)A, values->state));
  } else {
    PetscCall(MatSeqAIJRestoreArrayRead(A, &values->value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TesseraMatCheckOnce(Mat A, PetscInt row, PetscInt column)
{
  PetscFunctionBegin;
  PetscCheck(row < 0, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "Row %" PetscInt_FMT " has an entry in column %" PetscInt_FMT " twice", row, column);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TesseraMatGetRows(Mat A, bool sbaij, PetscInt *rows, const PetscInt **start, const PetscInt **column)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, (PetscBool)sbaij, rows, start, column, &done));
  PetscCheck(done, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "Matrix of type %s does not give its rows",
             ((PetscObject)A)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TesseraMatReadRows(Mat A, tessera::RowInput *input, tessera::FirstError *error)
{
  TesseraMatValues values;
  PetscBool done;
  PetscInt rows;
  const PetscInt *start, *column;

  PetscFunctionBegin;
  PetscCall(TesseraMatGetValues(A, tessera::Place::Host, &values));
  PetscCall(TesseraMatGetRows(A, false, &rows, &start, &column));
  error->guard([&] {
    *input = TesseraWithRows(rows, start, column, [&](tessera::Index n, const auto *starts, const auto *columns) {
      return tessera::read_rows(n, starts, columns, values.value);
    });
  });
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &start, &column, &done));
  PetscCall(TesseraMatRestoreValues(A, &values));
  PetscCall(TesseraMatCheckOnce(A, input->row, input->column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TesseraMatFlag(Mat X)
{
  PetscInt columns;
  Vec x;

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, nullptr, &columns));
  for (PetscInt j = 0; j < columns; j++) {
    PetscCall(MatDenseGetColumnVecWrite(X, j, &x));
    PetscCall(VecFlag(x, PETSC_TRUE));
    PetscCall(MatDenseRestoreColumnVecWrite(X, j, &x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
