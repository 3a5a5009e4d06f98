#ifndef TESSERA_PC_FACTORED_HPP
#define TESSERA_PC_FACTORED_HPP

#include "factor/block_factorization.hpp"
#include "tessera.h"

/// What the preconditioners that factor a matrix by blocks have in common. The data of a PC begin with it.
struct PCFactored {
  std::unique_ptr<tessera::Analysis> analysis;
  PetscLogDouble factor_seconds = 0; ///< of the last factorization

  virtual ~PCFactored() = default;
  /// Gives up the factor.
  virtual void forget_factor() = 0;
  /// What is applied, or null.
  virtual tessera::FactoredOperator *applied() const = 0;
  /// Entries of the factor.
  virtual tessera::Offset entries() const = 0;
  /// Whether |D| is taken for D.
  virtual bool definite() const = 0;
};

/// Gives a new PC its data, and the operations that do not depend on how the factor is made.
PETSC_INTERN PetscErrorCode PCFactoredCreate(PC pc, PCFactored *factored);

/// What the analysis has to do. block_size: PETSC_DECIDE or a number. fill_level: PETSC_DECIDE, PETSC_UNLIMITED or a
/// number.
tessera::AnalysisOptions PCFactoredAnalysisOptions(PCBILDLTPreprocessing preprocessing, PCBILDLTOrdering ordering,
                                                   PCBILDLTBlocking blocking, PetscInt block_size, PetscInt fill_level);

/// Turns an analysis that failed into a failed reason.
PETSC_INTERN PetscErrorCode PCFactoredCheckAnalysis(PC pc, const tessera::Analysis &analysis);

/// Shows times and results of an analysis.
PETSC_INTERN PetscErrorCode PCFactoredViewAnalysis(const tessera::Analysis &analysis, PetscViewer viewer);

#endif
