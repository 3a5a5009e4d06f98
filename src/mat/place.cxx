/*
   Numbers of PETSc's objects in the memory where a factorization of MATSOLVERTESSERA wants them.
*/
#include "mat/place.hpp"

namespace {

/// Brings `entries` numbers of array->own to the memory that is wanted.
PetscErrorCode BringOver(PetscCount entries, MatTesseraArray *array)
{
  PetscInt n;

  PetscFunctionBegin;
  array->value = array->own;
  if (array->place == tessera::Place::Host || PetscMemTypeDevice(array->memory))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscIntCast(entries, &n));
  PetscCall(VecCreate(PETSC_COMM_SELF, &array->copy));
  PetscCall(VecSetSizes(array->copy, n, n));
  PetscCall(VecSetType(array->copy, VECSEQCUDA));
  PetscCall(VecPlaceArray(array->copy, array->own));
  if (!array->written)
    PetscCall(VecGetArrayReadAndMemType(array->copy, const_cast<const PetscScalar **>(&array->value), nullptr));
  else if (array->gaps)
    PetscCall(VecGetArrayAndMemType(array->copy, &array->value, nullptr));
  else
    PetscCall(VecGetArrayWriteAndMemType(array->copy, &array->value, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Brings what was written back.
PetscErrorCode BringBack(MatTesseraArray *array)
{
  const PetscScalar *host;

  PetscFunctionBegin;
  if (!array->copy)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (!array->written)
    PetscCall(VecRestoreArrayReadAndMemType(array->copy, const_cast<const PetscScalar **>(&array->value)));
  else if (array->gaps)
    PetscCall(VecRestoreArrayAndMemType(array->copy, &array->value));
  else
    PetscCall(VecRestoreArrayWriteAndMemType(array->copy, &array->value));
  PetscCall(VecGetArrayRead(array->copy, &host));
  PetscCall(VecRestoreArrayRead(array->copy, &host));
  PetscCall(VecResetArray(array->copy));
  PetscCall(VecDestroy(&array->copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatTesseraGetVec(Vec v, MatTesseraArray *array)
{
  const PetscScalar **read = const_cast<const PetscScalar **>(&array->own);

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &array->leading));
  if (array->place == tessera::Place::Device)
    PetscCall(array->written ? VecGetArrayWriteAndMemType(v, &array->own, &array->memory)
                             : VecGetArrayReadAndMemType(v, read, &array->memory));
  else
    PetscCall(array->written ? VecGetArrayWrite(v, &array->own) : VecGetArrayRead(v, read));
  PetscCall(BringOver(array->leading, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraRestoreVec(Vec v, MatTesseraArray *array)
{
  const PetscScalar **read = const_cast<const PetscScalar **>(&array->own);

  PetscFunctionBegin;
  PetscCall(BringBack(array));
  if (array->place == tessera::Place::Device)
    PetscCall(array->written ? VecRestoreArrayWriteAndMemType(v, &array->own) : VecRestoreArrayReadAndMemType(v, read));
  else
    PetscCall(array->written ? VecRestoreArrayWrite(v, &array->own) : VecRestoreArrayRead(v, read));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraGetDense(Mat B, MatTesseraArray *array)
{
  const PetscScalar **read = const_cast<const PetscScalar **>(&array->own);
  PetscInt rows, columns;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(B, &rows, nullptr));
  PetscCall(MatGetSize(B, nullptr, &columns));
  PetscCall(MatDenseGetLDA(B, &array->leading));
  array->gaps = columns > 1 && array->leading > rows;
  if (array->place == tessera::Place::Device)
    PetscCall(array->written ? MatDenseGetArrayWriteAndMemType(B, &array->own, &array->memory)
                             : MatDenseGetArrayReadAndMemType(B, read, &array->memory));
  else
    PetscCall(array->written ? MatDenseGetArrayWrite(B, &array->own) : MatDenseGetArrayRead(B, read));
  PetscCall(BringOver(columns > 0 ? PetscCount(columns - 1) * array->leading + rows : 0, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraRestoreDense(Mat B, MatTesseraArray *array)
{
  const PetscScalar **read = const_cast<const PetscScalar **>(&array->own);

  PetscFunctionBegin;
  PetscCall(BringBack(array));
  if (array->place == tessera::Place::Device)
    PetscCall(array->written ? MatDenseRestoreArrayWriteAndMemType(B, &array->own)
                             : MatDenseRestoreArrayReadAndMemType(B, read));
  else
    PetscCall(array->written ? MatDenseRestoreArrayWrite(B, &array->own) : MatDenseRestoreArrayRead(B, read));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraGetValues(Mat A, MatTesseraArray *array)
{
  PetscBool dense;
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQDENSE, &dense));
  if (dense) {
    PetscCall(MatTesseraGetDense(A, array));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(TesseraMatGetValues(A, array->place, &array->values));
  array->own = const_cast<PetscScalar *>(array->values.value);
  array->memory = array->values.place == tessera::Place::Device ? PETSC_MEMTYPE_DEVICE : PETSC_MEMTYPE_HOST;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(BringOver(PetscCount(info.nz_used), array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraRestoreValues(Mat A, MatTesseraArray *array)
{
  PetscBool dense;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQDENSE, &dense));
  if (dense) {
    PetscCall(MatTesseraRestoreDense(A, array));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(BringBack(array));
  PetscCall(TesseraMatRestoreValues(A, &array->values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
