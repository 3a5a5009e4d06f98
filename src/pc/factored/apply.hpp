#ifndef TESSERA_PC_FACTORED_APPLY_HPP
#define TESSERA_PC_FACTORED_APPLY_HPP

#include "pc/factored/factored.hpp"

/// z = M⁻¹ r; M is symmetric, so this is the transposed application too.
PETSC_INTERN PetscErrorCode PCApply_Factored(PC pc, Vec r, Vec z);

/// Z = M⁻¹ R for all columns of dense matrices.
PETSC_INTERN PetscErrorCode PCMatApply_Factored(PC pc, Mat R, Mat Z);

#endif
