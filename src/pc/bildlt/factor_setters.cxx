/*
   Setters of PCBILDLT for the factorization of an analysed pattern, and what can be asked of the factor.
*/
#include "pc/bildlt/set.hpp"

namespace {

/// The report of the factorization that stands; without one, an error.
PetscErrorCode GetReport(PC pc, const tessera::FactorReport **report)
{
  PC_BILDLT *bildlt = nullptr;

  PetscFunctionBegin;
  PetscCall(PCFactoredGetData(pc, PCBILDLT, &bildlt));
  PetscCheck(bildlt && bildlt->factorization && bildlt->report.status == tessera::FactorReport::Complete,
             PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER,
             "Needs a PC of type " PCBILDLT " after a PCSetUp() that did not fail");
  *report = &bildlt->report;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

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
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::drop_tolerance, tolerance, Invalidates::Factor));
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

  This is the second half of dual dropping: of the columns that the drop tolerance leaves, those with the largest
  entries relative to the norms of their rows are kept, and of equal ones the first. A column is kept or dropped as a
  whole, with all rows of the block.

  What a block row leaves of its share is granted to later ones, level set by level set and in their order inside a
  level set. The result does not depend on the number of threads, and the factor above its diagonal blocks has never
  more than `ratio` times the entries of the matrix there, where all block rows have some.

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
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::fill_ratio, ratio, Invalidates::Storage));
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

  Notes:
  With rook, the default, a diagonal block is first factored in its given order, with the 2x2 pivots that the matching
  proposes. Where that leaves entries of L above 8, or pivots that would have to be replaced, the block is factored anew
  with rook pivoting. `PCView()` says in how many blocks. With none the given order is taken whatever becomes of L.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetPivoting(PC pc, PCBILDLTPivoting pivoting)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, pivoting, 2);
  PetscCall(PCFactoredCheckEnum(pc, "Not a PCBILDLTPivoting", pivoting, PCBILDLTPivotings));
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::pivoting, pivoting, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetPerturbation - Sets below which size pivots are replaced

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- epsilon - relative to the largest entry of the scaled matrix, or `PETSC_DECIDE` for the automatic choice

  Options Database Key:
. -pc_bildlt_perturbation e - sets below which size pivots are replaced

  Level: intermediate

  Notes:
  The automatic choice is 1e-6 where something is dropped or the factor is stored in single precision, and 2.2e-16 times
  the number of rows, 1.4e-14 or more, in a complete factor. If the entries of that grow so much that fewer than ten
  digits are right, and the probe solve notices, it is made again with 1e-6.

  Replaced pivots are counted, see `PCBILDLTGetPerturbedPivots()`. The inverse of one that is replaced by less than
  1e-154 overflows, and the setup fails with `PC_FACTOR_OTHER`; with 0 none is replaced, and the setup fails with
  `PC_FACTOR_NUMERIC_ZEROPIVOT` where one is zero.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetPerturbation(PC pc, PetscReal epsilon)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, epsilon, 2);
  PetscCheck(epsilon >= 0 || epsilon == PETSC_DECIDE, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "Perturbation %g is neither 0 or more nor PETSC_DECIDE", (double)epsilon);
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::perturbation, epsilon, Invalidates::Factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetPrecision - Sets the precision in which the factor is stored

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- precision - auto, double or single

  Options Database Key:
. -pc_bildlt_precision (auto|double|single) - sets the precision in which the factor is stored

  Level: intermediate

  Note:
  The factor is computed in double precision in any case. The automatic choice is single precision where levels of fill
  are left out, which is far more than what rounding leaves out, and double where fill is complete.

.seealso: `PCBILDLT`
@*/
PetscErrorCode PCBILDLTSetPrecision(PC pc, PCBILDLTPrecision precision)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, precision, 2);
  PetscCall(PCFactoredCheckEnum(pc, "Not a PCBILDLTPrecision", precision, PCBILDLTPrecisions));
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::precision, precision, Invalidates::Storage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetDefinite - Makes the preconditioner positive definite, by |D| in place of D

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- definite - `PETSC_TRUE` for |D|

  Options Database Key:
. -pc_bildlt_definite - makes the preconditioner positive definite, by |D| in place of D

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
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::definite, definite, Invalidates::Nothing));
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
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::strengthen, strengthen, Invalidates::Nothing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCBILDLTSetCheck - Makes every setup factor on the host and on the GPU, and compare the two factors

  Logically Collective

  Input Parameters:
+ pc - the preconditioner of type `PCBILDLT`
- check - `PETSC_TRUE` to compare

  Options Database Key:
. -pc_bildlt_check - makes every setup factor on both backends, and compare the factors

  Level: developer

  Notes:
  Both backends are to give the same factor to the last bit: the same kept columns and values, pivots and counts. If
  they do not, the setup ends with an error that says where they differ.

  For tests, and for those who doubt a GPU. It takes the time and the memory of a factorization on the host and one on
  the GPU.

.seealso: `PCBILDLT`, `PCBILDLTSetBackend()`
@*/
PetscErrorCode PCBILDLTSetCheck(PC pc, PetscBool check)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveBool(pc, check, 2);
  PetscCall(PCBILDLTSet(pc, &PCBILDLTOptions::check, check, Invalidates::Factor));
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
  const tessera::FactorReport *report = nullptr;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscCall(GetReport(pc, &report));
  if (negative)
    *negative = static_cast<PetscInt>(report->negative);
  if (zero)
    *zero = static_cast<PetscInt>(report->zero);
  if (positive)
    *positive = static_cast<PetscInt>(report->positive);
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
  const tessera::FactorReport *report = nullptr;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(perturbed, 2);
  PetscCall(GetReport(pc, &report));
  *perturbed = static_cast<PetscInt>(report->perturbed);
  PetscFunctionReturn(PETSC_SUCCESS);
}
