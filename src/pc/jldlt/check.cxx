#include "pc/jldlt/check.hpp"

#include "factor/jldlt/difference.hpp"
#include "pc/factored/check.hpp"

#include <petsc/private/pcimpl.h>

PetscErrorCode PCJLDLTCheckFactor(PC pc, const tessera::JacobiOptions &options)
{
  PC_JLDLT *jldlt = static_cast<PC_JLDLT *>(pc->data);
  const bool on_device = jldlt->factorization->place() == tessera::Place::Device;
  tessera::JacobiOptions unlimited = options;

  PetscFunctionBegin;
  if (!jldlt->other)
    PetscCallCXX(jldlt->other = on_device ? tessera::make_host_jacobi(*jldlt->analysis)
                                          : tessera::make_cuda_jacobi(*jldlt->analysis));
  unlimited.max_bytes = 0; // that limit is the other one's
  PetscCall(PCFactoredCheck(pc, jldlt->other != nullptr, [&](const TesseraMatValues &values) {
    const tessera::JacobiReport report = jldlt->other->factor(values.value, values.place, unlimited);
    std::string found = tessera::difference(jldlt->report, report);
    if (found.empty() && report.factor.status == tessera::FactorReport::Complete)
      found = tessera::difference(jldlt->factorization->copy(), jldlt->other->copy());
    return found;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}
