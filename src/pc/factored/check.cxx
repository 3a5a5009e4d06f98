/*
   -pc_bildlt_check, -pc_jldlt_check: the factor of one backend against that of the other.
*/
#include "pc/factored/check.hpp"

#include "pc/factored/factored.hpp"

#include <petsc/private/pcimpl.h>

PetscErrorCode PCFactoredCheck(PC pc, bool there,
                               const std::function<std::string(const TesseraMatValues &)> &difference)
{
  const PCFactored *factored = static_cast<const PCFactored *>(pc->data);
  const bool on_device = factored->applied()->place() == tessera::Place::Device;
  TesseraMatValues values;
  std::string found;

  PetscFunctionBegin;
  PetscCheck(there, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "This libtessera was built without CUDA: -pc_%s_check has nothing to compare with",
             ((PetscObject)pc)->type_name);
  PetscCall(TesseraMatGetValues(pc->pmat, tessera::Place::Host, &values));
  PetscCallCXX(found = difference(values));
  PetscCall(TesseraMatRestoreValues(pc->pmat, &values));
  PetscCheck(found.empty(), PetscObjectComm((PetscObject)pc), PETSC_ERR_PLIB,
             "The factors of the %s and of the %s differ: %s", on_device ? "GPU" : "host", on_device ? "host" : "GPU",
             found.c_str());
  PetscCall(PetscInfo(pc, "The factors of host and GPU have the same bits\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
