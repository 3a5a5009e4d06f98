/*
   Tessera: pivoted sparse factorizations and a symmetric Krylov method for PETSc.

   A program that loads the library at run time (-dll_append libtessera.so) needs nothing from this header: the types
   are found by name. A program that links the library calls TesseraInitializePackage() once after PetscInitialize().
*/
#ifndef TESSERA_H
#define TESSERA_H

#include <petscksp.h>

/*MC
  TESSERA_VERSION - The version of the Tessera that a program is compiled with

  Values:
+ `TESSERA_VERSION_MAJOR`    - changes when programs have to be changed
. `TESSERA_VERSION_MINOR`    - changes with new functions and options, before 1.0 also with changed ones
- `TESSERA_VERSION_SUBMINOR` - changes with corrections

  Level: intermediate

.seealso: `TesseraInitializePackage()`
M*/
#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 1
#define TESSERA_VERSION_SUBMINOR 0

#define KSPSQMR "sqmr"
#define PCBILDLT "bildlt"
#define PCJLDLT "jldlt"
#define MATSOLVERTESSERA "tessera"

/*E
  TesseraPreprocessing - What a factorization does to a matrix before it orders it

  Values:
+ `TESSERA_PREPROCESSING_MATCHING`    - maximum-product matching: scales, and keeps proposed 2x2 pivots together
. `TESSERA_PREPROCESSING_EQUILIBRATE` - scales rows and columns to maximum norm 1
- `TESSERA_PREPROCESSING_NONE`        - nothing

  Level: intermediate

.seealso: `PCBILDLT`, `PCJLDLT`, `PCBILDLTSetPreprocessing()`, `PCJLDLTSetPreprocessing()`
E*/
typedef enum {
  TESSERA_PREPROCESSING_MATCHING,
  TESSERA_PREPROCESSING_EQUILIBRATE,
  TESSERA_PREPROCESSING_NONE
} TesseraPreprocessing;
PETSC_EXTERN const char *const TesseraPreprocessings[];

/*E
  TesseraOrdering - The fill-reducing or parallel ordering of a factorization

  Values:
+ `TESSERA_ORDERING_AUTO`    - AMD, and nested dissection as well where the factor is large enough to pay for it
. `TESSERA_ORDERING_NATURAL` - as given
. `TESSERA_ORDERING_AMD`     - approximate minimum degree
. `TESSERA_ORDERING_ND`      - nested dissection, in parallel
. `TESSERA_ORDERING_METIS`   - nested dissection by METIS, serial
. `TESSERA_ORDERING_RCM`     - reverse Cuthill-McKee
- `TESSERA_ORDERING_COLOR`   - greedy multicoloring

  Level: intermediate

.seealso: `PCBILDLT`, `PCJLDLT`, `PCBILDLTSetOrdering()`, `PCJLDLTSetOrdering()`
E*/
typedef enum {
  TESSERA_ORDERING_AUTO,
  TESSERA_ORDERING_NATURAL,
  TESSERA_ORDERING_AMD,
  TESSERA_ORDERING_ND,
  TESSERA_ORDERING_METIS,
  TESSERA_ORDERING_RCM,
  TESSERA_ORDERING_COLOR
} TesseraOrdering;
PETSC_EXTERN const char *const TesseraOrderings[];

/*E
  TesseraBlocking - How a block factorization groups rows into blocks

  Values:
+ `TESSERA_BLOCKING_SN`  - ordering, then the relaxed supernodes of the complete factor
. `TESSERA_BLOCKING_BR`  - rows of similar pattern are blocked, then the blocks are ordered
. `TESSERA_BLOCKING_RB`  - ordering, then consecutive rows of similar pattern are blocked
. `TESSERA_BLOCKING_RBR` - as RB, then the blocks are ordered again
- `TESSERA_BLOCKING_GRID` - ordering, then as many consecutive rows as fit

  Level: intermediate

.seealso: `PCBILDLT`, `PCJLDLT`, `PCBILDLTSetBlocking()`, `PCJLDLTSetBlocking()`
E*/
typedef enum {
  TESSERA_BLOCKING_SN,
  TESSERA_BLOCKING_BR,
  TESSERA_BLOCKING_RB,
  TESSERA_BLOCKING_RBR,
  TESSERA_BLOCKING_GRID
} TesseraBlocking;
PETSC_EXTERN const char *const TesseraBlockings[];

/*E
  PCBILDLTPivoting - Pivoting of `PCBILDLT` inside the diagonal blocks

  Values:
+ `PC_BILDLT_PIVOTING_NONE`          - the given order; 2x2 pivots where the matching proposes them
. `PC_BILDLT_PIVOTING_BUNCH_KAUFMAN` - partial pivoting
- `PC_BILDLT_PIVOTING_ROOK`          - the given order, and rook pivoting in blocks where that is not good enough

  Level: intermediate

.seealso: `PCBILDLT`, `PCBILDLTSetPivoting()`
E*/
typedef enum { PC_BILDLT_PIVOTING_NONE, PC_BILDLT_PIVOTING_BUNCH_KAUFMAN, PC_BILDLT_PIVOTING_ROOK } PCBILDLTPivoting;
PETSC_EXTERN const char *const PCBILDLTPivotings[];

/*E
  PCBILDLTPrecision - Precision in which `PCBILDLT` stores its factor above the diagonal blocks

  Values:
+ `PC_BILDLT_PRECISION_AUTO`   - single precision if levels of fill are left out, else double
. `PC_BILDLT_PRECISION_DOUBLE` - double precision
- `PC_BILDLT_PRECISION_SINGLE` - single precision: half the memory, and up to half the time of an application

  Level: intermediate

.seealso: `PCBILDLT`, `PCBILDLTSetPrecision()`
E*/
typedef enum { PC_BILDLT_PRECISION_AUTO, PC_BILDLT_PRECISION_DOUBLE, PC_BILDLT_PRECISION_SINGLE } PCBILDLTPrecision;
PETSC_EXTERN const char *const PCBILDLTPrecisions[];

/*E
  TesseraBackend - Where a factorization is made and applied

  Values:
+ `TESSERA_BACKEND_AUTO` - on the device if the matrix is kept there, else on the host
. `TESSERA_BACKEND_HOST` - on the host
- `TESSERA_BACKEND_CUDA` - on a CUDA device

  Level: intermediate

.seealso: `PCBILDLT`, `PCJLDLT`, `MATSOLVERTESSERA`, `PCBILDLTSetBackend()`, `PCJLDLTSetBackend()`
E*/
typedef enum { TESSERA_BACKEND_AUTO, TESSERA_BACKEND_HOST, TESSERA_BACKEND_CUDA } TesseraBackend;
PETSC_EXTERN const char *const TesseraBackends[];

PETSC_EXTERN PetscErrorCode PCBILDLTSetBackend(PC, TesseraBackend);
PETSC_EXTERN PetscErrorCode PCBILDLTSetPreprocessing(PC, TesseraPreprocessing);
PETSC_EXTERN PetscErrorCode PCBILDLTSetOrdering(PC, TesseraOrdering);
PETSC_EXTERN PetscErrorCode PCBILDLTSetBlocking(PC, TesseraBlocking);
PETSC_EXTERN PetscErrorCode PCBILDLTSetBlockSize(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCBILDLTSetFillLevel(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCBILDLTSetDropTolerance(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCBILDLTSetFillRatio(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCBILDLTSetPivoting(PC, PCBILDLTPivoting);
PETSC_EXTERN PetscErrorCode PCBILDLTSetPerturbation(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCBILDLTSetPrecision(PC, PCBILDLTPrecision);
PETSC_EXTERN PetscErrorCode PCBILDLTSetDefinite(PC, PetscBool);
PETSC_EXTERN PetscErrorCode PCBILDLTSetStrengthen(PC, PetscBool);
PETSC_EXTERN PetscErrorCode PCBILDLTSetMemoryLimit(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCBILDLTGetMemoryLimit(PC, PetscReal *);
PETSC_EXTERN PetscErrorCode PCBILDLTSetMaxTiles(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCBILDLTSetCheck(PC, PetscBool);
PETSC_EXTERN PetscErrorCode PCBILDLTGetInertia(PC, PetscInt *, PetscInt *, PetscInt *);
PETSC_EXTERN PetscErrorCode PCBILDLTGetPerturbedPivots(PC, PetscInt *);

/*E
  PCJLDLTPivoting - Pivoting of `PCJLDLT` inside the diagonal blocks

  Values:
+ `PC_JLDLT_PIVOTING_NONE`          - the given order; 2x2 pivots where the matching proposes them
. `PC_JLDLT_PIVOTING_BUNCH_KAUFMAN` - partial pivoting
. `PC_JLDLT_PIVOTING_ROOK`          - rook pivoting
- `PC_JLDLT_PIVOTING_FULL`          - complete pivoting

  Level: intermediate

.seealso: `PCJLDLT`, `PCJLDLTSetPivoting()`
E*/
typedef enum {
  PC_JLDLT_PIVOTING_NONE,
  PC_JLDLT_PIVOTING_BUNCH_KAUFMAN,
  PC_JLDLT_PIVOTING_ROOK,
  PC_JLDLT_PIVOTING_FULL
} PCJLDLTPivoting;
PETSC_EXTERN const char *const PCJLDLTPivotings[];

/*E
  PCJLDLTApply - How `PCJLDLT` applies its factor

  Values:
+ `PC_JLDLT_APPLY_LEVELS` - exact substitutions
- `PC_JLDLT_APPLY_JACOBI` - Jacobi sweeps of the substitutions

  Level: intermediate

.seealso: `PCJLDLT`, `PCJLDLTSetApply()`, `PCJLDLTSetApplySweeps()`
E*/
typedef enum { PC_JLDLT_APPLY_LEVELS, PC_JLDLT_APPLY_JACOBI } PCJLDLTApply;
PETSC_EXTERN const char *const PCJLDLTApplies[];

PETSC_EXTERN PetscErrorCode PCJLDLTSetBackend(PC, TesseraBackend);
PETSC_EXTERN PetscErrorCode PCJLDLTSetPreprocessing(PC, TesseraPreprocessing);
PETSC_EXTERN PetscErrorCode PCJLDLTSetOrdering(PC, TesseraOrdering);
PETSC_EXTERN PetscErrorCode PCJLDLTSetBlocking(PC, TesseraBlocking);
PETSC_EXTERN PetscErrorCode PCJLDLTSetBlockSize(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCJLDLTSetFillLevel(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCJLDLTSetPivoting(PC, PCJLDLTPivoting);
PETSC_EXTERN PetscErrorCode PCJLDLTSetSweeps(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCJLDLTSetStages(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCJLDLTSetEpsilon(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCJLDLTSetEpsilonDecay(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCJLDLTSetStall(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCJLDLTSetOuterLevels(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCJLDLTSetOuterTolerance(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCJLDLTSetWarmStart(PC, PetscBool);
PETSC_EXTERN PetscErrorCode PCJLDLTSetApply(PC, PCJLDLTApply);
PETSC_EXTERN PetscErrorCode PCJLDLTSetApplySweeps(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCJLDLTSetDefinite(PC, PetscBool);
PETSC_EXTERN PetscErrorCode PCJLDLTSetMonitor(PC, PetscBool);
PETSC_EXTERN PetscErrorCode PCJLDLTSetMemoryLimit(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCJLDLTGetMemoryLimit(PC, PetscReal *);
PETSC_EXTERN PetscErrorCode PCJLDLTSetMaxTiles(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCJLDLTSetCheck(PC, PetscBool);
PETSC_EXTERN PetscErrorCode PCJLDLTGetReconstructionError(PC, PetscReal *, PetscInt *);

/*E
  MatTesseraSingular - What `MATSOLVERTESSERA` does with a matrix that turns out to be singular

  Values:
+ `MAT_TESSERA_SINGULAR_FAIL`  - the factorization fails with `MAT_FACTOR_NUMERIC_ZEROPIVOT`
- `MAT_TESSERA_SINGULAR_SOLVE` - solves take zero pivots for absent: a solution, if the system is consistent

  Level: intermediate

.seealso: `MATSOLVERTESSERA`
E*/
typedef enum { MAT_TESSERA_SINGULAR_FAIL, MAT_TESSERA_SINGULAR_SOLVE } MatTesseraSingular;
PETSC_EXTERN const char *const MatTesseraSingulars[];

PETSC_EXTERN PetscErrorCode MatTesseraSetReusePivots(Mat, PetscBool);
PETSC_EXTERN PetscErrorCode MatTesseraGetPivots(Mat, PetscInt *, PetscInt *, PetscInt *, PetscInt *, PetscInt *);
PETSC_EXTERN PetscErrorCode MatTesseraGetPerturbedPivots(Mat, PetscInt *);
PETSC_EXTERN PetscErrorCode MatTesseraGetDeterminant(Mat, PetscScalar *, PetscInt *);
PETSC_EXTERN PetscErrorCode MatTesseraGetBackwardError(Mat, PetscReal *, PetscInt *);
PETSC_EXTERN PetscErrorCode MatTesseraGetSingularDistance(Mat, PetscReal *);
PETSC_EXTERN PetscErrorCode MatTesseraGetConditionNumber(Mat, PetscReal *);
PETSC_EXTERN PetscErrorCode MatTesseraGetNullSpace(Mat, Mat, PetscBool, MatNullSpace *, PetscReal *);

PETSC_EXTERN PetscErrorCode TesseraInitializePackage(void);
PETSC_EXTERN PetscErrorCode TesseraFinalizePackage(void);

#endif
