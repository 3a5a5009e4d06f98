/*
   Setters and getters of PCJLDLT for what a factorization or an application depends on. As usual with PETSc, they do
   nothing to a PC of another type.
*/
#include "pc/jldlt/set.hpp"

/*@
  PCJLDLTSetPivoting - Sets the pivoting inside diagonal blocks

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- pivoting - the pivoting inside diagonal blocks

  Options Database Key:
. -pc_jldlt_pivoting (none|bunch_kaufman|rook|full) - sets the pivoting inside diagonal blocks

  Level: intermediate

  Note:
  full takes the largest entry of what is left of a block in every step.

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetPivoting(PC pc, PCJLDLTPivoting pivoting)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, pivoting, 2);
  PetscCall(PCFactoredCheckEnum(pc, "Not a value for PCJLDLTSetPivoting", pivoting, PCJLDLTPivotings));
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::pivoting, pivoting, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetSweeps - Sets the most sweeps of a setup

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- sweeps - the most sweeps of a setup

  Options Database Key:
. -pc_jldlt_sweeps n - sets the most sweeps of a setup

  Level: intermediate

  Note:
  As many sweeps as have a stage for every level set give the factor of a factorization by levels; far fewer come near
  it.

.seealso: `PCJLDLT`, `PCJLDLTSetStages()`
@*/
PetscErrorCode PCJLDLTSetSweeps(PC pc, PetscInt sweeps)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, sweeps, 2);
  PetscCheck(sweeps >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCJLDLTSetSweeps: %" PetscInt_FMT " is not positive", sweeps);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::sweeps, sweeps, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetStages - Sets the number of stages of a sweep

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- stages - the number of stages of a sweep

  Options Database Key:
. -pc_jldlt_stages n - sets the number of stages of a sweep

  Level: intermediate

  Note:
  Stage s computes level sets s, s + n, s + 2n, ... at once, from what the stages before it have computed. With 1
  all blocks are computed at once, with as many stages as there are level sets a sweep is a factorization by
  levels. A setup that begins with the last factor has sweeps of one stage.

.seealso: `PCJLDLT`, `PCJLDLTSetSweeps()`, `PCJLDLTSetWarmStart()`
@*/
PetscErrorCode PCJLDLTSetStages(PC pc, PetscInt stages)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, stages, 2);
  PetscCheck(stages >= 1 && stages <= 1024, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCJLDLTSetStages: %" PetscInt_FMT " is not from 1 to 1024", stages);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::stages, stages, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetEpsilon - Sets the pivot perturbation of the first sweep

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- epsilon - the pivot perturbation of the first sweep

  Options Database Key:
. -pc_jldlt_epsilon e - sets the pivot perturbation of the first sweep

  Level: intermediate

  Note:
  Pivots smaller than e times the 1-norm of the scaled matrix are replaced. `PETSC_DECIDE` tries some values for a few
  sweeps each and takes the one with the least reconstruction error; later setups with the same pattern keep it.

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetEpsilon(PC pc, PetscReal epsilon)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, epsilon, 2);
  PetscCheck(epsilon >= 0 || epsilon == PETSC_DECIDE, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCJLDLTSetEpsilon: %g is neither PETSC_DECIDE nor a number from 0 on", (double)epsilon);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::epsilon, epsilon, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetEpsilonDecay - Sets the factor by which the pivot perturbation falls from sweep to sweep

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- decay - the factor by which the pivot perturbation falls from sweep to sweep

  Options Database Key:
. -pc_jldlt_epsilon_decay d - sets the factor by which the pivot perturbation falls from sweep to sweep

  Level: intermediate

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetEpsilonDecay(PC pc, PetscReal decay)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, decay, 2);
  PetscCheck(decay > 0 && decay <= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCJLDLTSetEpsilonDecay: %g is not above 0 and at most 1", (double)decay);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::decay, decay, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetStall - Sets when sweeps end early

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- stall - when sweeps end early

  Options Database Key:
. -pc_jldlt_stall s - sets when sweeps end early

  Level: intermediate

  Note:
  A setup ends when a sweep takes less than this part off the reconstruction error. A sweep that makes it larger is not
  kept.

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetStall(PC pc, PetscReal stall)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, stall, 2);
  PetscCheck(stall >= 0 && stall < 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCJLDLTSetStall: %g is not at least 0 and below 1", (double)stall);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::stall, stall, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetOuterLevels - Sets the number of first sweeps after which failed blocks are pushed back

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- outer_levels - the number of first sweeps after which failed blocks are pushed back

  Options Database Key:
. -pc_jldlt_outer_levels n - sets the number of first sweeps after which failed blocks are pushed back

  Level: intermediate

  Note:
  A block fails if one of its pivots is smaller than the outer tolerance. It moves behind all blocks that were pushed
  back less often than it.

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetOuterLevels(PC pc, PetscInt outer_levels)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, outer_levels, 2);
  PetscCheck(outer_levels >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCJLDLTSetOuterLevels: %" PetscInt_FMT " is negative", outer_levels);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::outer_levels, outer_levels, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetOuterTolerance - Sets the size below which a pivot makes its block fail

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- outer_tolerance - the size below which a pivot makes its block fail

  Options Database Key:
. -pc_jldlt_outer_tolerance t - sets the size below which a pivot makes its block fail

  Level: intermediate

  Note:
  Relative to the 1-norm of the scaled matrix. Only used with `PCJLDLTSetOuterLevels()`.

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetOuterTolerance(PC pc, PetscReal outer_tolerance)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, outer_tolerance, 2);
  PetscCheck(outer_tolerance >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCJLDLTSetOuterTolerance: %g is not a number from 0 on", (double)outer_tolerance);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::outer_tolerance, outer_tolerance, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetWarmStart - Sets whether a setup with the same pattern begins with the last factor

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- warm_start - true or false

  Options Database Key:
. -pc_jldlt_warm_start - sets whether a setup with the same pattern begins with the last factor

  Level: intermediate

  Note:
  If the last factor is further from the matrix than the first sweep of a fresh start was, the setup starts afresh.
  Otherwise its sweeps compute all blocks at once, whatever `PCJLDLTSetStages()` says.

.seealso: `PCJLDLT`, `PCJLDLTSetStages()`
@*/
PetscErrorCode PCJLDLTSetWarmStart(PC pc, PetscBool warm_start)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveBool(pc, warm_start, 2);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::warm_start, warm_start, Invalidates::Nothing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetApply - Sets how the factor is applied

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- apply - how the factor is applied

  Options Database Key:
. -pc_jldlt_apply (levels|jacobi) - sets how the factor is applied

  Level: intermediate

  Note:
  By level sets, or by Jacobi sweeps of the substitutions, which have no dependencies and are not exact.

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetApply(PC pc, PCJLDLTApply apply)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, apply, 2);
  PetscCall(PCFactoredCheckEnum(pc, "Not a value for PCJLDLTSetApply", apply, PCJLDLTApplies));
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::apply, apply, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetApplySweeps - Sets the sweeps of an application by Jacobi sweeps, forward and as many back

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- apply_sweeps - the sweeps of an application by Jacobi sweeps, forward and as many back

  Options Database Key:
. -pc_jldlt_apply_sweeps n - sets the sweeps of an application by Jacobi sweeps, forward and as many back

  Level: intermediate

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetApplySweeps(PC pc, PetscInt apply_sweeps)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, apply_sweeps, 2);
  PetscCheck(apply_sweeps >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "PCJLDLTSetApplySweeps: %" PetscInt_FMT " is not positive", apply_sweeps);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::apply_sweeps, apply_sweeps, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetDefinite - Sets whether |D| is used in place of D

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- definite - true or false

  Options Database Key:
. -pc_jldlt_definite - sets whether |D| is used in place of D

  Level: intermediate

  Note:
  For `KSPMINRES`, `KSPSYMMLQ` and `KSPCG`, which need a positive definite preconditioner.

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetDefinite(PC pc, PetscBool definite)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveBool(pc, definite, 2);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::definite, definite, Invalidates::Nothing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetMonitor - Sets whether setups print their reconstruction errors

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- monitor - true or false

  Options Database Key:
. -pc_jldlt_monitor - sets whether setups print their reconstruction errors

  Level: intermediate

.seealso: `PCJLDLT`
@*/
PetscErrorCode PCJLDLTSetMonitor(PC pc, PetscBool monitor)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveBool(pc, monitor, 2);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::monitor, monitor, Invalidates::Nothing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTSetCheck - Makes every setup factor on the host and on the GPU, and compare the two factors

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCJLDLT`
- check - `PETSC_TRUE` to compare

  Options Database Key:
. -pc_jldlt_check - makes every setup factor on both backends, and compare the factors

  Level: developer

  Notes:
  Both backends are to give the same factor to the last bit by the same sweeps, also where they begin with the last
  factor. If they do not, the setup ends with an error that says what differs.

  For tests, and for those who doubt a GPU. It takes the time and the memory of a factorization on the host and one on
  the GPU. The setup after a change begins anew.

.seealso: `PCJLDLT`, `PCJLDLTSetBackend()`
@*/
PetscErrorCode PCJLDLTSetCheck(PC pc, PetscBool check)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveBool(pc, check, 2);
  PetscCall(PCJLDLTSet(pc, &PCJLDLTOptions::check, check, Invalidates::Analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCJLDLTGetReconstructionError - Gets how far the factor of the last setup is from the matrix

  Not Collective

  Input Parameter:
. pc - the preconditioner of type `PCJLDLT`

  Output Parameters:
+ error - estimate of the Frobenius norm of U^T D U - A over that of A, both scaled and permuted
- sweeps - sweeps that the setup did, without those that chose the perturbation

  Level: intermediate

.seealso: `PCJLDLT`, `PCJLDLTSetSweeps()`, `PCJLDLTSetMonitor()`
@*/
PetscErrorCode PCJLDLTGetReconstructionError(PC pc, PetscReal *error, PetscInt *sweeps)
{
  PC_JLDLT *jldlt = nullptr;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscCall(PCFactoredGetData(pc, PCJLDLT, &jldlt));
  PetscCheck(jldlt && jldlt->factorization, PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER,
             "Only a PC of type " PCJLDLT " that is set up has a reconstruction error: call PCSetUp() first");
  if (error)
    *error = jldlt->report.final_error;
  if (sweeps)
    *sweeps = jldlt->report.sweeps;
  PetscFunctionReturn(PETSC_SUCCESS);
}
