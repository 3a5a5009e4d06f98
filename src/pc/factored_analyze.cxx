/*
   The analysis of PCBILDLT and PCJLDLT as events of PETSc's log.
*/
#include "pc/factored_analyze.hpp"

#include <petsc/private/pcimpl.h>

namespace {

PetscLogEvent eventOfStep[tessera::analysis_step_count];

/// Makes the steps of an analysis events of the log.
class LogSteps : public tessera::StepObserver {
public:
  explicit LogSteps(PC pc) : pc_(pc) {}

  void begin(tessera::AnalysisStep step) override
  {
    note(PetscLogEventBegin(eventOfStep[static_cast<int>(step)], pc_, pc_->pmat, nullptr, nullptr));
  }
  void end(tessera::AnalysisStep step) override
  {
    note(PetscLogEventEnd(eventOfStep[static_cast<int>(step)], pc_, pc_->pmat, nullptr, nullptr));
  }

  /// The first error of the log, which the analysis cannot pass on.
  PetscErrorCode error() const { return error_; }

private:
  void note(PetscErrorCode error)
  {
    if (!error_)
      error_ = error;
  }

  PC pc_;
  PetscErrorCode error_ = PETSC_SUCCESS;
};

} // namespace

PetscErrorCode PCFactoredRegisterEvents()
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

PetscErrorCode PCFactoredAnalyze(PC pc, const tessera::SymmetricInput &input, const tessera::AnalysisOptions &options)
{
  PCFactored *factored = static_cast<PCFactored *>(pc->data);
  LogSteps log(pc);
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
