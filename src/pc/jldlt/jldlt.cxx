/*
   PCJLDLT: options and view. The set-up is in jldlt_setup.cxx, the application in factored_apply.cxx.
*/
#include "pc/jldlt/setup.hpp"

#include <petsc/private/pcimpl.h>

namespace {

/// Sets all options by their setters, which refuse bad values.
PetscErrorCode SetOptions(PC pc, const PCJLDLTOptions &o)
{
  PetscFunctionBegin;
  PetscCall(PCJLDLTSetBackend(pc, o.backend));
  PetscCall(PCJLDLTSetPreprocessing(pc, o.preprocessing));
  PetscCall(PCJLDLTSetOrdering(pc, o.ordering));
  PetscCall(PCJLDLTSetBlocking(pc, o.blocking));
  PetscCall(PCJLDLTSetBlockSize(pc, o.block_size));
  PetscCall(PCJLDLTSetFillLevel(pc, o.fill_level));
  PetscCall(PCJLDLTSetPivoting(pc, o.pivoting));
  PetscCall(PCJLDLTSetSweeps(pc, o.sweeps));
  PetscCall(PCJLDLTSetStages(pc, o.stages));
  PetscCall(PCJLDLTSetEpsilon(pc, o.epsilon));
  PetscCall(PCJLDLTSetEpsilonDecay(pc, o.decay));
  PetscCall(PCJLDLTSetStall(pc, o.stall));
  PetscCall(PCJLDLTSetOuterLevels(pc, o.outer_levels));
  PetscCall(PCJLDLTSetOuterTolerance(pc, o.outer_tolerance));
  PetscCall(PCJLDLTSetWarmStart(pc, o.warm_start));
  PetscCall(PCJLDLTSetApply(pc, o.apply));
  PetscCall(PCJLDLTSetApplySweeps(pc, o.apply_sweeps));
  PetscCall(PCJLDLTSetDefinite(pc, o.definite));
  PetscCall(PCJLDLTSetMemoryLimit(pc, o.memory_limit));
  PetscCall(PCJLDLTSetMaxTiles(pc, o.max_tiles));
  PetscCall(PCJLDLTSetMonitor(pc, o.monitor));
  PetscCall(PCJLDLTSetCheck(pc, o.check));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetFromOptions_JLDLT(PC pc, PetscOptionItems PetscOptionsObject)
{
  PCJLDLTOptions o = static_cast<PC_JLDLT *>(pc->data)->options;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Block Jacobi-LDL^T options");
  PetscCall(PetscOptionsEnum("-pc_jldlt_backend", "Where the factorization and the solves are done",
                             "PCJLDLTSetBackend", TesseraBackends, (PetscEnum)o.backend, (PetscEnum *)&o.backend,
                             nullptr));
  PetscCall(PetscOptionsEnum("-pc_jldlt_preprocessing", "What is done to the matrix before it is ordered",
                             "PCJLDLTSetPreprocessing", TesseraPreprocessings, (PetscEnum)o.preprocessing,
                             (PetscEnum *)&o.preprocessing, nullptr));
  PetscCall(PetscOptionsEnum("-pc_jldlt_ordering", "The ordering of the matrix", "PCJLDLTSetOrdering", TesseraOrderings,
                             (PetscEnum)o.ordering, (PetscEnum *)&o.ordering, nullptr));
  PetscCall(PetscOptionsEnum("-pc_jldlt_blocking", "How rows are grouped into blocks", "PCJLDLTSetBlocking",
                             TesseraBlockings, (PetscEnum)o.blocking, (PetscEnum *)&o.blocking, nullptr));
  PetscCall(PetscOptionsInt("-pc_jldlt_block_size", "The most rows that a block has", "PCJLDLTSetBlockSize",
                            o.block_size, &o.block_size, nullptr));
  PetscCall(PetscOptionsInt("-pc_jldlt_fill_level", "Levels of fill between blocks", "PCJLDLTSetFillLevel",
                            o.fill_level, &o.fill_level, nullptr));
  PetscCall(PetscOptionsEnum("-pc_jldlt_pivoting", "The pivoting inside diagonal blocks", "PCJLDLTSetPivoting",
                             PCJLDLTPivotings, (PetscEnum)o.pivoting, (PetscEnum *)&o.pivoting, nullptr));
  PetscCall(PetscOptionsInt("-pc_jldlt_sweeps", "The most sweeps of a setup", "PCJLDLTSetSweeps", o.sweeps, &o.sweeps,
                            nullptr));
  PetscCall(PetscOptionsInt("-pc_jldlt_stages", "The number of stages of a sweep", "PCJLDLTSetStages", o.stages,
                            &o.stages, nullptr));
  PetscCall(PetscOptionsReal("-pc_jldlt_epsilon", "The pivot perturbation of the first sweep", "PCJLDLTSetEpsilon",
                             o.epsilon, &o.epsilon, nullptr));
  PetscCall(PetscOptionsReal("-pc_jldlt_epsilon_decay",
                             "The factor by which the pivot perturbation falls from sweep to sweep",
                             "PCJLDLTSetEpsilonDecay", o.decay, &o.decay, nullptr));
  PetscCall(
      PetscOptionsReal("-pc_jldlt_stall", "When sweeps end early", "PCJLDLTSetStall", o.stall, &o.stall, nullptr));
  PetscCall(PetscOptionsInt("-pc_jldlt_outer_levels",
                            "The number of first sweeps after which failed blocks are pushed back",
                            "PCJLDLTSetOuterLevels", o.outer_levels, &o.outer_levels, nullptr));
  PetscCall(PetscOptionsReal("-pc_jldlt_outer_tolerance", "The size below which a pivot makes its block fail",
                             "PCJLDLTSetOuterTolerance", o.outer_tolerance, &o.outer_tolerance, nullptr));
  PetscCall(PetscOptionsBool("-pc_jldlt_warm_start",
                             "Whether a setup with the same pattern begins with the last factor", "PCJLDLTSetWarmStart",
                             o.warm_start, &o.warm_start, nullptr));
  PetscCall(PetscOptionsEnum("-pc_jldlt_apply", "How the factor is applied", "PCJLDLTSetApply", PCJLDLTApplies,
                             (PetscEnum)o.apply, (PetscEnum *)&o.apply, nullptr));
  PetscCall(PetscOptionsInt("-pc_jldlt_apply_sweeps",
                            "The sweeps of an application by Jacobi sweeps, forward and as many back",
                            "PCJLDLTSetApplySweeps", o.apply_sweeps, &o.apply_sweeps, nullptr));
  PetscCall(PetscOptionsBool("-pc_jldlt_definite", "Whether |D| is used in place of D", "PCJLDLTSetDefinite",
                             o.definite, &o.definite, nullptr));
  PetscCall(PetscOptionsReal("-pc_jldlt_memory_limit", "Megabytes the factor may take", "PCJLDLTSetMemoryLimit",
                             o.memory_limit, &o.memory_limit, nullptr));
  PetscCall(PetscOptionsInt("-pc_jldlt_max_tiles", "Tiles above the diagonal that the factor may have",
                            "PCJLDLTSetMaxTiles", o.max_tiles, &o.max_tiles, nullptr));
  PetscCall(PetscOptionsBool("-pc_jldlt_monitor", "Whether setups print their reconstruction errors",
                             "PCJLDLTSetMonitor", o.monitor, &o.monitor, nullptr));
  PetscCall(PetscOptionsBool("-pc_jldlt_check", "Whether setups factor on the host and on the GPU, and compare",
                             "PCJLDLTSetCheck", o.check, &o.check, nullptr));
  PetscOptionsHeadEnd();
  PetscCall(SetOptions(pc, o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewFactor(const PC_JLDLT &jldlt, PetscViewer viewer)
{
  const tessera::JacobiReport &r = jldlt.report;

  PetscFunctionBegin;
  PetscCall(PCFactoredViewFactor(jldlt, r.factor, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  perturbation %g%s, after the last sweep %.3g, times the norm %.3g\n",
                                   r.epsilon, jldlt.options.epsilon == PETSC_DECIDE ? " (chosen by the solver)" : "",
                                   r.last_epsilon, r.norm));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  sweeps %" PetscInt_FMT "%s%s, reconstruction error %.3g\n",
                                   (PetscInt)r.sweeps, r.warm ? " from the last factor" : "",
                                   r.stalled ? ", ended early" : "", r.final_error));
  if (jldlt.options.outer_levels > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  blocks pushed back %lld\n", (long long)r.pushed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_JLDLT(PC pc, PetscViewer viewer)
{
  const PC_JLDLT *jldlt = static_cast<const PC_JLDLT *>(pc->data);
  const PCJLDLTOptions &o = jldlt->options;
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "  preprocessing %s, ordering %s, blocking %s, block size %" PetscInt_FMT "\n",
                                   TesseraPreprocessings[o.preprocessing], TesseraOrderings[o.ordering],
                                   TesseraBlockings[o.blocking], o.block_size));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "  pivoting %s, at most %" PetscInt_FMT " sweeps of %" PetscInt_FMT " stages, perturbation decay %g%s\n",
      PCJLDLTPivotings[o.pivoting], o.sweeps, o.stages, (double)o.decay, o.definite ? ", made definite" : ""));
  if (o.apply == PC_JLDLT_APPLY_JACOBI) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  applied by %" PetscInt_FMT " Jacobi sweeps forward and back\n",
                                     o.apply_sweeps));
  } else {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  applied by level sets\n"));
  }
  if (!jldlt->analysis)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFactoredViewAnalysis(*jldlt->analysis, viewer));
  if (jldlt->factorization)
    PetscCall(ViewFactor(*jldlt, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/*MC
   PCJLDLT - Block Jacobi-LDL^T factorization of a symmetric, possibly indefinite matrix: an incomplete factor as the
   fixed point of sweeps that compute all of its blocks at once, with pivoting inside the diagonal blocks [1]

   Options Database Keys:
+  -pc_jldlt_backend (auto|host|cuda) - where the factorization and the solves are done
.  -pc_jldlt_preprocessing (matching|equilibrate|none) - what is done to the matrix before it is ordered
.  -pc_jldlt_ordering (auto|natural|amd|nd|metis|rcm|color) - the ordering of the matrix
.  -pc_jldlt_blocking (sn|br|rb|rbr|grid) - how rows are grouped into blocks
.  -pc_jldlt_block_size n - the most rows that a block has
.  -pc_jldlt_fill_level k - levels of fill between blocks
.  -pc_jldlt_pivoting (none|bunch_kaufman|rook|full) - the pivoting inside diagonal blocks
.  -pc_jldlt_sweeps n - the most sweeps of a setup
.  -pc_jldlt_stages n - the number of stages of a sweep
.  -pc_jldlt_epsilon e - the pivot perturbation of the first sweep
.  -pc_jldlt_epsilon_decay d - the factor by which the pivot perturbation falls from sweep to sweep
.  -pc_jldlt_stall s - when sweeps end early
.  -pc_jldlt_outer_levels n - the number of first sweeps after which failed blocks are pushed back
.  -pc_jldlt_outer_tolerance t - the size below which a pivot makes its block fail
.  -pc_jldlt_warm_start - whether a setup with the same pattern begins with the last factor
.  -pc_jldlt_apply (levels|jacobi) - how the factor is applied
.  -pc_jldlt_apply_sweeps n - the sweeps of an application by Jacobi sweeps, forward and as many back
.  -pc_jldlt_definite - whether |D| is used in place of D
.  -pc_jldlt_memory_limit m - megabytes that the factor may take; decide: half of what the process may use
.  -pc_jldlt_max_tiles n - tiles above the diagonal that the factor may have
.  -pc_jldlt_monitor - whether setups print their reconstruction errors
-  -pc_jldlt_check - factor on the host and on the GPU, and compare the factors

   Level: intermediate

   Notes:
   The factor is that of `PCBILDLT` with the same blocks and levels of fill and without dropping, but computed by a
   few sweeps of a few stages each, inside which blocks do not depend on each other, in place of as many steps as
   there are level sets. Small pivots are replaced generously at first and less from sweep to sweep, which keeps the
   iteration from diverging.

   No option is needed: the perturbation is chosen by trying. `-pc_jldlt_monitor` shows how well the sweeps
   converge; if they do not, use `PCBILDLT`.

   Use it with `KSPGMRES` or `KSPSQMR`; with `-pc_jldlt_definite` also with `KSPMINRES`, `KSPSYMMLQ` and `KSPCG`.
   The matrix is of type `MATSEQAIJ`, with both triangles stored, or `MATSEQSBAIJ`, as for `PCBILDLT`.

   Later setups with the same nonzero pattern keep the analysis, the perturbation and the number of sweeps, and
   begin with the last factor where that is near.

   A NaN or infinity in the matrix gives `PC_FACTOR_OTHER`, lack of memory `PC_FACTOR_OUTMEMORY`, a zero matrix
   `PC_FACTOR_NUMERIC_ZEROPIVOT` as failed reason.

   References:
   [1] D. Thuerck, Towards Fast Sparse Matrix Factorizations on Modern Accelerators, chapter 6, dissertation, TU
   Darmstadt.

.seealso: [](ch_ksp), `PCCreate()`, `PCSetType()`, `PCType`, `PC`, `PCBILDLT`, `KSPSQMR`, `PCJLDLTSetSweeps()`,
          `PCJLDLTSetStages()`, `PCJLDLTSetEpsilon()`, `PCJLDLTSetApply()`, `PCJLDLTSetDefinite()`
M*/
PetscErrorCode PCCreate_JLDLT(PC pc)
{
  PC_JLDLT *jldlt;

  PetscFunctionBegin;
  PetscCallCXX(jldlt = new PC_JLDLT());
  PetscCall(PCFactoredCreate(pc, jldlt));
  pc->ops->setup = PCSetUp_JLDLT;
  pc->ops->setfromoptions = PCSetFromOptions_JLDLT;
  pc->ops->view = PCView_JLDLT;
  PetscFunctionReturn(PETSC_SUCCESS);
}
