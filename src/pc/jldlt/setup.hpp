#ifndef TESSERA_PC_JLDLT_SETUP_HPP
#define TESSERA_PC_JLDLT_SETUP_HPP

#include "pc/jldlt/jldlt.hpp"

/// Analyses the pattern if it is new, and factors.
PETSC_INTERN PetscErrorCode PCSetUp_JLDLT(PC pc);

/// Registers the events that -log_view shows.
PETSC_INTERN PetscErrorCode PCJLDLTRegisterEvents();

#endif
