#ifndef TESSERA_SEAM_LOG_STEPS_HPP
#define TESSERA_SEAM_LOG_STEPS_HPP

#include "analysis/steps.hpp"

#include <petscsys.h>

/// Registers an event of the log for each step of an analysis.
PETSC_INTERN PetscErrorCode TesseraRegisterSteps();

/// Makes the steps of an analysis events of the log.
class TesseraLogSteps : public tessera::StepObserver {
public:
  /// The analysis is for `object`, of the matrix `A`.
  TesseraLogSteps(PetscObject object, PetscObject A) : object_(object), matrix_(A) {}

  void begin(tessera::AnalysisStep step) override;
  void end(tessera::AnalysisStep step) override;

  /// The first error of the log, which the analysis cannot pass on.
  PetscErrorCode error() const { return error_; }

private:
  void note(PetscErrorCode error)
  {
    if (!error_)
      error_ = error;
  }

  PetscObject object_, matrix_;
  PetscErrorCode error_ = PETSC_SUCCESS;
};

#endif
