/* Stands in front of the real function, as the PETSc of a program that the plugin was not compiled for would. */
#include <petscsys.h>

PETSC_EXTERN PetscErrorCode PetscGetVersionNumber(PetscInt *major, PetscInt *minor, PetscInt *subminor,
                                                  PetscInt *release)
{
  if (major)
    *major = 3;
  if (minor)
    *minor = 9999;
  if (subminor)
    *subminor = 7;
  if (release)
    *release = 1;
  return PETSC_SUCCESS;
}
