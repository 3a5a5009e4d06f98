/*
   Setters and getters of PCJLDLT for what the analysis of a pattern depends on. As usual with PETSc, they do nothing to
   a PC of another type.
*/
#include "pc/jldlt/set.hpp"

/*@
  PCJLDLTSetBackend - Sets where the factorization and the solves are done

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- backend - where the factorization and the solves are done

  Options Database Key:
. -pc_jldlt_backend (auto|host|cuda) - sets where the factorization and the solves are done

  Level: intermediate

  Notes:
  The automatic choice is CUDA for a matrix in device memory, and the host for others.

  The CUDA backend takes matrices of type `MATSEQAIJCUSPARSE` and vectors of type `VECCUDA` as they are in device
  memory; those of the host it copies. The pattern is analysed on the host in any case.

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetBackend(PC pc, TesseraBackend backend)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, backend, 2);
  PetscCall(PCFactoredCheckEnum(pc, "Not a value for PCJLDLTSetBackend", backend, TesseraBackends));
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::backend, backend, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetPreprocessing - Sets what is done to the matrix before it is ordered

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- preprocessing - what is done to the matrix before it is ordered

  Options Database Key:
. -pc_jldlt_preprocessing (matching|equilibrate|none) - sets what is done to the matrix before it is ordered

  Level: intermediate

  Note:
  As for `PCBILDLT`, see `PCBILDLTSetPreprocessing()`.

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetPreprocessing(PC pc, TesseraPreprocessing preprocessing)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, preprocessing, 2);
  PetscCall(PCFactoredCheckEnum(pc, "Not a value for PCJLDLTSetPreprocessing", preprocessing, TesseraPreprocessings));
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::preprocessing, preprocessing, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetOrdering - Sets the ordering of the matrix

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- ordering - the ordering of the matrix

  Options Database Key:
. -pc_jldlt_ordering (auto|natural|amd|nd|metis|rcm|color) - sets the ordering of the matrix

  Level: intermediate

  Note:
  An ordering with few level sets, such as nd, lets the sweeps converge sooner; others may leave less fill out.

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetOrdering(PC pc, TesseraOrdering ordering)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, ordering, 2);
  PetscCall(PCFactoredCheckEnum(pc, "Not a value for PCJLDLTSetOrdering", ordering, TesseraOrderings));
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::ordering, ordering, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetBlocking - Sets how rows are grouped into blocks

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- blocking - how rows are grouped into blocks

  Options Database Key:
. -pc_jldlt_blocking (sn|br|rb|rbr|grid) - sets how rows are grouped into blocks

  Level: intermediate

  Note:
  As for `PCBILDLT`, see `PCBILDLTSetBlocking()`.

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetBlocking(PC pc, TesseraBlocking blocking)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, blocking, 2);
  PetscCall(PCFactoredCheckEnum(pc, "Not a value for PCJLDLTSetBlocking", blocking, TesseraBlockings));
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::blocking, blocking, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetBlockSize - Sets the most rows that a block has

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- block_size - the most rows that a block has

  Options Database Key:
. -pc_jldlt_block_size n - sets the most rows that a block has

  Level: intermediate

  Note:
  1 makes it a scalar method, without pairs of rows.

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetBlockSize(PC pc, PetscInt block_size)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, block_size, 2);
  PetscCheck(block_size >= 1 && block_size <= 32, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCJLDLTSetBlockSize: %" PetscInt_FMT " is not between 1 and 32", block_size);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::block_size, block_size, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetFillLevel - Sets levels of fill between blocks

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- fill_level - levels of fill between blocks

  Options Database Key:
. -pc_jldlt_fill_level k - sets levels of fill between blocks

  Level: intermediate

  Note:
  0 keeps the tiles of the matrix; `PETSC_UNLIMITED` those of the complete factor.

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetFillLevel(PC pc, PetscInt fill_level)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, fill_level, 2);
  PetscCheck((fill_level >= 0 && fill_level <= 254) || fill_level == PETSC_UNLIMITED, PetscObjectComm((PetscObject)pc),
             PETSC_ERR_ARG_OUTOFRANGE, "PCJLDLTSetFillLevel: %" PetscInt_FMT " is not 0 to 254 or PETSC_UNLIMITED",
             fill_level);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::fill_level, fill_level, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}
