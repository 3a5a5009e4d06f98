/*
   What PCBILDLT and PCJLDLT share: lifetime, and the options, the failures and the view of an analysis.
*/
#include "pc/factored.hpp"

#include "pc/factored_apply.hpp"

#include <petsc/private/pcimpl.h>

namespace {

PetscErrorCode PCReset_Factored(PC pc)
{
  PCFactored *factored = static_cast<PCFactored *>(pc->data);

  PetscFunctionBegin;
  factored->forget_factor();
  factored->analysis.reset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCDestroy_Factored(PC pc)
{
  PetscFunctionBegin;
  delete static_cast<PCFactored *>(pc->data);
  pc->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCFactoredCreate(PC pc, PCFactored *factored)
{
  PetscFunctionBegin;
  pc->data = factored;
  pc->ops->apply = PCApply_Factored;
  pc->ops->applytranspose = PCApply_Factored;
  pc->ops->matapply = PCMatApply_Factored;
  pc->ops->matapplytranspose = PCMatApply_Factored;
  pc->ops->reset = PCReset_Factored;
  pc->ops->destroy = PCDestroy_Factored;
  PetscFunctionReturn(PETSC_SUCCESS);
}

tessera::AnalysisOptions PCFactoredAnalysisOptions(PCBILDLTPreprocessing preprocessing, PCBILDLTOrdering ordering,
                                                   PCBILDLTBlocking blocking, PetscInt block_size, PetscInt fill_level)
{
  using tessera::BlockStrategy, tessera::Ordering, tessera::Preprocessing;
  // in the order of the enumerations of tessera.h
  constexpr Preprocessing preprocessings[] = {Preprocessing::Matching, Preprocessing::Equilibrate, Preprocessing::None};
  constexpr Ordering orderings[] = {Ordering::Automatic, Ordering::Natural, Ordering::AMD,  Ordering::ND,
                                    Ordering::METIS,     Ordering::RCM,     Ordering::Color};
  constexpr BlockStrategy strategies[] = {BlockStrategy::SN, BlockStrategy::BR, BlockStrategy::RB, BlockStrategy::RBR,
                                          BlockStrategy::Grid};
  tessera::AnalysisOptions a;

  a.preprocessing = preprocessings[preprocessing];
  a.blocking.ordering = orderings[ordering];
  a.blocking.strategy = strategies[blocking];
  if (block_size > 0)
    a.blocking.max_rows = a.blocking.low_fill_rows = block_size;
  a.fill_level = fill_level == PETSC_DECIDE      ? tessera::automatic_level
                 : fill_level == PETSC_UNLIMITED ? tessera::complete_level
                                                 : fill_level;
  return a;
}

PetscErrorCode PCFactoredCheckAnalysis(PC pc, const tessera::Analysis &analysis)
{
  PetscFunctionBegin;
  switch (analysis.status) {
  case tessera::AnalysisStatus::Ok:
    break;
  case tessera::AnalysisStatus::NonFinite:
    PetscCall(
        PetscInfo(pc, "Row %" PetscInt_FMT " of the matrix has an infinity or a NaN\n", (PetscInt)analysis.faulty_row));
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OTHER));
    break;
  case tessera::AnalysisStatus::OrderingFailed:
  case tessera::AnalysisStatus::OverBudget:
    PetscCall(PetscInfo(pc, "The pattern of the factor does not fit in memory\n"));
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OUTMEMORY));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFactoredViewAnalysis(const tessera::Analysis &a, PetscViewer viewer)
{
  const tessera::BlockStructure &s = a.structure;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  analysis:"));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
  for (const tessera::AnalysisStep &step : a.steps)
    PetscCall(PetscViewerASCIIPrintf(viewer, " %s %.3g s%s", step.name.c_str(), step.seconds,
                                     &step == &a.steps.back() ? "\n" : ","));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  if (a.structural_rank >= 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  structural rank %d of %d, proposed 2x2 pivots %d\n", a.structural_rank,
                                     s.rows, a.pairs));
  if (a.matching_excess > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  matching cut short: the largest product is 2^%.3g times its at most\n",
                                     a.matching_excess));
  if (a.status != tessera::AnalysisStatus::Ok)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  blocks %d, tiles above the diagonal %lld, level sets %d, ", s.blocks(),
                                   (long long)s.tiles.upper.entries(), s.levels.levels()));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
  if (a.fill_level >= 0) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "level of fill %d\n", a.fill_level));
  } else {
    PetscCall(PetscViewerASCIIPrintf(viewer, "complete fill\n"));
  }
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  complete factor in this order: %.3g entries, %.3g flops\n",
                                   (double)a.complete_entries, a.complete_flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}
