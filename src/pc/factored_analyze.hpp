#ifndef TESSERA_PC_FACTORED_ANALYZE_HPP
#define TESSERA_PC_FACTORED_ANALYZE_HPP

#include "analysis/input/symmetric_input.hpp"
#include "pc/factored.hpp"

/// Registers an event of the log for each step of an analysis.
PETSC_INTERN PetscErrorCode PCFactoredRegisterEvents();

/// Analyses a matrix into the data of the PC, its steps as events of the log. Sets the failed reason when that cannot
/// be done.
PETSC_INTERN PetscErrorCode PCFactoredAnalyze(PC pc, const tessera::SymmetricInput &input,
                                              const tessera::AnalysisOptions &options);

#endif
