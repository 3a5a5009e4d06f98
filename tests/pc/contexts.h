#ifndef CONTEXTS_H
#define CONTEXTS_H

#include <petscdevice_cuda.h>
#include <petscksp.h>

/* A device context with a stream of its own, which does not wait for the default stream, and is really destroyed. */
static PetscErrorCode CreateContext(PetscDevice device, PetscDeviceContext *context)
{
  PetscFunctionBeginUser;
  PetscCall(PetscDeviceContextCreate(context));
  PetscCall(PetscDeviceContextSetDevice(*context, device));
  PetscCall(PetscDeviceContextSetStreamType(*context, PETSC_STREAM_NONBLOCKING));
  PetscCall(PetscDeviceContextSetUp(*context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The stream of a context ends with another type of stream; a context as such is kept by PETSc for the next one. */
static PetscErrorCode DestroyContext(PetscDeviceContext *context)
{
  PetscFunctionBeginUser;
  PetscCall(PetscDeviceContextSetStreamType(*context, PETSC_STREAM_DEFAULT));
  PetscCall(PetscDeviceContextDestroy(context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Print(const char what[], PetscBool yes)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s\n", what, yes ? "yes" : "NO"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether two vectors have the same bits. */
static PetscErrorCode SameBits(Vec x, Vec y, PetscBool *same)
{
  const PetscScalar *a, *b;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(y, &b));
  PetscCall(PetscMemcmp(a, b, n * sizeof *a, same));
  PetscCall(VecRestoreArrayRead(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
