/*
   How PCBILDLT and PCJLDLT read their matrix and analyse it.
*/
#include "pc/factored/analyze.hpp"

#include "seam/log_steps.hpp"
#include "seam/symmetric_matrix.hpp"

#include <petsc/private/pcimpl.h>

PetscErrorCode PCFactoredReadMatrix(PC pc, tessera::SymmetricInput *input)
{
  char who[64];
  PetscBool known, symmetric;
  tessera::FirstError error;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(pc->pmat, &known, &symmetric));
  PetscCheck(!known || symmetric, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_INCOMP,
             "PC type %s is for symmetric matrices, this one is known not to be", ((PetscObject)pc)->type_name);
  PetscCall(PetscSNPrintf(who, sizeof(who), "PC type %s", ((PetscObject)pc)->type_name));
  PetscCall(TesseraMatReadSymmetric(pc->pmat, who, input, &error));
  PetscCall(PCFactoredCheckError(pc, "reading the matrix", error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFactoredAnalyze(PC pc, const tessera::SymmetricInput &input, const tessera::AnalysisOptions &options)
{
  PCFactored *factored = static_cast<PCFactored *>(pc->data);
  TesseraLogSteps log((PetscObject)pc, (PetscObject)pc->pmat);
  tessera::FirstError error;

  PetscFunctionBegin;
  error.guard([&] {
    factored->analysis =
        std::make_unique<tessera::Analysis>(tessera::analyze_matrix(input.matrix, input.source, options, &log));
  });
  PetscCall(log.error());
  PetscCall(PCFactoredCheckError(pc, "the analysis", error));
  if (factored->analysis)
    PetscCall(PCFactoredCheckAnalysis(pc, *factored->analysis, options));
  PetscFunctionReturn(PETSC_SUCCESS);
}
