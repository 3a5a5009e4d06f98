/*
   -pc_bildlt_check: the factor of one backend against that of the other.
*/
#include "pc/bildlt_check.hpp"

#include "pc/factored_input.hpp"

#include <petsc/private/pcimpl.h>

PetscErrorCode PCBILDLTCheckFactor(PC pc)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  const bool on_device = bildlt->factorization->place() == tessera::Place::Device;
  const tessera::Precision precision = PCBILDLTPrecisionOf(bildlt->options);
  std::unique_ptr<tessera::BlockFactorization> other;
  tessera::FactorReport report;
  PCFactoredValues values;
  std::string difference;

  PetscFunctionBegin;
  PetscCallCXX(other = on_device ? tessera::make_host_factorization(*bildlt->analysis, precision)
                                 : tessera::make_cuda_factorization(*bildlt->analysis, precision));
  PetscCheck(other, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "This libtessera was built without CUDA: -pc_bildlt_check has nothing to compare with");
  PetscCall(PCFactoredGetValues(pc->pmat, tessera::Place::Host, &values));
  PetscCallCXX(report = other->factor(values.value, values.place, bildlt->used));
  PetscCall(PCFactoredRestoreValues(pc->pmat, &values));
  PetscCallCXX(difference = tessera::difference(bildlt->report, report));
  if (difference.empty() && report.status == tessera::FactorReport::Complete)
    PetscCallCXX(difference =
                     tessera::difference(bildlt->analysis->structure, bildlt->factorization->copy(), other->copy()));
  PetscCheck(difference.empty(), PetscObjectComm((PetscObject)pc), PETSC_ERR_PLIB,
             "The factors of the %s and of the %s differ: %s", on_device ? "GPU" : "host", on_device ? "host" : "GPU",
             difference.c_str());
  PetscCall(PetscInfo(pc, "The factors of host and GPU have the same bits\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
