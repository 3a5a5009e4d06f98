#ifndef TESSERA_PC_BILDLT_SETUP_HPP
#define TESSERA_PC_BILDLT_SETUP_HPP

#include "pc/bildlt/bildlt.hpp"

/// Analyses the pattern if it is new, and factors.
PETSC_INTERN PetscErrorCode PCSetUp_BILDLT(PC pc);

/// Registers the events that -log_view shows.
PETSC_INTERN PetscErrorCode PCBILDLTRegisterEvents();

#endif
