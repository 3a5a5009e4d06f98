#include "pc/bildlt/check.hpp"

#include "pc/factored/check.hpp"

#include <petsc/private/pcimpl.h>

PetscErrorCode PCBILDLTCheckFactor(PC pc)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  const bool on_device = bildlt->factorization->place() == tessera::Place::Device;
  const tessera::Precision precision = PCBILDLTPrecisionOf(bildlt->options, *bildlt->analysis);
  std::unique_ptr<tessera::BlockFactorization> other;

  PetscFunctionBegin;
  PetscCallCXX(other = on_device ? tessera::make_host_factorization(*bildlt->analysis, precision)
                                 : tessera::make_cuda_factorization(*bildlt->analysis, precision));
  PetscCall(PCFactoredCheck(pc, other != nullptr, [&](const TesseraMatValues &values) {
    const tessera::BlockFactorReport report = other->factor(values.value, values.place, bildlt->used);
    std::string found = tessera::difference(bildlt->report, report);
    if (found.empty() && report.status == tessera::FactorReport::Complete)
      found = tessera::difference(bildlt->analysis->structure, bildlt->factorization->copy(), other->copy());
    return found;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}
