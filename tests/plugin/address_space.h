/* A system to be set up in an address space that is limited. */
#ifndef TESSERA_TESTS_PLUGIN_ADDRESS_SPACE_H
#define TESSERA_TESTS_PLUGIN_ADDRESS_SPACE_H

#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <tessera.h>
#include <unistd.h>

static inline PetscErrorCode Expect(const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  if (!good)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "WARNING: %s\n", what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An indefinite five-point operator. */
static inline PetscErrorCode CreateMatrix(PetscInt n, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n * n, n * n, 5, NULL, A));
  for (PetscInt i = 0; i < n * n; i++) {
    const PetscInt left = i % n > 0 ? i - 1 : -1, right = i % n < n - 1 ? i + 1 : -1;

    PetscCall(MatSetValue(*A, i, i, 4 - 0.73 * (1 + i % 3), INSERT_VALUES));
    if (left >= 0)
      PetscCall(MatSetValue(*A, i, left, -1, INSERT_VALUES));
    if (right >= 0)
      PetscCall(MatSetValue(*A, i, right, -1, INSERT_VALUES));
    if (i >= n)
      PetscCall(MatSetValue(*A, i, i - n, -1, INSERT_VALUES));
    if (i < n * (n - 1))
      PetscCall(MatSetValue(*A, i, i + n, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of the address space in use. */
static inline PetscErrorCode GetAddressSpace(double *bytes)
{
  FILE *file = fopen("/proc/self/statm", "r");
  long pages = 0;

  PetscFunctionBeginUser;
  PetscCheck(file && fscanf(file, "%ld", &pages) == 1, PETSC_COMM_SELF, PETSC_ERR_SYS, "No /proc/self/statm");
  fclose(file);
  *bytes = (double)pages * (double)sysconf(_SC_PAGESIZE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lets the address space grow by so many bytes, or without a limit if that is negative. */
static inline PetscErrorCode Limit(double bytes)
{
  struct rlimit limit;
  double used;

  PetscFunctionBeginUser;
  malloc_trim(0);
  PetscCall(GetAddressSpace(&used));
  PetscCheck(getrlimit(RLIMIT_AS, &limit) == 0, PETSC_COMM_SELF, PETSC_ERR_SYS, "getrlimit()");
  limit.rlim_cur = bytes < 0 ? limit.rlim_max : (rlim_t)(used + bytes);
  PetscCheck(setrlimit(RLIMIT_AS, &limit) == 0, PETSC_COMM_SELF, PETSC_ERR_SYS, "setrlimit()");
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
