#include "symmetry.hpp"

#include <petscvec.h>

namespace examples {
namespace {

constexpr PetscReal tolerance = 1e-10;

/// Largest magnitude in each row of the matrix, on every process.
PetscErrorCode RowMaxima(Mat aij, Vec *maxima)
{
  Vec local;
  VecScatter scatter;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(aij, nullptr, &local));
  PetscCall(MatGetRowMaxAbs(aij, local, nullptr));
  PetscCall(VecScatterCreateToAll(local, &scatter, maxima));
  PetscCall(VecScatterBegin(scatter, local, *maxima, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, local, *maxima, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether no entry of `difference` exceeds the tolerance for its row and column.
PetscErrorCode IsSmall(Mat difference, const PetscScalar *maximum, PetscBool *small)
{
  PetscInt first, end;

  PetscFunctionBeginUser;
  *small = PETSC_TRUE;
  PetscCall(MatGetOwnershipRange(difference, &first, &end));
  for (PetscInt i = first; i < end; ++i) {
    PetscInt count;
    const PetscInt *column;
    const PetscScalar *value;
    PetscCall(MatGetRow(difference, i, &count, &column, &value));
    for (PetscInt k = 0; k < count; ++k) {
      const PetscReal largest = PetscMax(PetscAbsScalar(maximum[i]), PetscAbsScalar(maximum[column[k]]));
      if (!(PetscAbsScalar(value[k]) <= tolerance * largest))
        *small = PETSC_FALSE;
    }
    PetscCall(MatRestoreRow(difference, i, &count, &column, &value));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, small, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)difference)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode IsSymmetric(Mat aij, PetscBool *symmetric)
{
  PetscInt rows, cols;
  Mat difference;
  Vec maxima;
  const PetscScalar *maximum;

  PetscFunctionBeginUser;
  *symmetric = PETSC_FALSE;
  PetscCall(MatGetSize(aij, &rows, &cols));
  if (rows != cols)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatIsSymmetric(aij, 0.0, symmetric));
  if (*symmetric)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatTranspose(aij, MAT_INITIAL_MATRIX, &difference));
  PetscCall(MatAXPY(difference, -1.0, aij, DIFFERENT_NONZERO_PATTERN));
  PetscCall(RowMaxima(aij, &maxima));
  PetscCall(VecGetArrayRead(maxima, &maximum));
  PetscCall(IsSmall(difference, maximum, symmetric));
  PetscCall(VecRestoreArrayRead(maxima, &maximum));
  PetscCall(VecDestroy(&maxima));
  PetscCall(MatDestroy(&difference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
