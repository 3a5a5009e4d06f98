#ifndef TESSERA_PC_FACTORED_ANALYZE_HPP
#define TESSERA_PC_FACTORED_ANALYZE_HPP

#include "analysis/input/symmetric_input.hpp"
#include "pc/factored/factored.hpp"

/// Both triangles of the matrix of a PC, on the host. A matrix known to be symmetric is believed to be. Sets the failed
/// reason when there is no memory for it.
PETSC_INTERN PetscErrorCode PCFactoredReadMatrix(PC pc, tessera::SymmetricInput *input);

/// Analyses a matrix into the data of the PC, its steps as events of the log. Sets the failed reason when that cannot
/// be done.
PETSC_INTERN PetscErrorCode PCFactoredAnalyze(PC pc, const tessera::SymmetricInput &input,
                                              const tessera::AnalysisOptions &options);

#endif
