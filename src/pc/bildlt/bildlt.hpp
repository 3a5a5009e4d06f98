#ifndef TESSERA_PC_BILDLT_BILDLT_HPP
#define TESSERA_PC_BILDLT_BILDLT_HPP

#include "factor/bildlt/factorization.hpp"
#include "pc/factored/factored.hpp"

/// Constructor of the type PCBILDLT.
PETSC_INTERN PetscErrorCode PCCreate_BILDLT(PC pc);

/// What the user asked for. Negative numbers are automatic.
struct PCBILDLTOptions {
  TesseraBackend backend = TESSERA_BACKEND_AUTO;
  TesseraPreprocessing preprocessing = TESSERA_PREPROCESSING_MATCHING;
  TesseraOrdering ordering = TESSERA_ORDERING_AUTO;
  TesseraBlocking blocking = TESSERA_BLOCKING_SN;
  PCBILDLTPivoting pivoting = PC_BILDLT_PIVOTING_ROOK;
  PCBILDLTPrecision precision = PC_BILDLT_PRECISION_AUTO;
  PetscInt block_size = PETSC_DECIDE;
  PetscInt fill_level = PETSC_DECIDE;
  PetscReal drop_tolerance = PETSC_DECIDE;
  PetscReal fill_ratio = 0;
  PetscReal perturbation = PETSC_DECIDE;
  PetscReal memory_limit = PETSC_DECIDE; ///< megabytes
  PetscInt max_tiles = defaultMaxTiles;
  PetscBool definite = PETSC_FALSE;
  PetscBool strengthen = PETSC_TRUE;
  PetscBool check = PETSC_FALSE;
};

/// The precision of a factor with this analysis. What levels of fill leave out is far more than what single precision
/// rounds off.
inline tessera::Precision PCBILDLTPrecisionOf(const PCBILDLTOptions &options, const tessera::Analysis &analysis)
{
  const bool rounded = options.precision == PC_BILDLT_PRECISION_AUTO ? analysis.fill_level != tessera::complete_level
                                                                     : options.precision == PC_BILDLT_PRECISION_SINGLE;
  return rounded ? tessera::Precision::Single : tessera::Precision::Double;
}

struct PC_BILDLT : PCFactored {
  PCBILDLTOptions options;
  std::unique_ptr<tessera::BlockFactorization> factorization;
  tessera::FactorOptions used;                     ///< of the last factorization
  tessera::BlockFactorReport report, first_report; ///< of the last factorization, and of the first with this analysis
  PetscBool options_changed = PETSC_FALSE;         ///< since the factor was made, in what it depends on
  tessera::AnalysisOptions analyzed_with;          ///< options of the analysis,
  PetscObjectId analyzed_matrix = 0;               ///< of which matrix it is,
  PetscObjectState analyzed_pattern = -1;          ///< in which states its pattern
  PetscObjectState analyzed_values = -1;           ///< and its values were,
  tessera::Offset matrix_entries = 0;              ///< and how many entries it had, both triangles counted
  PetscInt strengthened = 0;                       ///< attempts before the one that stands
  PetscReal probe = -1;                            ///< relative residual of the probe solve, negative if there was none
  PetscInt probe_iterations = 0;
  PetscBool probe_passed = PETSC_TRUE;

  void forget_factor() override { factorization.reset(); }
  tessera::FactoredOperator *applied() const override { return factorization.get(); }
  tessera::Offset entries() const override { return report.entries; }
  bool definite() const override { return options.definite; }
};

#endif
