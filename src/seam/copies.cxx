/*
   What is copied between host and device, in PETSc's log.
*/
#include "seam/copies.hpp"

#include <petsc/private/petscimpl.h>
#include <petscdevice.h>

PetscErrorCode TesseraLogCopies(const tessera::Copies &copies)
{
  PetscFunctionBegin;
  if (copies.to_device > 0)
    PetscCall(PetscLogCpuToGpu(static_cast<PetscLogDouble>(copies.to_device)));
  if (copies.to_host > 0)
    PetscCall(PetscLogGpuToCpu(static_cast<PetscLogDouble>(copies.to_host)));
  if (copies.reports > 0)
    PetscCall(PetscLogGpuToCpuScalar(static_cast<PetscLogDouble>(copies.reports)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
