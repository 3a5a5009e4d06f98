#ifndef TESSERA_PC_JLDLT_JLDLT_HPP
#define TESSERA_PC_JLDLT_JLDLT_HPP

#include "factor/jldlt/factorization.hpp"
#include "pc/factored/factored.hpp"

/// Constructor of the type PCJLDLT.
PETSC_INTERN PetscErrorCode PCCreate_JLDLT(PC pc);

/// What the user asked for.
struct PCJLDLTOptions {
  TesseraBackend backend = TESSERA_BACKEND_AUTO;
  TesseraPreprocessing preprocessing = TESSERA_PREPROCESSING_MATCHING;
  TesseraOrdering ordering = TESSERA_ORDERING_ND; // few level sets
  TesseraBlocking blocking = TESSERA_BLOCKING_BR; // little fill is left out without levels of fill
  PCJLDLTPivoting pivoting = PC_JLDLT_PIVOTING_ROOK;
  PCJLDLTApply apply = PC_JLDLT_APPLY_LEVELS;
  PetscInt block_size = 32;
  PetscInt fill_level = 0;
  PetscInt sweeps = 5;
  PetscInt stages = 8;
  PetscInt apply_sweeps = 5;
  PetscInt outer_levels = 0;
  PetscReal epsilon = PETSC_DECIDE;
  PetscReal decay = 0.95;
  PetscReal stall = 0.01;
  PetscReal outer_tolerance = 1e-6;
  PetscReal memory_limit = PETSC_DECIDE; ///< megabytes
  PetscInt max_tiles = defaultMaxTiles;
  PetscBool warm_start = PETSC_TRUE;
  PetscBool definite = PETSC_FALSE;
  PetscBool monitor = PETSC_FALSE;
  PetscBool check = PETSC_FALSE;
};

struct PC_JLDLT : PCFactored {
  PCJLDLTOptions options;
  std::unique_ptr<tessera::JacobiFactorization> factorization;
  std::unique_ptr<tessera::JacobiFactorization> other; ///< of the same matrices on the other backend, to be compared
  tessera::JacobiReport report;                        ///< of the last factorization
  PetscObjectId matrix = 0;                            ///< what was analysed
  PetscObjectState pattern = -1;

  void forget_factor() override
  {
    factorization.reset();
    other.reset();
  }
  tessera::FactoredOperator *applied() const override { return factorization.get(); }
  tessera::Offset entries() const override { return report.factor.entries; }
  bool definite() const override { return options.definite; }
};

#endif
