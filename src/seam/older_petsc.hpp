#ifndef TESSERA_SEAM_OLDER_PETSC_HPP
#define TESSERA_SEAM_OLDER_PETSC_HPP

#include <petscmat.h>

/*
   What the oldest PETSc that Tessera is compiled for, 3.25, has by another name: the name of later releases stands here
   for it, so that the rest of the library knows one PETSc only.
*/
#if PETSC_VERSION_LT(3, 26, 0)

/// Sets all entries to infinity if `flag` is not zero, so that what computes with them notices.
inline PetscErrorCode MatFlag(Mat A, PetscInt flag)
{
  PetscFunctionBegin;
  if (flag)
    PetscCall(MatSetInf(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif

#endif
