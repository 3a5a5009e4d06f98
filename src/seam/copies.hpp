#ifndef TESSERA_SEAM_COPIES_HPP
#define TESSERA_SEAM_COPIES_HPP

#include "factor/operator.hpp"

#include <petscsys.h>

/// Tells PETSc's log what was copied between host and device.
PETSC_INTERN PetscErrorCode TesseraLogCopies(const tessera::Copies &copies);

#endif
