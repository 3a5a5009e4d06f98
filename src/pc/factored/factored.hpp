#ifndef TESSERA_PC_FACTORED_FACTORED_HPP
#define TESSERA_PC_FACTORED_FACTORED_HPP

#include "analysis/analysis.hpp"
#include "base/first_error.hpp"
#include "factor/operator.hpp"
#include "factor/report.hpp"
#include "tessera.h"

#include <memory>

/// What the preconditioners that factor a matrix by blocks have in common. The data of a PC begin with it.
struct PCFactored {
  std::unique_ptr<tessera::Analysis> analysis;
  PetscLogDouble factor_seconds = 0; ///< of the last factorization
  double memory_limit = -1;          ///< bytes that it was allowed to take, negative before there was one

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

/// Turns what was thrown under error.guard() into what PETSc knows: lack of memory for `what` into the failed reason
/// PC_FACTOR_OUTMEMORY, any other exception into an error.
PETSC_INTERN PetscErrorCode PCFactoredCheckError(PC pc, const char what[], const tessera::FirstError &error);

/// What the analysis has to do. block_size: PETSC_DECIDE or a number. fill_level: PETSC_DECIDE, PETSC_UNLIMITED or a
/// number.
tessera::AnalysisOptions PCFactoredAnalysisOptions(TesseraPreprocessing preprocessing, TesseraOrdering ordering,
                                                   TesseraBlocking blocking, PetscInt block_size, PetscInt fill_level,
                                                   PetscInt max_tiles);

constexpr PetscInt defaultMaxTiles = 1 << 27;

/// Turns an analysis that failed into a failed reason. options: what it was told.
PETSC_INTERN PetscErrorCode PCFactoredCheckAnalysis(PC pc, const tessera::Analysis &analysis,
                                                    const tessera::AnalysisOptions &options);

/// Whether a viewer is to show times too, which differ from run to run.
PETSC_INTERN PetscErrorCode PCFactoredWantsTimes(PetscViewer viewer, PetscBool *times);

/// Shows the results of an analysis.
PETSC_INTERN PetscErrorCode PCFactoredViewAnalysis(const tessera::Analysis &analysis, PetscViewer viewer);

/// Shows where the factor is, its size and its pivots.
PETSC_INTERN PetscErrorCode PCFactoredViewFactor(const PCFactored &factored, const tessera::FactorReport &report,
                                                 PetscViewer viewer);

#endif
