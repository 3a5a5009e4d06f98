/*
   Tessera: pivoted sparse factorizations and a symmetric Krylov method for PETSc.

   A program that loads the library at run time (-dll_append libtessera.so) needs nothing from this header: the types
   are found by name. A program that links the library calls TesseraInitializePackage() once after PetscInitialize().
*/
#ifndef TESSERA_H
#define TESSERA_H

#include <petscksp.h>

#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 1
#define TESSERA_VERSION_SUBMINOR 0

#define KSPSQMR "sqmr"
#define PCBILDLT "bildlt"

PETSC_EXTERN PetscErrorCode TesseraInitializePackage(void);
PETSC_EXTERN PetscErrorCode TesseraFinalizePackage(void);

#endif
