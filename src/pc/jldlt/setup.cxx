/*
   PCSetUp of PCJLDLT: analyses a pattern once, and factors by sweeps.
*/
#include "pc/jldlt/setup.hpp"

#include "base/integers.hpp"
#include "base/memory.hpp"
#include "pc/factored/analyze.hpp"
#include "pc/factored/setup.hpp"
#include "pc/jldlt/check.hpp"
#include "pc/memory_share.hpp"

#include <algorithm>

namespace {

PetscLogEvent eventAnalyze, eventFactor;

/// bytes: what the factorization may take.
tessera::JacobiOptions MakeJacobiOptions(const PCJLDLTOptions &o, double bytes)
{
  // in the order of the enumeration of tessera.h
  constexpr tessera::Pivoting pivotings[] = {tessera::Pivoting::none, tessera::Pivoting::bunch_kaufman,
                                             tessera::Pivoting::rook, tessera::Pivoting::full};
  tessera::JacobiOptions j;

  j.pivoting = pivotings[o.pivoting];
  j.sweeps = tessera::clamped_index(o.sweeps);
  j.stages = tessera::clamped_index(o.stages);
  j.epsilon = o.epsilon == PETSC_DECIDE ? tessera::automatic_epsilon : o.epsilon;
  j.decay = o.decay;
  j.stall = o.stall;
  j.outer_levels = tessera::clamped_index(o.outer_levels);
  j.failure = o.outer_tolerance;
  j.warm_start = o.warm_start;
  j.max_bytes = tessera::Offset(std::clamp(bytes, 1.0, 1e18)); // at least one, as 0 is no limit
  return j;
}

PetscErrorCode MakeFactorization(PC pc)
{
  PC_JLDLT *jldlt = static_cast<PC_JLDLT *>(pc->data);
  const auto make = [&](tessera::Place place) {
    return place == tessera::Place::Device ? tessera::make_cuda_jacobi(*jldlt->analysis)
                                           : tessera::make_host_jacobi(*jldlt->analysis);
  };

  PetscFunctionBegin;
  PetscCall(PCFactoredMake(pc, jldlt->options.backend, make, &jldlt->factorization));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Analyze(PC pc)
{
  PC_JLDLT *jldlt = static_cast<PC_JLDLT *>(pc->data);
  const PCJLDLTOptions &o = jldlt->options;
  const tessera::AnalysisOptions options =
      PCFactoredAnalysisOptions(o.preprocessing, o.ordering, o.blocking, o.block_size, o.fill_level, o.max_tiles);
  tessera::SymmetricInput input;

  PetscFunctionBegin;
  jldlt->forget_factor(); // so that an error leaves none behind that does not fit the matrix
  jldlt->analysis.reset();
  jldlt->pattern = -1;
  PetscCall(PCFactoredReadMatrix(pc, &input)); // whose errors would leave the event begun
  if (pc->failedreason)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(eventAnalyze, pc, pc->pmat, nullptr, nullptr));
  PetscCall(PCFactoredAnalyze(pc, input, options));
  if (!pc->failedreason)
    PetscCall(MakeFactorization(pc));
  PetscCall(PetscLogEventEnd(eventAnalyze, pc, pc->pmat, nullptr, nullptr));
  if (pc->failedreason)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectGetId((PetscObject)pc->pmat, &jldlt->matrix));
  PetscCall(MatGetNonzeroState(pc->pmat, &jldlt->pattern));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Factor(PC pc)
{
  PC_JLDLT *jldlt = static_cast<PC_JLDLT *>(pc->data);
  const tessera::JacobiOptions options =
      MakeJacobiOptions(jldlt->options, PCFactoredMemoryLimit(*jldlt, jldlt->options.memory_limit));
  bool fits;
  const auto factor = [&](const TesseraMatValues &values) {
    jldlt->report = jldlt->factorization->factor(values.value, values.place, options);
    if (jldlt->report.factor.status == tessera::FactorReport::Complete)
      jldlt->factorization->prepare_apply();
    if (jldlt->factorization->bytes() > options.max_bytes)
      throw tessera::OverBudget();
    return 0;
  };

  PetscFunctionBegin;
  PetscCall(PCFactoredFactor(pc, eventFactor, factor, &fits));
  if (!fits) {
    jldlt->report = {};
    jldlt->report.factor.status = tessera::FactorReport::OverBudget;
    jldlt->forget_factor(); // which an exception left half made
  } else if (jldlt->options.check) {
    PetscCall(PCJLDLTCheckFactor(pc, options));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prints what -pc_jldlt_monitor is for.
PetscErrorCode Monitor(PC pc)
{
  const tessera::JacobiReport &r = static_cast<const PC_JLDLT *>(pc->data)->report;
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIGetStdout(PetscObjectComm((PetscObject)pc), &viewer));
  for (std::size_t i = 0; i < r.tried.size(); ++i)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  epsilon %g: reconstruction error %g\n", r.epsilons[i], r.tried[i]));
  for (std::size_t s = 0; s < r.error.size(); ++s)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %" PetscInt_FMT " sweep reconstruction error %14.12e\n",
                                     (PetscInt)(s + 1), r.error[s]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the analysis is of the matrix as it is now.
PetscErrorCode IsAnalyzed(PC pc, PetscBool *is)
{
  const PC_JLDLT *jldlt = static_cast<const PC_JLDLT *>(pc->data);
  PetscObjectId matrix;
  PetscObjectState pattern;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)pc->pmat, &matrix));
  PetscCall(MatGetNonzeroState(pc->pmat, &pattern));
  *is = (PetscBool)(jldlt->factorization && matrix == jldlt->matrix && pattern == jldlt->pattern);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCSetUp_JLDLT(PC pc)
{
  PC_JLDLT *jldlt = static_cast<PC_JLDLT *>(pc->data);
  PetscBool analyzed;

  PetscFunctionBegin;
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  PetscCall(TesseraMatCheck(pc->pmat, PCJLDLT));
  PetscCall(IsAnalyzed(pc, &analyzed));
  if (!analyzed)
    PetscCall(Analyze(pc));
  if (!pc->failedreason) {
    jldlt->factorization->set_apply_sweeps(
        jldlt->options.apply == PC_JLDLT_APPLY_JACOBI ? tessera::clamped_index(jldlt->options.apply_sweeps) : 0);
    PetscCall(Factor(pc));
    if (jldlt->options.monitor)
      PetscCall(Monitor(pc));
    PetscCall(PCFactoredCheckReport(pc, jldlt->report.factor));
  }
  PetscCall(PCFactoredEndSetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCJLDLTRegisterEvents()
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventRegister("PCJLDLTAnalyze", PC_CLASSID, &eventAnalyze));
  PetscCall(PetscLogEventRegister("PCJLDLTFactor", PC_CLASSID, &eventFactor));
  PetscFunctionReturn(PETSC_SUCCESS);
}
