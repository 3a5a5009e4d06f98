/*
   The application of PCBILDLT and PCJLDLT to vectors and to dense matrices, on the host or in device memory.
*/
#include "pc/factored/apply.hpp"
#include "seam/copies.hpp"
#include "seam/matrix.hpp"

#include "base/integers.hpp"

#include <petsc/private/pcimpl.h>

namespace {

tessera::Place PlaceOf(PetscMemType type)
{
  return PetscMemTypeDevice(type) ? tessera::Place::Device : tessera::Place::Host;
}

/// `columns` vectors of a Vec or of a dense Mat, to be read or to be overwritten.
struct Columns {
  PetscScalar *value;
  PetscInt leading;
  PetscMemType type = PETSC_MEMTYPE_HOST;
};

/// Applies the factor to all columns, and logs what that took. Without memory for it, sets the failed reason and sees
/// to it that the next application begins with a setup.
PetscErrorCode Apply(PC pc, PetscInt columns, const Columns &r, const Columns &z)
{
  const PCFactored *factored = static_cast<const PCFactored *>(pc->data);
  tessera::FactoredOperator &factorization = *factored->applied();
  const PetscLogDouble flops = 4.0 * static_cast<PetscLogDouble>(factored->entries()) * columns;
  const bool on_device = factorization.place() == tessera::Place::Device;
  tessera::FirstError error;

  PetscFunctionBegin;
  if (on_device)
    PetscCall(PetscLogGpuTimeBegin());
  error.guard([&] {
    factorization.apply_to_columns(tessera::Index(columns), r.value, r.leading, PlaceOf(r.type), z.value, z.leading,
                                   PlaceOf(z.type), factored->definite());
  });
  if (on_device) {
    PetscCall(PetscLogGpuTimeEnd());
    PetscCall(PetscLogGpuFlops(flops));
    PetscCall(TesseraLogCopies(factorization.take_copies()));
  } else {
    PetscCall(PetscLogFlops(flops));
  }
  PetscCall(PCFactoredCheckError(pc, "the application of the factor", error));
  if (pc->failedreason)
    pc->setupcalled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckFactor(PC pc)
{
  PetscFunctionBegin;
  PetscCheck(static_cast<const PCFactored *>(pc->data)->applied(), PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER,
             "PC type %s has no factor: the last setup ended with an error", ((PetscObject)pc)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool OnDevice(PC pc)
{
  return static_cast<const PCFactored *>(pc->data)->applied()->place() == tessera::Place::Device;
}

/// z = M⁻¹ r, unless there is no memory for it.
PetscErrorCode ApplyToVec(PC pc, Vec r, Vec z)
{
  PetscInt n;
  Columns from, to;

  PetscFunctionBegin;
  PetscCall(CheckFactor(pc));
  PetscCall(VecGetLocalSize(r, &n));
  from.leading = to.leading = n;
  if (OnDevice(pc)) {
    PetscCall(VecGetArrayReadAndMemType(r, const_cast<const PetscScalar **>(&from.value), &from.type));
    PetscCall(VecGetArrayWriteAndMemType(z, &to.value, &to.type));
    PetscCall(Apply(pc, 1, from, to));
    PetscCall(VecRestoreArrayWriteAndMemType(z, &to.value));
    PetscCall(VecRestoreArrayReadAndMemType(r, const_cast<const PetscScalar **>(&from.value)));
  } else {
    PetscCall(VecGetArrayRead(r, const_cast<const PetscScalar **>(&from.value)));
    PetscCall(VecGetArrayWrite(z, &to.value));
    PetscCall(Apply(pc, 1, from, to));
    PetscCall(VecRestoreArrayWrite(z, &to.value));
    PetscCall(VecRestoreArrayRead(r, const_cast<const PetscScalar **>(&from.value)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Z = M⁻¹ R, likewise.
PetscErrorCode ApplyToColumns(PC pc, PetscInt columns, Mat R, Mat Z)
{
  Columns from, to;

  PetscFunctionBegin;
  PetscCall(CheckFactor(pc));
  PetscCall(MatDenseGetLDA(R, &from.leading));
  PetscCall(MatDenseGetLDA(Z, &to.leading));
  if (OnDevice(pc)) {
    PetscCall(MatDenseGetArrayReadAndMemType(R, const_cast<const PetscScalar **>(&from.value), &from.type));
    PetscCall(MatDenseGetArrayWriteAndMemType(Z, &to.value, &to.type));
    PetscCall(Apply(pc, columns, from, to));
    PetscCall(MatDenseRestoreArrayWriteAndMemType(Z, &to.value));
    PetscCall(MatDenseRestoreArrayReadAndMemType(R, const_cast<const PetscScalar **>(&from.value)));
  } else {
    PetscCall(MatDenseGetArrayRead(R, const_cast<const PetscScalar **>(&from.value)));
    PetscCall(MatDenseGetArrayWrite(Z, &to.value));
    PetscCall(Apply(pc, columns, from, to));
    PetscCall(MatDenseRestoreArrayWrite(Z, &to.value));
    PetscCall(MatDenseRestoreArrayRead(R, const_cast<const PetscScalar **>(&from.value)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCApply_Factored(PC pc, Vec r, Vec z)
{
  PetscFunctionBegin;
  if (!pc->failedreason)
    PetscCall(ApplyToVec(pc, r, z));
  if (pc->failedreason) // as MatSolve() of a failed factor does, so that no solver takes the result for a number
    PetscCall(VecFlag(z, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCMatApply_Factored(PC pc, Mat R, Mat Z)
{
  PetscInt columns;

  PetscFunctionBegin;
  PetscCall(MatGetSize(R, nullptr, &columns));
  PetscCheck(tessera::fits_index(columns), PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PC type %s takes at most 2147483647 right-hand sides at a time, not %" PetscInt_FMT,
             ((PetscObject)pc)->type_name, columns);
  if (!pc->failedreason)
    PetscCall(ApplyToColumns(pc, columns, R, Z));
  if (pc->failedreason)
    PetscCall(TesseraMatFlag(Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}
