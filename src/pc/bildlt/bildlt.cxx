/*
   PCBILDLT: options and view. The set-up is in bildlt_setup.cxx, the application in factored_apply.cxx.
*/
#include "pc/bildlt/setup.hpp"

#include "factor/bildlt/predicted_time.hpp"
#include "factor/bildlt/strengthen.hpp"

#include <petsc/private/pcimpl.h>

namespace {

PetscErrorCode PCSetFromOptions_BILDLT(PC pc, PetscOptionItems PetscOptionsObject)
{
  PCBILDLTOptions o = static_cast<PC_BILDLT *>(pc->data)->options;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Block incomplete LDL^T options");
  PetscCall(PetscOptionsEnum("-pc_bildlt_backend", "Where to factor and solve", "PCBILDLTSetBackend", TesseraBackends,
                             (PetscEnum)o.backend, (PetscEnum *)&o.backend, nullptr));
  PetscCall(PetscOptionsEnum("-pc_bildlt_preprocessing", "Scaling and pairing of rows", "PCBILDLTSetPreprocessing",
                             TesseraPreprocessings, (PetscEnum)o.preprocessing, (PetscEnum *)&o.preprocessing,
                             nullptr));
  PetscCall(PetscOptionsEnum("-pc_bildlt_ordering", "Ordering", "PCBILDLTSetOrdering", TesseraOrderings,
                             (PetscEnum)o.ordering, (PetscEnum *)&o.ordering, nullptr));
  PetscCall(PetscOptionsEnum("-pc_bildlt_blocking", "How rows are grouped into blocks", "PCBILDLTSetBlocking",
                             TesseraBlockings, (PetscEnum)o.blocking, (PetscEnum *)&o.blocking, nullptr));
  PetscCall(PetscOptionsInt("-pc_bildlt_block_size", "Rows of a block at most; decide: automatic",
                            "PCBILDLTSetBlockSize", o.block_size, &o.block_size, nullptr));
  PetscCall(PetscOptionsInt("-pc_bildlt_fill_level", "Levels of fill between blocks; unlimited: complete",
                            "PCBILDLTSetFillLevel", o.fill_level, &o.fill_level, nullptr));
  PetscCall(PetscOptionsReal("-pc_bildlt_drop_tolerance", "Drop entries this small relative to their row",
                             "PCBILDLTSetDropTolerance", o.drop_tolerance, &o.drop_tolerance, nullptr));
  PetscCall(PetscOptionsReal("-pc_bildlt_fill_ratio", "Entries of a block row over those of the matrix; 0: no limit",
                             "PCBILDLTSetFillRatio", o.fill_ratio, &o.fill_ratio, nullptr));
  PetscCall(PetscOptionsEnum("-pc_bildlt_pivoting", "Pivoting inside diagonal blocks", "PCBILDLTSetPivoting",
                             PCBILDLTPivotings, (PetscEnum)o.pivoting, (PetscEnum *)&o.pivoting, nullptr));
  PetscCall(PetscOptionsReal("-pc_bildlt_perturbation", "Pivots below this, relative to the matrix, are replaced",
                             "PCBILDLTSetPerturbation", o.perturbation, &o.perturbation, nullptr));
  PetscCall(PetscOptionsEnum("-pc_bildlt_precision", "Precision the factor is stored in", "PCBILDLTSetPrecision",
                             PCBILDLTPrecisions, (PetscEnum)o.precision, (PetscEnum *)&o.precision, nullptr));
  PetscCall(PetscOptionsBool("-pc_bildlt_definite", "Use |D|, for methods that want a definite preconditioner",
                             "PCBILDLTSetDefinite", o.definite, &o.definite, nullptr));
  PetscCall(PetscOptionsBool("-pc_bildlt_strengthen", "Judge the factor by a probe solve and improve it if it is weak",
                             "PCBILDLTSetStrengthen", o.strengthen, &o.strengthen, nullptr));
  PetscCall(PetscOptionsReal("-pc_bildlt_memory_limit", "Megabytes the factor may take", "PCBILDLTSetMemoryLimit",
                             o.memory_limit, &o.memory_limit, nullptr));
  PetscCall(PetscOptionsInt("-pc_bildlt_max_tiles", "Tiles above the diagonal that the factor may have",
                            "PCBILDLTSetMaxTiles", o.max_tiles, &o.max_tiles, nullptr));
  PetscCall(PetscOptionsBool("-pc_bildlt_check", "Factor on the host and on the GPU, and compare", "PCBILDLTSetCheck",
                             o.check, &o.check, nullptr));
  PetscOptionsHeadEnd();
  PetscCall(PCBILDLTSetBackend(pc, o.backend));
  PetscCall(PCBILDLTSetPreprocessing(pc, o.preprocessing));
  PetscCall(PCBILDLTSetOrdering(pc, o.ordering));
  PetscCall(PCBILDLTSetBlocking(pc, o.blocking));
  PetscCall(PCBILDLTSetBlockSize(pc, o.block_size));
  PetscCall(PCBILDLTSetFillLevel(pc, o.fill_level));
  PetscCall(PCBILDLTSetDropTolerance(pc, o.drop_tolerance));
  PetscCall(PCBILDLTSetFillRatio(pc, o.fill_ratio));
  PetscCall(PCBILDLTSetPivoting(pc, o.pivoting));
  PetscCall(PCBILDLTSetPerturbation(pc, o.perturbation));
  PetscCall(PCBILDLTSetPrecision(pc, o.precision));
  PetscCall(PCBILDLTSetDefinite(pc, o.definite));
  PetscCall(PCBILDLTSetStrengthen(pc, o.strengthen));
  PetscCall(PCBILDLTSetMemoryLimit(pc, o.memory_limit));
  PetscCall(PCBILDLTSetMaxTiles(pc, o.max_tiles));
  PetscCall(PCBILDLTSetCheck(pc, o.check));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Names the direct solver where it is predicted to take clearly less time. Predictions are of complete factors in
/// double precision.
PetscErrorCode ViewFasterDirect(const PC_BILDLT &bildlt, PetscViewer viewer)
{
  const bool complete = bildlt.report.status == tessera::FactorReport::Complete &&
                        tessera::keeps_all(*bildlt.analysis, bildlt.used) &&
                        PCBILDLTPrecisionOf(bildlt.options, *bildlt.analysis) == tessera::Precision::Double;
  const bool on_device = bildlt.factorization->place() == tessera::Place::Device;
  double share;

  PetscFunctionBegin;
  if (!complete)
    PetscFunctionReturn(PETSC_SUCCESS);
  share = on_device ? tessera::device_share : tessera::predicted_share(*bildlt.analysis);
  if (share < tessera::certain_share)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  the direct solver (-pc_type cholesky -pc_factor_mat_solver_type tessera) is "
                                     "predicted to factor in %.2g of the time%s\n",
                                     share, on_device ? " on a GPU" : ", in this order"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewFactor(const PC_BILDLT &bildlt, PetscViewer viewer)
{
  const tessera::BlockFactorReport &r = bildlt.report;

  PetscFunctionBegin;
  PetscCall(PCFactoredViewFactor(bildlt, r, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  diagonal blocks whose pivots were searched: %lld of %lld\n",
                                   (long long)r.searched, (long long)bildlt.analysis->structure.blocks()));
  PetscCall(ViewFasterDirect(bildlt, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  growth %.3g\n", r.growth));
  if (bildlt.probe >= 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  probe: relative residual %.3g after %" PetscInt_FMT " iterations%s\n",
                                     (double)bildlt.probe, bildlt.probe_iterations,
                                     bildlt.probe_passed ? "" : "; NOT PASSED, expect slow convergence"));
  if (bildlt.strengthened)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  factored %" PetscInt_FMT " times with other options before\n",
                                     bildlt.strengthened));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_BILDLT(PC pc, PetscViewer viewer)
{
  const PC_BILDLT *bildlt = static_cast<const PC_BILDLT *>(pc->data);
  const PCBILDLTOptions &o = bildlt->options;
  const bool chosen = o.precision == PC_BILDLT_PRECISION_AUTO && bildlt->analysis;
  PCBILDLTPrecision precision = o.precision;
  char perturbation[32] = "automatic";
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "  preprocessing %s, ordering %s, blocking %s, block size %s%" PetscInt_FMT "\n",
      TesseraPreprocessings[o.preprocessing], TesseraOrderings[o.ordering], TesseraBlockings[o.blocking],
      o.block_size > 0 ? "" : "automatic, at most ", o.block_size > 0 ? o.block_size : 32));
  if (o.perturbation >= 0)
    PetscCall(PetscSNPrintf(perturbation, sizeof perturbation, "%g", (double)o.perturbation));
  if (chosen)
    precision = PCBILDLTPrecisionOf(o, *bildlt->analysis) == tessera::Precision::Single ? PC_BILDLT_PRECISION_SINGLE
                                                                                        : PC_BILDLT_PRECISION_DOUBLE;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  pivoting %s, perturbation %s, precision %s%s%s\n",
                                   PCBILDLTPivotings[o.pivoting], perturbation, PCBILDLTPrecisions[precision],
                                   chosen ? " (chosen by the solver)" : "", o.definite ? ", made definite" : ""));
  if (!bildlt->analysis)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "  drop tolerance %g%s, fill ratio %g, perturbation %g%s\n", bildlt->used.drop_tolerance,
      bildlt->used.drop_tolerance == o.drop_tolerance ? "" : " (chosen by the solver)", bildlt->used.fill_ratio,
      bildlt->used.perturbation, bildlt->used.perturbation == o.perturbation ? "" : " (chosen by the solver)"));
  PetscCall(PCFactoredViewAnalysis(*bildlt->analysis, viewer));
  if (bildlt->factorization)
    PetscCall(ViewFactor(*bildlt, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/*MC
   PCBILDLT - Block incomplete LDL^T factorization of a symmetric, possibly indefinite matrix, with pivoting inside the
   diagonal blocks, level-based fill between blocks and dropping inside them [1]

   Options Database Keys:
+  -pc_bildlt_backend (auto|host|cuda) - where to factor and solve
.  -pc_bildlt_preprocessing (matching|equilibrate|none) - scaling, and pairs of rows kept together as 2x2 pivots
.  -pc_bildlt_ordering (auto|natural|amd|nd|metis|rcm|color) - ordering of the matrix with pairs compressed
.  -pc_bildlt_blocking (sn|br|rb|rbr|grid) - how rows are grouped into blocks
.  -pc_bildlt_block_size n - rows of a block at most, 2 to 32; decide: 32, or 8 with few levels of fill
.  -pc_bildlt_fill_level k - levels of fill between blocks; decide: automatic; unlimited: complete
.  -pc_bildlt_drop_tolerance t - columns of tiles with all entries below t times the norm of their row are dropped
.  -pc_bildlt_fill_ratio r - entries that a block row keeps over those of the matrix in it; 0: no limit
.  -pc_bildlt_pivoting (none|bunch_kaufman|rook) - pivoting inside diagonal blocks
.  -pc_bildlt_perturbation e - pivots smaller than e times the largest entry of the scaled matrix are replaced; decide:
   automatic
.  -pc_bildlt_precision (auto|double|single) - precision in which the factor is stored
.  -pc_bildlt_definite - use |D| in place of D, for `KSPMINRES`, `KSPSYMMLQ` and `KSPCG`
.  -pc_bildlt_strengthen - judge the factor by a probe solve, and factor again with less dropping if it is weak
.  -pc_bildlt_memory_limit m - megabytes that the factor may take; decide: half of what the process may use
.  -pc_bildlt_max_tiles n - tiles above the diagonal that the factor may have
-  -pc_bildlt_check - factor on the host and on the GPU, and compare the factors

   Level: intermediate

   Notes:
   No option is needed: by default the drop tolerance follows from exact counts of the complete factor, and the factor
   is judged by a few iterations of `KSPSQMR` on a system with a known solution; if they do not reduce the residual
   tenfold, the factorization is repeated with less dropping and more fill, as the memory allows. `PCView()` shows what
   was done.

   Use it with `KSPSQMR` or `KSPGMRES`; with `-pc_bildlt_definite` also with `KSPMINRES`, `KSPSYMMLQ` and `KSPCG`.

   The matrix is of type `MATSEQAIJ`, with both triangles stored, or `MATSEQSBAIJ`. In parallel use it as the block
   solver of `PCBJACOBI` or `PCASM`. Entries may be missing on the diagonal.

   Unless the matrix is known to be symmetric, `MatIsSymmetricKnown()`, that is checked when its pattern is new, not
   again when only values change. Entries above and below the diagonal may differ by 1e-10 of the largest entry of their
   rows, as assembly leaves them; those above count.

   Later setups with the same nonzero pattern use the matching, scaling, ordering and tiles of the first, unless the
   factor has become much worse.

   A NaN or infinity in the matrix gives `PC_FACTOR_OTHER`, lack of memory `PC_FACTOR_OUTMEMORY`, a zero matrix
   `PC_FACTOR_NUMERIC_ZEROPIVOT` as failed reason. Small pivots are replaced and counted.

   References:
   [1] D. Thuerck, Towards Fast Sparse Matrix Factorizations on Modern Accelerators, chapter 5, dissertation, TU
   Darmstadt.

.seealso: [](ch_ksp), `PCCreate()`, `PCSetType()`, `PCType`, `PC`, `KSPSQMR`, `PCICC`, `PCCHOLESKY`,
          `PCBILDLTSetFillLevel()`, `PCBILDLTSetDropTolerance()`, `PCBILDLTSetDefinite()`, `PCBILDLTGetInertia()`
M*/
PetscErrorCode PCCreate_BILDLT(PC pc)
{
  PC_BILDLT *bildlt;

  PetscFunctionBegin;
  PetscCallCXX(bildlt = new PC_BILDLT());
  PetscCall(PCFactoredCreate(pc, bildlt));
  pc->ops->setup = PCSetUp_BILDLT;
  pc->ops->setfromoptions = PCSetFromOptions_BILDLT;
  pc->ops->view = PCView_BILDLT;
  PetscFunctionReturn(PETSC_SUCCESS);
}
