/*
   What PCBILDLT and PCJLDLT share: lifetime, and the options, the failures and the view of an analysis.
*/
#include "pc/factored/factored.hpp"

#include "seam/enumerations.hpp"

#include "base/backend_error.hpp"
#include "pc/factored/apply.hpp"

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

PetscErrorCode PCFactoredCheckError(PC pc, const char what[], const tessera::FirstError &error)
{
  PetscFunctionBegin;
  try {
    error.rethrow();
  } catch (const std::bad_alloc &thrown) {
    PetscCall(PetscInfo(pc, "No memory for %s: %s\n", what, thrown.what()));
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OUTMEMORY));
  } catch (const tessera::UnsupportedDevice &thrown) {
    SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP, "%s. -pc_%s_backend host factors on the host",
            thrown.what(), ((PetscObject)pc)->type_name);
  } catch (const std::exception &thrown) {
    SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_LIB, "In %s: %s", what, thrown.what());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

tessera::AnalysisOptions PCFactoredAnalysisOptions(TesseraPreprocessing preprocessing, TesseraOrdering ordering,
                                                   TesseraBlocking blocking, PetscInt block_size, PetscInt fill_level,
                                                   PetscInt max_tiles)
{
  using tessera::BlockStrategy;
  // in the order of the enumeration of tessera.h
  constexpr BlockStrategy strategies[] = {BlockStrategy::SN, BlockStrategy::BR, BlockStrategy::RB, BlockStrategy::RBR,
                                          BlockStrategy::Grid};
  tessera::AnalysisOptions a;

  a.preprocessing = TesseraPreprocessingOf(preprocessing);
  a.blocking.ordering = TesseraOrderingOf(ordering);
  a.blocking.strategy = strategies[blocking];
  if (block_size > 0)
    a.blocking.max_rows = a.blocking.low_fill_rows = tessera::Index(block_size);
  a.fill_level = fill_level == PETSC_DECIDE      ? tessera::automatic_level
                 : fill_level == PETSC_UNLIMITED ? tessera::complete_level
                                                 : tessera::Index(fill_level);
  a.max_tiles = max_tiles;
  return a;
}

PetscErrorCode PCFactoredCheckAnalysis(PC pc, const tessera::Analysis &analysis,
                                       const tessera::AnalysisOptions &options)
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
    PetscCall(PetscInfo(pc, "The ordering library failed, which means that it had no memory\n"));
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OUTMEMORY));
    break;
  case tessera::AnalysisStatus::OverBudget:
    PetscCall(PetscInfo(pc,
                        "The factor has more than %lld tiles above the diagonal, the most that -pc_%s_max_tiles "
                        "allows: take fewer levels of fill, or allow more\n",
                        (long long)options.max_tiles, ((PetscObject)pc)->type_name));
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OUTMEMORY));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFactoredWantsTimes(PetscViewer viewer, PetscBool *times)
{
  PetscViewerFormat format;

  PetscFunctionBegin;
  PetscCall(PetscViewerGetFormat(viewer, &format));
  *times = (PetscBool)(format == PETSC_VIEWER_ASCII_INFO_DETAIL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFactoredViewAnalysis(const tessera::Analysis &a, PetscViewer viewer)
{
  const tessera::BlockStructure &s = a.structure;
  PetscBool times = PETSC_FALSE;
  char apart[48] = "";

  PetscFunctionBegin;
  PetscCall(PCFactoredWantsTimes(viewer, &times));
  if (a.apart > 0)
    PetscCall(PetscSNPrintf(apart, sizeof apart, ", rows of %d apart", a.apart));
  if (times) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  analysis:"));
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
    for (const tessera::StepTime &t : a.times)
      PetscCall(PetscViewerASCIIPrintf(viewer, " %s %.3g s%s", tessera::name_of(t.step), t.seconds,
                                       &t == &a.times.back() ? "\n" : ","));
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  }
  if (a.structural_rank >= 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  structural rank %d of %d, proposed 2x2 pivots %d%s\n",
                                     a.structural_rank, s.rows, a.pairs, apart));
  if (a.matching_excess > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  matching cut short: the largest product is 2^%.3g times its at most\n",
                                     a.matching_excess));
  if (a.status == tessera::AnalysisStatus::OverBudget)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  stopped: more tiles above the diagonal than allowed\n"));
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
                                   (double)a.complete.entries, a.complete.flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFactoredViewFactor(const PCFactored &factored, const tessera::FactorReport &r, PetscViewer viewer)
{
  PetscBool times = PETSC_FALSE;

  PetscFunctionBegin;
  if (factored.applied()->place() == tessera::Place::Device)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  factor in device memory\n"));
  if (!factored.applied()->remark().empty())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s\n", factored.applied()->remark().c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  factor: %.3g entries, %.3g MB\n", (double)r.entries,
                                   1e-6 * (double)factored.applied()->bytes()));
  PetscCall(PCFactoredWantsTimes(viewer, &times));
  if (times)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  factorization: %.3g s\n", factored.factor_seconds));
  PetscCall(PetscViewerASCIIPrintf(
      viewer,
      "  pivots: 1x1 %lld, 2x2 %lld, perturbed %lld, zero %lld; eigenvalues of D: negative %lld, positive %lld\n",
      (long long)r.one_by_one, (long long)r.two_by_two, (long long)r.perturbed, (long long)r.zero,
      (long long)r.negative, (long long)r.positive));
  PetscFunctionReturn(PETSC_SUCCESS);
}
