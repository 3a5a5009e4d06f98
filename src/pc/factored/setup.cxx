/*
   The steps that setups of PCBILDLT and PCJLDLT share.
*/
#include "pc/factored/setup.hpp"
#include "seam/copies.hpp"

#include <petsctime.h>

PetscErrorCode PCFactoredWantsDevice(PC pc, TesseraBackend backend, PetscBool *on_device)
{
  PetscFunctionBegin;
  *on_device = (PetscBool)(backend == TESSERA_BACKEND_CUDA);
  if (backend == TESSERA_BACKEND_AUTO)
    PetscCall(TesseraMatOnDevice(pc->pmat, on_device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFactoredFactor(PC pc, PetscLogEvent event,
                                const std::function<double(const TesseraMatValues &)> &factor, bool *fits)
{
  PCFactored *factored = static_cast<PCFactored *>(pc->data);
  tessera::FactoredOperator &factorization = *factored->applied();
  const bool on_device = factorization.place() == tessera::Place::Device;
  TesseraMatValues values;
  PetscLogDouble begin, end;
  tessera::FirstError error;
  PetscErrorCode checked;
  double flops = 0;

  PetscFunctionBegin;
  PetscCall(TesseraMatGetValues(pc->pmat, factorization.place(), &values));
  PetscCall(PetscLogEventBegin(event, pc, pc->pmat, nullptr, nullptr));
  PetscCall(PetscTime(&begin));
  if (on_device)
    PetscCall(PetscLogGpuTimeBegin());
  error.guard([&] { flops = factor(values); });
  if (on_device)
    PetscCall(PetscLogGpuTimeEnd());
  PetscCall(on_device ? PetscLogGpuFlops(flops) : PetscLogFlops(flops));
  PetscCall(TesseraLogCopies(factorization.take_copies()));
  PetscCall(PetscTime(&end));
  factored->factor_seconds = end - begin;
  PetscCall(PetscLogEventEnd(event, pc, pc->pmat, nullptr, nullptr));
  PetscCall(TesseraMatRestoreValues(pc->pmat, &values));
  checked = PCFactoredCheckError(pc, "the factor", error);
  if (checked)
    factored->forget_factor(); // which is neither the last one nor a new one
  PetscCall(checked);
  *fits = !pc->failedreason;
  PetscCall(PCSetFailedReason(pc, PC_NOERROR)); // a smaller factor may fit
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFactoredCheckReport(PC pc, const tessera::FactorReport &report)
{
  PetscFunctionBegin;
  if (report.status == tessera::FactorReport::NonFinite) {
    PetscCall(PetscInfo(pc, "The matrix is not finite, or the factor or its inverse overflows; pivots replaced: %lld\n",
                        (long long)report.perturbed));
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OTHER));
  } else if (report.status == tessera::FactorReport::OverBudget) {
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OUTMEMORY));
  } else if (report.zero > 0) {
    PetscCall(PetscInfo(pc, "Zero pivots: %lld\n", (long long)report.zero));
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_NUMERIC_ZEROPIVOT));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFactoredEndSetUp(PC pc)
{
  PetscFunctionBegin;
  if (pc->failedreason == PC_FACTOR_OUTMEMORY)
    static_cast<PCFactored *>(pc->data)->forget_factor();
  PetscCheck(!pc->erroriffailure || !pc->failedreason, PetscObjectComm((PetscObject)pc), PETSC_ERR_MAT_LU_ZRPVT,
             "PC type %s cannot factor the matrix: %s", ((PetscObject)pc)->type_name,
             PCFailedReasons[pc->failedreason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
