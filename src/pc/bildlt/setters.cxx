/*
   Setters of PCBILDLT for what the analysis of a pattern depends on. As usual with PETSc, setters do nothing to a PC of
   another type.
*/
#include "pc/bildlt/set.hpp"

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
  memory; those of the host it copies at each setup and each application. The pattern is analysed on the host in any
  case.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetBackend(PC pc, TesseraBackend backend)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, backend, 2);
  PetscCall(PCFactoredCheckEnum(pc, "Not a TesseraBackend", backend, TesseraBackends));
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::backend, backend, Invalidates::Storage));
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
PetscErrorCode PCBILDLTSetPreprocessing(PC pc, TesseraPreprocessing preprocessing)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, preprocessing, 2);
  PetscCall(PCFactoredCheckEnum(pc, "Not a TesseraPreprocessing", preprocessing, TesseraPreprocessings));
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::preprocessing, preprocessing, Invalidates::Analysis));
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
PetscErrorCode PCBILDLTSetOrdering(PC pc, TesseraOrdering ordering)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, ordering, 2);
  PetscCall(PCFactoredCheckEnum(pc, "Not a TesseraOrdering", ordering, TesseraOrderings));
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::ordering, ordering, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetBlocking - Sets how rows are grouped into blocks

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- blocking - sn, br, rb, rbr or grid

  Options Database Key:
. -pc_bildlt_blocking (sn|br|rb|rbr|grid) - sets how rows are grouped into blocks

  Level: intermediate

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetBlocking(PC pc, TesseraBlocking blocking)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, blocking, 2);
  PetscCall(PCFactoredCheckEnum(pc, "Not a TesseraBlocking", blocking, TesseraBlockings));
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::blocking, blocking, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetBlockSize - Sets how many rows a block may have at most

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- size - between 2 and 32, or `PETSC_DECIDE` for 32, or 8 where the automatic fill level takes none, or one on a GPU

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
  PetscCheck(size == PETSC_DECIDE || (size >= 2 && size <= 32), PetscObjectComm((PetscObject)pc),
             PETSC_ERR_ARG_OUTOFRANGE, "BlockSize %" PetscInt_FMT " is not between 2 and 32", size);
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::block_size, size, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetFillLevel - Sets the levels of fill between blocks

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- level - 0 to 254, `PETSC_DECIDE` for the automatic choice, or `PETSC_UNLIMITED` for complete fill

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
  PetscCheck((level >= 0 && level <= 254) || level == PETSC_DECIDE || level == PETSC_UNLIMITED,
             PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "Level of fill %" PetscInt_FMT " is neither 0 to 254, nor PETSC_DECIDE, nor PETSC_UNLIMITED", level);
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::fill_level, level, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}
