#ifndef TESSERA_KSP_SQMR_HPP
#define TESSERA_KSP_SQMR_HPP

#include <petscksp.h>

/// Constructor of KSPSQMR, as KSPRegister() wants it.
PETSC_INTERN PetscErrorCode KSPCreate_SQMR(KSP ksp);

#endif
