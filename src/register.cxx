/*
   The seam to PETSc's type registry. Compiled for the oldest CPU of the architecture (see src/CMakeLists.txt), so that
   it can refuse a CPU that the rest of the library would crash on.
*/
#include "factor/operator.hpp"
#include "instruction_set.hpp"
#include "ksp/sqmr.hpp"
#include "mat/solver.hpp"
#include "pc/bildlt/setup.hpp"
#include "pc/jldlt/setup.hpp"
#include "pc/memory_share.hpp"
#include "seam/log_steps.hpp"
#include "tessera.h"

#include <petscmat.h>

namespace {

PetscBool packageInitialized = PETSC_FALSE;

/// PETSc's private structures change between minor versions: types compiled for one do not run in another.
PetscErrorCode CheckPETScVersion()
{
  PetscInt major, minor, subminor;

  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(&major, &minor, &subminor, nullptr));
  PetscCheck(major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "This libtessera was compiled for PETSc %d.%d and cannot be used with the PETSc %" PetscInt_FMT
             ".%" PetscInt_FMT ".%" PetscInt_FMT
             " of this program. Compile Tessera again with PETSC_DIR and PETSC_ARCH set to this program's PETSc",
             PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, major, minor, subminor);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckCPU()
{
  PetscFunctionBegin;
#if defined(__x86_64__)
  const char *missing = nullptr;

  if (tessera::compiledFor.avx2 && !__builtin_cpu_supports("avx2"))
    missing = "AVX2";
  if (tessera::compiledFor.fma && !__builtin_cpu_supports("fma"))
    missing = "FMA";
  if (tessera::compiledFor.avx512 && !__builtin_cpu_supports("avx512f"))
    missing = "AVX-512";
  PetscCheck(!missing, PETSC_COMM_SELF, PETSC_ERR_SUP_SYS,
             "This libtessera was compiled to use %s instructions, which this CPU lacks. Compile Tessera again with "
             "-DTESSERA_MARCH=x86-64, or with -DTESSERA_MARCH=native on this CPU",
             missing);
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(USE_REAL_DOUBLE) && !PetscDefined(USE_COMPLEX)
PetscErrorCode RegisterPreconditioners()
{
  PetscFunctionBegin;
  PetscCall(PCFactoredCountProcesses());
  PetscCall(PCRegister(PCBILDLT, PCCreate_BILDLT));
  PetscCall(PCBILDLTRegisterEvents());
  PetscCall(PCRegister(PCJLDLT, PCCreate_JLDLT));
  PetscCall(PCJLDLTRegisterEvents());
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
/// Constructor of the preconditioners that work on real double precision matrices only.
PetscErrorCode PCCreate_Unsupported(PC pc)
{
  PetscFunctionBegin;
  SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
          "PC types " PCBILDLT " and " PCJLDLT " need a PETSc with real scalars in double precision and 32- or 64-bit "
          "indices; this one has %s scalars in %s precision. KSP type " KSPSQMR " works here, with other symmetric "
          "preconditioners such as jacobi or icc%s",
          PetscDefined(USE_COMPLEX) ? "complex" : "real",
          PetscDefined(USE_REAL_DOUBLE)   ? "double"
          : PetscDefined(USE_REAL_SINGLE) ? "single"
                                          : "another",
          PetscDefined(USE_REAL_DOUBLE)
              ? ", and -pc_type lu and cholesky with -pc_factor_mat_solver_type " MATSOLVERTESSERA
              : "");
}

PetscErrorCode RegisterPreconditioners()
{
  PetscFunctionBegin;
  PetscCall(PCRegister(PCBILDLT, PCCreate_Unsupported));
  PetscCall(PCRegister(PCJLDLT, PCCreate_Unsupported));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/// Scalars in double precision, real or complex.
PetscErrorCode RegisterDirectSolver()
{
  PetscFunctionBegin;
#if PetscDefined(USE_REAL_DOUBLE)
  PetscCall(TesseraRegisterSteps());
  PetscCall(MatTesseraRegister());
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/*@C
  TesseraFinalizePackage - Forgets that Tessera's types are registered, so that they are registered again after another
  `PetscInitialize()`, and frees the little pinned memory that factors on GPUs have left for the next ones.
  `PetscFinalize()` calls it.

  Not Collective

  Level: developer

.seealso: `TesseraInitializePackage()`, `PetscFinalize()`
@*/
PetscErrorCode TesseraFinalizePackage(void)
{
  PetscFunctionBegin;
  packageInitialized = PETSC_FALSE;
  tessera::free_pinned_memory();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  TesseraInitializePackage - Registers Tessera's types with PETSc: `KSPSQMR`, `PCBILDLT`, `PCJLDLT` and
  `MATSOLVERTESSERA`.

  Collective on `PETSC_COMM_WORLD`

  Level: beginner

  Notes:
  For programs that link the library, once after each `PetscInitialize()`. Not needed when PETSc loads the library
  at run time, and harmless then.

  The processes find out here how many of them share a node and its GPUs, because each may take its part of their memory
  only.

  It is an error when the running PETSc is of another minor version than the one Tessera was compiled for, or when
  the CPU lacks the instructions that Tessera was compiled to use.

.seealso: `TesseraFinalizePackage()`, `KSPSetType()`, `KSPSQMR`
@*/
PetscErrorCode TesseraInitializePackage(void)
{
  PetscFunctionBegin;
  if (packageInitialized)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckPETScVersion());
  PetscCall(CheckCPU());
  /* MatSolverTypeRegister() as the first call to the Mat package loses every solver type that PETSc registers itself.
   */
  PetscCall(MatInitializePackage());
  PetscCall(KSPRegister(KSPSQMR, KSPCreate_SQMR));
  PetscCall(RegisterPreconditioners());
  PetscCall(RegisterDirectSolver());
  PetscCall(PetscRegisterFinalize(TesseraFinalizePackage));
  packageInitialized = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What PETSc calls after -dll_append libtessera.so. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_tessera(void)
{
  PetscFunctionBegin;
  PetscCall(TesseraInitializePackage());
  PetscFunctionReturn(PETSC_SUCCESS);
}
