/*
   Setters and getters of PCBILDLT. As usual with PETSc, they do nothing to a PC of another type.
*/
#include "pc/bildlt_setup.hpp"

#include <petsc/private/pcimpl.h>

namespace {

/// What of a setup a changed option makes invalid.
enum class Invalidates { Nothing, Factor, Analysis };

/// The data of a PC of this type, or NULL.
PetscErrorCode GetData(PC pc, PC_BILDLT **bildlt)
{
  PetscBool is;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCBILDLT, &is));
  *bildlt = is ? static_cast<PC_BILDLT *>(pc->data) : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T>
PetscErrorCode Set(PC pc, T PCBILDLTOptions::*option, T value, Invalidates invalidates)
{
  PC_BILDLT *bildlt = nullptr;

  PetscFunctionBegin;
  PetscCall(GetData(pc, &bildlt));
  if (!bildlt || bildlt->options.*option == value)
    PetscFunctionReturn(PETSC_SUCCESS);
  bildlt->options.*option = value;
  if (invalidates == Invalidates::Analysis)
    bildlt->factorization.reset();
  if (invalidates != Invalidates::Nothing) {
    bildlt->options_changed = PETSC_TRUE;
    pc->setupcalled = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/*@
  PCBILDLTSetBackend - Sets where the factorization and the solves are done

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- backend - auto, host or cuda

  Options Database Key:
. -pc_bildlt_backend (auto|host|cuda) - sets where the factorization and the solves are done

  Level: intermediate

  Note:
  The CUDA backend takes matrices of type `MATSEQAIJCUSPARSE` and vectors of type `VECCUDA` as they are in device
memory; those of the host it copies at each setup and each application. The pattern is analysed on the host in any case.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetBackend(PC pc, PCBILDLTBackend backend)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, backend, 2);
  PetscCheck(backend >= 0 && backend < 3, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "Not a PCBILDLTBackend: %d", (int)backend);
  PetscCall(Set(pc, &PCBILDLTOptions::backend, backend, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetPreprocessing - Sets what is done to the matrix before it is ordered

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- preprocessing - matching, equilibrate or none

  Options Database Key:
. -pc_bildlt_preprocessing (matching|equilibrate|none) - sets what is done to the matrix before it is ordered

  Level: intermediate

  Note:
  The matching scales the matrix so that no entry exceeds 1 and pairs rows into proposed 2x2 pivots, which the ordering
keeps together.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetPreprocessing(PC pc, PCBILDLTPreprocessing preprocessing)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, preprocessing, 2);
  PetscCheck(preprocessing >= 0 && preprocessing < 3, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "Not a PCBILDLTPreprocessing: %d", (int)preprocessing);
  PetscCall(Set(pc, &PCBILDLTOptions::preprocessing, preprocessing, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetOrdering - Sets the ordering of the matrix

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- ordering - auto, natural, amd, nd, metis, rcm or color

  Options Database Key:
. -pc_bildlt_ordering (auto|natural|amd|nd|metis|rcm|color) - sets the ordering of the matrix

  Level: intermediate

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetOrdering(PC pc, PCBILDLTOrdering ordering)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, ordering, 2);
  PetscCheck(ordering >= 0 && ordering < 7, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "Not a PCBILDLTOrdering: %d", (int)ordering);
  PetscCall(Set(pc, &PCBILDLTOptions::ordering, ordering, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetBlocking - Sets how rows are grouped into blocks

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- blocking - sn, br, rb or rbr

  Options Database Key:
. -pc_bildlt_blocking (sn|br|rb|rbr) - sets how rows are grouped into blocks

  Level: intermediate

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetBlocking(PC pc, PCBILDLTBlocking blocking)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, blocking, 2);
  PetscCheck(blocking >= 0 && blocking < 4, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "Not a PCBILDLTBlocking: %d", (int)blocking);
  PetscCall(Set(pc, &PCBILDLTOptions::blocking, blocking, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetBlockSize - Sets how many rows a block may have at most

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- size - between 2 and 32

  Options Database Key:
. -pc_bildlt_block_size n - sets how many rows a block may have at most

  Level: intermediate

  Note:
  Large blocks pivot better and compute faster; small ones keep less fill.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetBlockSize(PC pc, PetscInt size)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, size, 2);
  PetscCheck(size >= 2 && size <= 32, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "BlockSize %" PetscInt_FMT " is not between 2 and 32", size);
  PetscCall(Set(pc, &PCBILDLTOptions::block_size, size, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetFillLevel - Sets the levels of fill between blocks

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- level - a level, `PETSC_DECIDE` for the automatic choice, or `PETSC_UNLIMITED` for complete fill

  Options Database Key:
. -pc_bildlt_fill_level k - sets the levels of fill between blocks

  Level: intermediate

  Note:
  Inside the tiles that a level allows there is no restriction but the drop tolerance.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetFillLevel(PC pc, PetscInt level)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, level, 2);
  PetscCheck(level >= 0 || level == PETSC_DECIDE || level == PETSC_UNLIMITED, PetscObjectComm((PetscObject)pc),
             PETSC_ERR_ARG_OUTOFRANGE,
             "Level of fill %" PetscInt_FMT " is neither 0 or more, nor PETSC_DECIDE, nor PETSC_UNLIMITED", level);
  PetscCall(Set(pc, &PCBILDLTOptions::fill_level, level, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetDropTolerance - Sets which columns of tiles are dropped

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- tolerance - relative tolerance, 0 to drop nothing, or `PETSC_DECIDE` for the automatic choice

  Options Database Key:
. -pc_bildlt_drop_tolerance t - sets which columns of tiles are dropped

  Level: intermediate

  Note:
  A column of a tile is dropped when all its entries are at most this times the 2-norm of their row of the factor.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetDropTolerance(PC pc, PetscReal tolerance)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, tolerance, 2);
  PetscCheck(tolerance >= 0 || tolerance == PETSC_DECIDE, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "DropTolerance %g is neither 0 or more nor PETSC_DECIDE", (double)tolerance);
  PetscCall(Set(pc, &PCBILDLTOptions::drop_tolerance, tolerance, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetFillRatio - Sets how many entries a block row may keep, relative to the entries of the matrix in it

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- ratio - ratio, 0 for no limit

  Options Database Key:
. -pc_bildlt_fill_ratio r - sets how many entries a block row may keep, relative to the entries of the matrix in it

  Level: intermediate

  Notes:
  Counted are the entries above the diagonal block. A block row may keep there at most `ratio` times the entries that
  the (scaled and permuted) matrix has there or, where it has none, that it has in a block row on average.

  This is the second half of dual dropping: of the columns that the drop tolerance leaves, those with the largest entries
  relative to the norms of their rows are kept, and of equal ones the first. A column is kept or dropped as a whole, with
  all rows of the block.

  What a block row leaves of its share is granted to later ones, level set by level set and in their order inside a level
  set. The result does not depend on the number of threads, and the factor above its diagonal blocks has never more
  than `ratio` times the entries of the matrix there, where all block rows have some.

  A setup that judges the factor too weak (`-pc_bildlt_strengthen`) lifts this limit first.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetFillRatio(PC pc, PetscReal ratio)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, ratio, 2);
  PetscCheck(ratio >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "FillRatio %g is negative or not a number", (double)ratio);
  PetscCall(Set(pc, &PCBILDLTOptions::fill_ratio, ratio, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetPivoting - Sets the pivoting inside diagonal blocks

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- pivoting - none, bunch_kaufman or rook

  Options Database Key:
. -pc_bildlt_pivoting (none|bunch_kaufman|rook) - sets the pivoting inside diagonal blocks

  Level: intermediate

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetPivoting(PC pc, PCBILDLTPivoting pivoting)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, pivoting, 2);
  PetscCheck(pivoting >= 0 && pivoting < 3, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "Not a PCBILDLTPivoting: %d", (int)pivoting);
  PetscCall(Set(pc, &PCBILDLTOptions::pivoting, pivoting, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetPerturbation - Sets below which size pivots are replaced

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- epsilon - relative to the largest entry of the scaled matrix

  Options Database Key:
. -pc_bildlt_perturbation e - sets below which size pivots are replaced

  Level: intermediate

  Note:
  Replaced pivots are counted, see `PCBILDLTGetPerturbedPivots()`.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetPerturbation(PC pc, PetscReal epsilon)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, epsilon, 2);
  PetscCheck(epsilon >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "Perturbation %g is negative or not a number", (double)epsilon);
  PetscCall(Set(pc, &PCBILDLTOptions::perturbation, epsilon, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetPrecision - Sets the precision in which the factor is stored

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- precision - double or single

  Options Database Key:
. -pc_bildlt_precision (double|single) - sets the precision in which the factor is stored

  Level: intermediate

  Note:
  The factor is computed in double precision in any case.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetPrecision(PC pc, PCBILDLTPrecision precision)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, precision, 2);
  PetscCheck(precision >= 0 && precision < 2, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "Not a PCBILDLTPrecision: %d", (int)precision);
  PetscCall(Set(pc, &PCBILDLTOptions::precision, precision, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetDefinite - Makes the preconditioner positive definite, by |D| in place of D

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- definite - `PETSC_TRUE` for |D|

  Options Database Key:
. -pc_bildlt_definite - makes the preconditioner positive definite, by |d| in place of d

  Level: intermediate

  Note:
  For methods that need a definite preconditioner, such as `KSPMINRES`. |D| is the spectral absolute value.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetDefinite(PC pc, PetscBool definite)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveBool(pc, definite, 2);
  PetscCall(Set(pc, &PCBILDLTOptions::definite, definite, Invalidates::Nothing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetStrengthen - Sets whether a weak factor is computed again with less dropping and more fill

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- strengthen - `PETSC_FALSE` to take the first factor as it is

  Options Database Key:
. -pc_bildlt_strengthen - sets whether a weak factor is computed again with less dropping and more fill

  Level: intermediate

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetStrengthen(PC pc, PetscBool strengthen)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveBool(pc, strengthen, 2);
  PetscCall(Set(pc, &PCBILDLTOptions::strengthen, strengthen, Invalidates::Nothing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetMemoryLimit - Sets the memory that the factor may take

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- megabytes - in megabytes, or `PETSC_DECIDE` for half of the machine's memory

  Options Database Key:
. -pc_bildlt_memory_limit m - sets the memory that the factor may take

  Level: intermediate

  Note:
  A factor that would take more is computed again with more dropping, unless `PCBILDLTSetStrengthen()` forbids it; then,
and when that does not help, the setup fails with `PC_FACTOR_OUTMEMORY`.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetMemoryLimit(PC pc, PetscReal megabytes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, megabytes, 2);
  PetscCheck(megabytes >= 0 || megabytes == PETSC_DECIDE, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "MemoryLimit %g is neither 0 or more nor PETSC_DECIDE", (double)megabytes);
  PetscCall(Set(pc, &PCBILDLTOptions::memory_limit, megabytes, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTGetInertia - Gets the inertia of the matrix that the factor represents

  Not Collective

  Input Parameter:
. pc - the preconditioner of type `PCBILDLT`, set up

  Output Parameters:
+ negative - number of negative eigenvalues of D
. zero     - number of zero ones
- positive - number of positive ones

  Level: intermediate

  Note:
  It is the inertia of the matrix itself (Sylvester) only if nothing was dropped, fill is complete and no pivot was
  perturbed; every perturbed pivot, see `PCBILDLTGetPerturbedPivots()`, leaves the sign of its eigenvalues uncertain.

.seealso: `PCBILDLT`, `PCBILDLTGetPerturbedPivots()`
@*/
PetscErrorCode PCBILDLTGetInertia(PC pc, PetscInt *negative, PetscInt *zero, PetscInt *positive)
{
  PC_BILDLT *bildlt = nullptr;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscCall(GetData(pc, &bildlt));
  PetscCheck(bildlt && bildlt->factorization && bildlt->report.status == tessera::FactorReport::Complete,
             PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER,
             "Needs a PC of type " PCBILDLT " after a PCSetUp() that did not fail");
  if (negative)
    *negative = static_cast<PetscInt>(bildlt->report.negative);
  if (zero)
    *zero = static_cast<PetscInt>(bildlt->report.zero);
  if (positive)
    *positive = static_cast<PetscInt>(bildlt->report.positive);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTGetPerturbedPivots - Gets how many pivots were too small and were replaced

  Not Collective

  Input Parameter:
. pc - the preconditioner of type `PCBILDLT`, set up

  Output Parameter:
. perturbed - number of replaced pivots, 1x1 and 2x2

  Level: intermediate

.seealso: `PCBILDLT`, `PCBILDLTSetPerturbation()`, `PCBILDLTGetInertia()`
@*/
PetscErrorCode PCBILDLTGetPerturbedPivots(PC pc, PetscInt *perturbed)
{
  PC_BILDLT *bildlt = nullptr;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(perturbed, 2);
  PetscCall(GetData(pc, &bildlt));
  PetscCheck(bildlt && bildlt->factorization && bildlt->report.status == tessera::FactorReport::Complete,
             PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER,
             "Needs a PC of type " PCBILDLT " after a PCSetUp() that did not fail");
  *perturbed = static_cast<PetscInt>(bildlt->report.perturbed);
  PetscFunctionReturn(PETSC_SUCCESS);
}
