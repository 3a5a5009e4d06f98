/*
   What limits the memory of PCBILDLT and PCJLDLT.
*/
#include "pc/bildlt/set.hpp"
#include "pc/jldlt/set.hpp"

namespace {

PetscErrorCode CheckMemoryLimit(PC pc, PetscReal megabytes)
{
  PetscFunctionBegin;
  PetscCheck(megabytes >= 0 || megabytes == PETSC_DECIDE, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "MemoryLimit %g is neither 0 or more nor PETSC_DECIDE", (double)megabytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// factored: the data of the PC, or NULL if it is of another type.
PetscErrorCode GetMemoryLimit(PC pc, const PCFactored *factored, PetscReal *megabytes)
{
  PetscFunctionBegin;
  PetscCheck(factored && factored->memory_limit >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER,
             "Needs a PC of type " PCBILDLT " or " PCJLDLT " after a PCSetUp()");
  *megabytes = PetscReal(1e-6 * factored->memory_limit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/*@
  PCBILDLTSetMemoryLimit - Sets the memory that the factor may take

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- megabytes - in megabytes, or `PETSC_DECIDE` for half of what this process may use

  Options Database Key:
. -pc_bildlt_memory_limit m - sets the memory that the factor may take

  Level: intermediate

  Notes:
  It counts the entries of the factor. A factor that would take more is computed again with more dropping, unless
  `PCBILDLTSetStrengthen()` forbids it; then, and when that does not help, the setup fails with `PC_FACTOR_OUTMEMORY`.

  A process may use its part of the memory of the machine, or of what its control groups (containers, batch systems)
  allow, which the processes of a node share equally; and no more than the limit of its address space. On a GPU it is
  the part of the device's memory.

.seealso: `PCBILDLT`, `PCBILDLTGetMemoryLimit()`, `PCBILDLTSetMaxTiles()`
@*/
PetscErrorCode PCBILDLTSetMemoryLimit(PC pc, PetscReal megabytes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, megabytes, 2);
  PetscCall(CheckMemoryLimit(pc, megabytes));
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::memory_limit, megabytes, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTGetMemoryLimit - Gets the memory that the factor may take

  Not Collective

  Input Parameter:
. pc - the preconditioner of type `PCBILDLT`, set up

  Output Parameter:
. megabytes - in megabytes, of the last setup

  Level: intermediate

.seealso: `PCBILDLT`, `PCBILDLTSetMemoryLimit()`
@*/
PetscErrorCode PCBILDLTGetMemoryLimit(PC pc, PetscReal *megabytes)
{
  PC_BILDLT *bildlt = nullptr;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(megabytes, 2);
  PetscCall(PCFactoredGetData(pc, PCBILDLT, &bildlt));
  PetscCall(GetMemoryLimit(pc, bildlt, megabytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetMaxTiles - Sets how many tiles above the diagonal the factor may have

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- tiles - the most tiles, at least 1

  Options Database Key:
. -pc_bildlt_max_tiles n - sets how many tiles above the diagonal the factor may have

  Level: advanced

  Note:
  It bounds the memory and the time of the analysis, before there is a factor: 134,217,728 by default, some 10 GB.
  The automatic choice of levels of fill takes fewer levels where there are more tiles; levels that were set are not
  changed, and the setup fails with `PC_FACTOR_OUTMEMORY`.

.seealso: `PCBILDLT`, `PCBILDLTSetFillLevel()`, `PCBILDLTSetMemoryLimit()`
@*/
PetscErrorCode PCBILDLTSetMaxTiles(PC pc, PetscInt tiles)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, tiles, 2);
  PetscCheck(tiles >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "MaxTiles %" PetscInt_FMT " is not positive", tiles);
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::max_tiles, tiles, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetMemoryLimit - Sets the memory that the factor may take

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- megabytes - in megabytes, or `PETSC_DECIDE` for half of what this process may use

  Options Database Key:
. -pc_jldlt_memory_limit m - sets the memory that the factor may take

  Level: intermediate

  Notes:
  It counts all that the PC holds for the factor and its application. If that would be more the setup fails with
  `PC_FACTOR_OUTMEMORY`: fewer levels of fill or smaller blocks take less.

  A process may use its part of the memory of the machine, or of what its control groups (containers, batch systems)
  allow, which the processes of a node share equally; and no more than the limit of its address space. On a GPU it is
  the part of the device's memory.

.seealso: `PCJLDLT`, `PCJLDLTGetMemoryLimit()`, `PCJLDLTSetMaxTiles()`
@*/
PetscErrorCode PCJLDLTSetMemoryLimit(PC pc, PetscReal megabytes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, megabytes, 2);
  PetscCall(CheckMemoryLimit(pc, megabytes));
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::memory_limit, megabytes, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTGetMemoryLimit - Gets the memory that the factor may take

  Not Collective

  Input Parameter:
. pc - the preconditioner of type `PCJLDLT`, set up

  Output Parameter:
. megabytes - in megabytes, of the last setup

  Level: intermediate

.seealso: `PCJLDLT`, `PCJLDLTSetMemoryLimit()`
@*/
PetscErrorCode PCJLDLTGetMemoryLimit(PC pc, PetscReal *megabytes)
{
  PC_JLDLT *jldlt = nullptr;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(megabytes, 2);
  PetscCall(PCFactoredGetData(pc, PCJLDLT, &jldlt));
  PetscCall(GetMemoryLimit(pc, jldlt, megabytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetMaxTiles - Sets how many tiles above the diagonal the factor may have

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- tiles - the most tiles, at least 1

  Options Database Key:
. -pc_jldlt_max_tiles n - sets how many tiles above the diagonal the factor may have

  Level: advanced

  Note:
  It bounds the memory and the time of the analysis, before there is a factor: 134,217,728 by default, some 10 GB.
  With more the setup fails with `PC_FACTOR_OUTMEMORY`.

.seealso: `PCJLDLT`, `PCJLDLTSetFillLevel()`, `PCJLDLTSetMemoryLimit()`
@*/
PetscErrorCode PCJLDLTSetMaxTiles(PC pc, PetscInt tiles)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, tiles, 2);
  PetscCheck(tiles >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "MaxTiles %" PetscInt_FMT " is not positive", tiles);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::max_tiles, tiles, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}
