#ifndef TESSERA_PC_MEMORY_SHARE_HPP
#define TESSERA_PC_MEMORY_SHARE_HPP

#include "pc/factored/factored.hpp"

/// Finds out with how many processes this one shares its node and its GPU. Collective on PETSC_COMM_WORLD: a PC may be
/// set up by some of the processes only, so this is done when the types are registered.
PETSC_INTERN PetscErrorCode PCFactoredCountProcesses();

/// Memory that the factorization of a PC may take, in bytes, as its data note too: megabytes if that is not
/// PETSC_DECIDE, else half of what this process may use of the machine or device that it is on.
double PCFactoredMemoryLimit(PCFactored &factored, PetscReal megabytes);

#endif
