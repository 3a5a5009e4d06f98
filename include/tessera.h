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
#define PCJLDLT "jldlt"

/*E
  PCBILDLTPreprocessing - What `PCBILDLT` does to a matrix before it orders it

  Values:
+ `PC_BILDLT_PREPROCESSING_MATCHING`    - maximum-product matching: scales, and keeps proposed 2x2 pivots together
. `PC_BILDLT_PREPROCESSING_EQUILIBRATE` - scales rows and columns to maximum norm 1
- `PC_BILDLT_PREPROCESSING_NONE`        - nothing

  Level: intermediate

.seealso: `PCBILDLT`, `PCBILDLTSetPreprocessing()`
E*/
typedef enum {
  PC_BILDLT_PREPROCESSING_MATCHING,
  PC_BILDLT_PREPROCESSING_EQUILIBRATE,
  PC_BILDLT_PREPROCESSING_NONE
} PCBILDLTPreprocessing;
PETSC_EXTERN const char *const PCBILDLTPreprocessings[];

/*E
  PCBILDLTOrdering - The fill-reducing or parallel ordering that `PCBILDLT` uses

  Values:
+ `PC_BILDLT_ORDERING_AUTO`    - AMD, and nested dissection as well where the factor is large enough to pay for it
. `PC_BILDLT_ORDERING_NATURAL` - as given
. `PC_BILDLT_ORDERING_AMD`     - approximate minimum degree
. `PC_BILDLT_ORDERING_ND`      - nested dissection, in parallel
. `PC_BILDLT_ORDERING_METIS`   - nested dissection by METIS, serial
. `PC_BILDLT_ORDERING_RCM`     - reverse Cuthill-McKee
- `PC_BILDLT_ORDERING_COLOR`   - greedy multicoloring

  Level: intermediate

.seealso: `PCBILDLT`, `PCBILDLTSetOrdering()`
E*/
typedef enum {
  PC_BILDLT_ORDERING_AUTO,
  PC_BILDLT_ORDERING_NATURAL,
  PC_BILDLT_ORDERING_AMD,
  PC_BILDLT_ORDERING_ND,
  PC_BILDLT_ORDERING_METIS,
  PC_BILDLT_ORDERING_RCM,
  PC_BILDLT_ORDERING_COLOR
} PCBILDLTOrdering;
PETSC_EXTERN const char *const PCBILDLTOrderings[];

/*E
  PCBILDLTBlocking - How `PCBILDLT` groups rows into blocks

  Values:
+ `PC_BILDLT_BLOCKING_SN`  - ordering, then the relaxed supernodes of the complete factor
. `PC_BILDLT_BLOCKING_BR`  - rows of similar pattern are blocked, then the blocks are ordered
. `PC_BILDLT_BLOCKING_RB`  - ordering, then consecutive rows of similar pattern are blocked
. `PC_BILDLT_BLOCKING_RBR` - as RB, then the blocks are ordered again
- `PC_BILDLT_BLOCKING_GRID` - ordering, then as many consecutive rows as fit

  Level: intermediate

.seealso: `PCBILDLT`, `PCBILDLTSetBlocking()`
E*/
typedef enum {
  PC_BILDLT_BLOCKING_SN,
  PC_BILDLT_BLOCKING_BR,
  PC_BILDLT_BLOCKING_RB,
  PC_BILDLT_BLOCKING_RBR,
  PC_BILDLT_BLOCKING_GRID
} PCBILDLTBlocking;
PETSC_EXTERN const char *const PCBILDLTBlockings[];

/*E
  PCBILDLTPivoting - Pivoting of `PCBILDLT` inside the diagonal blocks

  Values:
+ `PC_BILDLT_PIVOTING_NONE`          - the given order; 2x2 pivots where the matching proposes them
. `PC_BILDLT_PIVOTING_BUNCH_KAUFMAN` - partial pivoting
- `PC_BILDLT_PIVOTING_ROOK`          - rook pivoting

  Level: intermediate

.seealso: `PCBILDLT`, `PCBILDLTSetPivoting()`
E*/
typedef enum { PC_BILDLT_PIVOTING_NONE, PC_BILDLT_PIVOTING_BUNCH_KAUFMAN, PC_BILDLT_PIVOTING_ROOK } PCBILDLTPivoting;
PETSC_EXTERN const char *const PCBILDLTPivotings[];

/*E
  PCBILDLTPrecision - Precision in which `PCBILDLT` stores its factor above the diagonal blocks

  Values:
+ `PC_BILDLT_PRECISION_DOUBLE` - double precision
- `PC_BILDLT_PRECISION_SINGLE` - single precision: half the memory, and half the time of a memory-bound apply

  Level: intermediate

.seealso: `PCBILDLT`, `PCBILDLTSetPrecision()`
E*/
typedef enum { PC_BILDLT_PRECISION_DOUBLE, PC_BILDLT_PRECISION_SINGLE } PCBILDLTPrecision;
PETSC_EXTERN const char *const PCBILDLTPrecisions[];

/*E
  PCBILDLTBackend - Where `PCBILDLT` factors and solves

  Values:
+ `PC_BILDLT_BACKEND_AUTO` - on the device if the matrix is kept there, else on the host
. `PC_BILDLT_BACKEND_HOST` - on the host
- `PC_BILDLT_BACKEND_CUDA` - on a CUDA device

  Level: intermediate

.seealso: `PCBILDLT`, `PCBILDLTSetBackend()`
E*/
typedef enum { PC_BILDLT_BACKEND_AUTO, PC_BILDLT_BACKEND_HOST, PC_BILDLT_BACKEND_CUDA } PCBILDLTBackend;
PETSC_EXTERN const char *const PCBILDLTBackends[];

PETSC_EXTERN PetscErrorCode PCBILDLTSetBackend(PC, PCBILDLTBackend);
PETSC_EXTERN PetscErrorCode PCBILDLTSetPreprocessing(PC, PCBILDLTPreprocessing);
PETSC_EXTERN PetscErrorCode PCBILDLTSetOrdering(PC, PCBILDLTOrdering);
PETSC_EXTERN PetscErrorCode PCBILDLTSetBlocking(PC, PCBILDLTBlocking);
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

PETSC_EXTERN PetscErrorCode PCJLDLTSetBackend(PC, PCBILDLTBackend);
PETSC_EXTERN PetscErrorCode PCJLDLTSetPreprocessing(PC, PCBILDLTPreprocessing);
PETSC_EXTERN PetscErrorCode PCJLDLTSetOrdering(PC, PCBILDLTOrdering);
PETSC_EXTERN PetscErrorCode PCJLDLTSetBlocking(PC, PCBILDLTBlocking);
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
PETSC_EXTERN PetscErrorCode PCJLDLTGetReconstructionError(PC, PetscReal *, PetscInt *);

PETSC_EXTERN PetscErrorCode TesseraInitializePackage(void);
PETSC_EXTERN PetscErrorCode TesseraFinalizePackage(void);

#endif
