/*
   The steps of an analysis as events of PETSc's log.
*/
#include "seam/log_steps.hpp"

#include <petscpc.h>

namespace {

PetscLogEvent eventOfStep[tessera::analysis_step_count];

} // namespace

PetscErrorCode TesseraRegisterSteps()
{
  // in the order of tessera::AnalysisStep; -log_view shows 16 characters
  constexpr const char *names[tessera::analysis_step_count] = {"TesseraMatching", "TesseraPairs",    "TesseraScaling",
                                                               "TesseraCompress", "TesseraOrdering", "TesseraCounts",
                                                               "TesseraTiles",    "TesseraLevels",   "TesseraFronts"};

  PetscFunctionBegin;
  for (int step = 0; step < tessera::analysis_step_count; step++)
    PetscCall(PetscLogEventRegister(names[step], PC_CLASSID, &eventOfStep[step]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void TesseraLogSteps::begin(tessera::AnalysisStep step)
{
  note(PetscLogEventBegin(eventOfStep[static_cast<int>(step)], object_, matrix_, nullptr, nullptr));
}

void TesseraLogSteps::end(tessera::AnalysisStep step)
{
  note(PetscLogEventEnd(eventOfStep[static_cast<int>(step)], object_, matrix_, nullptr, nullptr));
}
