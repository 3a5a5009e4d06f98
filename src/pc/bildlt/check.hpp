#ifndef TESSERA_PC_BILDLT_CHECK_HPP
#define TESSERA_PC_BILDLT_CHECK_HPP

#include "pc/bildlt/bildlt.hpp"

/// Factors once more on the other backend, and makes an error of any difference between the two factors.
PETSC_INTERN PetscErrorCode PCBILDLTCheckFactor(PC pc);

#endif
