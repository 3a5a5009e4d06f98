/*
   PCSetUp of PCBILDLT: analyses its pattern once, factors, and judges the factor by a probe solve,
   after which it may strengthen itself.
*/
#include "pc/bildlt/setup.hpp"

#include "analysis/symbolic/merge_leaves.hpp"
#include "factor/bildlt/strengthen.hpp"
#include "pc/bildlt/check.hpp"
#include "pc/factored/analyze.hpp"
#include "pc/factored/setup.hpp"
#include "pc/memory_share.hpp"

#include <petscksp.h>

#include <algorithm>
#include <optional>

namespace {

using tessera::Analysis;
using tessera::Change;
using tessera::FactorReport;

PetscLogEvent eventAnalyze, eventFactor, eventProbe;

constexpr PetscReal probeReduction = 0.1;    ///< of the residual, that the probe solve has to reach
constexpr PetscInt probeIterations = 30;     ///< within so many iterations
constexpr tessera::Offset probeVectors = 12; ///< it takes: two, seven of KSPSQMR, and some for what others round up

tessera::AnalysisOptions MakeAnalysisOptions(const PCBILDLTOptions &o)
{
  tessera::AnalysisOptions a =
      PCFactoredAnalysisOptions(o.preprocessing, o.ordering, o.blocking, o.block_size, o.fill_level, o.max_tiles);

  a.pairs_apart = true;
  return a;
}

/// bytes: what the factor may take.
tessera::FactorOptions MakeFactorOptions(const PCBILDLTOptions &o, const Analysis &analysis, tessera::Offset entries,
                                         double bytes)
{
  tessera::FactorOptions f;
  constexpr tessera::Pivoting pivotings[] = {tessera::Pivoting::none, tessera::Pivoting::bunch_kaufman,
                                             tessera::Pivoting::rook};

  f.pivoting = pivotings[o.pivoting];
  f.fill_ratio = o.fill_ratio;
  // at least one, as 0 entries are no limit
  const double bytes_of_entry = PCBILDLTPrecisionOf(o, analysis) == tessera::Precision::Single ? 4 : 8;
  f.max_entries = tessera::Offset(std::clamp(bytes / bytes_of_entry, 1.0, 1e18));
  f.drop_tolerance =
      o.drop_tolerance >= 0 ? o.drop_tolerance : tessera::automatic_drop_tolerance(analysis, entries, f.max_entries);
  return f;
}

PetscErrorCode MakeFactorization(PC pc)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  const auto make = [&](tessera::Place place) {
    const tessera::Precision precision = PCBILDLTPrecisionOf(bildlt->options, *bildlt->analysis);
    return place == tessera::Place::Device ? tessera::make_cuda_factorization(*bildlt->analysis, precision)
                                           : tessera::make_host_factorization(*bildlt->analysis, precision);
  };

  PetscFunctionBegin;
  PetscCall(PCFactoredMake(pc, bildlt->options.backend, make, &bildlt->factorization));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Analyses the matrix with these options into bildlt->analysis. Sets the failed reason when that cannot be done.
PetscErrorCode Analyze(PC pc, tessera::AnalysisOptions options)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  tessera::SymmetricInput input;
  PetscBool on_device;

  PetscFunctionBegin;
  PetscCall(PCFactoredWantsDevice(pc, bildlt->options.backend, &on_device));
  options.blocking.level_flops = on_device ? tessera::device_level_flops : 0;
  options.blocking.leaves = on_device ? tessera::device_leaf : tessera::FrontShape();
  options.blocking.low_fill_level =
      on_device && options.fill_level != tessera::complete_level ? tessera::device_low_fill_level : 0;
  options.short_level =
      on_device && options.blocking.ordering == tessera::Ordering::Automatic ? tessera::device_short_level : 0;
  bildlt->factorization.reset();        // so that an error leaves none behind that does not fit the matrix
  bildlt->options_changed = PETSC_TRUE; // until there is a factor, those of the factorization have to be chosen
  bildlt->analysis.reset();
  PetscCall(PCFactoredReadMatrix(pc, &input)); // whose errors would leave the event begun
  if (pc->failedreason)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(eventAnalyze, pc, pc->pmat, nullptr, nullptr));
  PetscCall(PCFactoredAnalyze(pc, input, options));
  bildlt->analyzed_with = options;
  bildlt->matrix_entries = input.matrix.pattern.entries();
  PetscCall(PetscObjectGetId((PetscObject)pc->pmat, &bildlt->analyzed_matrix));
  PetscCall(MatGetNonzeroState(pc->pmat, &bildlt->analyzed_pattern));
  PetscCall(PetscObjectStateGet((PetscObject)pc->pmat, &bildlt->analyzed_values));
  if (!pc->failedreason)
    PetscCall(MakeFactorization(pc));
  PetscCall(PetscLogEventEnd(eventAnalyze, pc, pc->pmat, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Factors with bildlt->used into bildlt->report.
PetscErrorCode Factor(PC pc)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  bool fits;
  const auto factor = [&](const TesseraMatValues &values) {
    bildlt->report = bildlt->factorization->factor(values.value, values.place, bildlt->used);
    const bool complete =
        bildlt->report.status == FactorReport::Complete && tessera::keeps_all(*bildlt->analysis, bildlt->used);
    return complete ? bildlt->analysis->complete.flops : 0;
  };

  PetscFunctionBegin;
  PetscCall(PCFactoredFactor(pc, eventFactor, factor, &fits));
  if (!fits) {
    bildlt->report = {};
    bildlt->report.status = FactorReport::OverBudget;
  }
  if (bildlt->options.check)
    PetscCall(PCBILDLTCheckFactor(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ApplyShell(PC shell, Vec r, Vec z)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(shell, &pc));
  PetscUseTypeMethod(pc, apply, r, z);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves A x = A v for a fixed v of pseudo-random entries by some iterations of SQMR with the factor just made, and
/// notes how far the residual fell.
PetscErrorCode Probe(PC pc)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  Vec v, b;
  KSP ksp;
  PC shell;
  PetscRandom random;
  PetscReal bnorm, rnorm;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(eventProbe, pc, pc->pmat, nullptr, nullptr));
  PetscCall(MatCreateVecs(pc->pmat, &v, &b));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetType(random, PETSCRANDER48));
  PetscCall(PetscRandomSetInterval(random, -1.0, 1.0));
  PetscCall(VecSetRandom(v, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(MatMult(pc->pmat, v, b));
  PetscCall(VecNorm(b, NORM_2, &bnorm));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, pc->pmat, pc->pmat));
  PetscCall(KSPSetType(ksp, KSPSQMR));
  PetscCall(KSPGetPC(ksp, &shell));
  PetscCall(PCSetType(shell, PCSHELL));
  PetscCall(PCShellSetContext(shell, pc));
  PetscCall(PCShellSetApply(shell, ApplyShell));
  PetscCall(KSPSetTolerances(ksp, probeReduction, PETSC_CURRENT, PETSC_UNLIMITED, probeIterations));
  PetscCall(KSPSolve(ksp, b, v));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &bildlt->probe_iterations));
  PetscCall(KSPGetResidualNorm(ksp, &rnorm));
  bildlt->probe = bnorm > 0 ? rnorm / bnorm : 0;
  bildlt->probe_passed = (PetscBool)(reason > 0 || bnorm == 0);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&b));
  PetscCall(PetscLogEventEnd(eventProbe, pc, pc->pmat, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether there is memory for the vectors of a probe.
bool HasRoomForProbe(PC pc)
{
  const PC_BILDLT *bildlt = static_cast<const PC_BILDLT *>(pc->data);

  return bildlt->factorization->has_room(probeVectors * bildlt->analysis->structure.rows *
                                         tessera::Offset(sizeof(PetscScalar)));
}

/// Factors, and judges a complete factor if it is to be strengthened. One that leaves no memory for its application is
/// over budget.
PetscErrorCode FactorAndProbe(PC pc)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);

  PetscFunctionBegin;
  PetscCall(Factor(pc));
  if (bildlt->report.status != FactorReport::Complete || !bildlt->options.strengthen)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (HasRoomForProbe(pc))
    PetscCall(Probe(pc));
  else
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OUTMEMORY));
  if (pc->failedreason) {
    PetscCall(PetscInfo(pc, "The factor leaves no memory for vectors\n"));
    PetscCall(PCSetFailedReason(pc, PC_NOERROR));
    bildlt->report.status = FactorReport::OverBudget;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Factors and judges with a perturbation that fits bildlt->used, unless the user set one, and with a larger one where
/// that was too small.
PetscErrorCode FactorAndPerturb(PC pc)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  const PCBILDLTOptions &o = bildlt->options;
  const bool exact = PCBILDLTPrecisionOf(o, *bildlt->analysis) == tessera::Precision::Double &&
                     tessera::keeps_all(*bildlt->analysis, bildlt->used);
  const PetscReal automatic = tessera::automatic_perturbation(exact, bildlt->analysis->structure.rows);

  PetscFunctionBegin;
  bildlt->used.perturbation = o.perturbation >= 0 ? o.perturbation : automatic;
  PetscCall(FactorAndProbe(pc));
  if (pc->failedreason || o.perturbation >= 0 ||
      !tessera::replace_more_pivots(bildlt->report, bildlt->probe, bildlt->used))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInfo(pc, "Probe residual %g, growth %g: factor again, perturbation %g\n", (double)bildlt->probe,
                      bildlt->report.growth, bildlt->used.perturbation));
  bildlt->strengthened++;
  PetscCall(FactorAndProbe(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A factor that did not pass the probe, and how to make it again.
struct WeakFactor {
  tessera::AnalysisOptions analysis;
  tessera::FactorOptions factor;
  PetscReal probe;
  PetscInt probe_iterations;
};

bool SameAnalysis(const tessera::AnalysisOptions &one, const tessera::AnalysisOptions &other)
{
  return one.fill_level == other.fill_level && one.blocking.costly_flops == other.blocking.costly_flops &&
         one.pairs_apart == other.pairs_apart;
}

/// Makes a weak factor again, after the one that was to be better could not be made.
PetscErrorCode ReturnTo(PC pc, const WeakFactor &weak)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);

  PetscFunctionBegin;
  PetscCall(PetscInfo(pc, "No better factor in the memory allowed: back to drop tolerance %g, fill level %d\n",
                      weak.factor.drop_tolerance, (int)weak.analysis.fill_level));
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  bildlt->strengthened++;
  bildlt->used = weak.factor;
  if (!bildlt->factorization || !SameAnalysis(bildlt->analyzed_with, weak.analysis))
    PetscCall(Analyze(pc, weak.analysis));
  if (!pc->failedreason)
    PetscCall(Factor(pc));
  bildlt->probe = weak.probe;
  bildlt->probe_iterations = weak.probe_iterations;
  bildlt->probe_passed = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Changes the options, and the analysis if need be, for the next factorization, after one that was too large or did
/// not pass the probe.
PetscErrorCode ChangeOptions(PC pc, Change change, const tessera::AnalysisOptions &analysis,
                             const tessera::FactorOptions &factor)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);

  PetscFunctionBegin;
  PetscCall(PetscInfo(pc,
                      "Probe residual %g after %" PetscInt_FMT
                      " iterations, %s: factor again, drop tolerance %g, fill level %" PetscInt_FMT ", %s\n",
                      (double)bildlt->probe, bildlt->probe_iterations,
                      bildlt->report.status == FactorReport::OverBudget ? "out of memory" : "too weak",
                      factor.drop_tolerance, (PetscInt)analysis.fill_level,
                      analysis.pairs_apart ? "pairs as the analysis has them" : "all pairs together"));
  bildlt->strengthened++;
  bildlt->used = factor;
  if (change == Change::Analysis)
    PetscCall(Analyze(pc, analysis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Factors the analysed matrix as the options say and, while the factor is too large or does not pass the probe,
/// changes them and factors again. What cannot be made better in the memory allowed stays as it was.
PetscErrorCode FactorUntilGood(PC pc)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  std::optional<WeakFactor> weak;
  bool shrinking = false;

  PetscFunctionBegin;
  bildlt->strengthened = 0;
  bildlt->probe = -1;
  bildlt->probe_passed = PETSC_TRUE;
  bildlt->used = MakeFactorOptions(bildlt->options, *bildlt->analysis, bildlt->matrix_entries,
                                   PCFactoredMemoryLimit(*bildlt, bildlt->options.memory_limit));
  for (;;) {
    Change change = Change::None;
    tessera::AnalysisOptions analysis = bildlt->analyzed_with;
    tessera::FactorOptions factor = bildlt->used;

    if (!pc->failedreason)
      PetscCall(FactorAndPerturb(pc));
    if (weak && (pc->failedreason || bildlt->report.status != FactorReport::Complete)) {
      PetscCall(ReturnTo(pc, *weak));
      break;
    }
    if (bildlt->report.status == FactorReport::NonFinite || !bildlt->options.strengthen)
      break;
    if (bildlt->report.status == FactorReport::OverBudget) {
      shrinking = true;
      change = tessera::weaken(factor);
    } else if (!bildlt->probe_passed && !shrinking) {
      weak = WeakFactor{analysis, bildlt->used, bildlt->probe, bildlt->probe_iterations};
      change = tessera::strengthen(*bildlt->analysis, bildlt->report, analysis, factor);
    }
    if (change == Change::None)
      break;
    PetscCall(ChangeOptions(pc, change, analysis, factor));
  }
  bildlt->first_report = bildlt->report;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A same-pattern factorization so much worse than the first one of its pattern that the analysis no longer fits.
bool Deteriorated(const FactorReport &first, const FactorReport &now)
{
  return now.status != FactorReport::Complete || now.growth > 1e3 * first.growth ||
         now.perturbed > 10 + 2 * first.perturbed;
}

/// Whether the analysis at hand is of this pattern and with the options that are asked for now, if these changed: a
/// setup that strengthens itself may have changed the fill level. Values may have changed.
PetscErrorCode IsAnalyzed(PC pc, bool *analyzed)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  PetscObjectId matrix;
  PetscObjectState pattern;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)pc->pmat, &matrix));
  PetscCall(MatGetNonzeroState(pc->pmat, &pattern));
  *analyzed = bildlt->analysis && bildlt->analysis->status == tessera::AnalysisStatus::Ok &&
              matrix == bildlt->analyzed_matrix && pattern == bildlt->analyzed_pattern &&
              (!bildlt->options_changed || SameAnalysis(bildlt->analyzed_with, MakeAnalysisOptions(bildlt->options)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Factors a matrix whose pattern is analysed. `fits` becomes false where the values ask for another analysis.
PetscErrorCode FactorAgain(PC pc, bool *fits)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  PetscObjectState values;

  PetscFunctionBegin;
  *fits = true;
  if (!bildlt->factorization)
    PetscCall(MakeFactorization(pc));
  if (pc->failedreason)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (bildlt->options_changed) {
    PetscCall(FactorUntilGood(pc));
    PetscCall(PetscObjectStateGet((PetscObject)pc->pmat, &values));
    *fits = !bildlt->options.strengthen || values == bildlt->analyzed_values ||
            (bildlt->probe_passed && bildlt->report.status == FactorReport::Complete);
  } else {
    PetscCall(Factor(pc));
    *fits = !bildlt->options.strengthen || !Deteriorated(bildlt->first_report, bildlt->report);
  }
  if (!*fits)
    PetscCall(PetscInfo(pc, "The factor of these values is bad with the analysis of others: analysing them\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCSetUp_BILDLT(PC pc)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  bool analyzed = false, fits = false;

  PetscFunctionBegin;
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  PetscCall(TesseraMatCheck(pc->pmat, PCBILDLT));
  PetscCall(IsAnalyzed(pc, &analyzed));
  if (analyzed)
    PetscCall(FactorAgain(pc, &fits));
  if (!fits) {
    PetscCall(Analyze(pc, MakeAnalysisOptions(bildlt->options)));
    if (!pc->failedreason)
      PetscCall(FactorUntilGood(pc));
  }
  if (!pc->failedreason)
    PetscCall(PCFactoredCheckReport(pc, bildlt->report));
  // with more memory another factor will do than the smallest that was tried
  bildlt->options_changed = (PetscBool)(pc->failedreason == PC_FACTOR_OUTMEMORY);
  PetscCall(PCFactoredEndSetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCBILDLTRegisterEvents()
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventRegister("PCBILDLTAnalyze", PC_CLASSID, &eventAnalyze));
  PetscCall(PetscLogEventRegister("PCBILDLTFactor", PC_CLASSID, &eventFactor));
  PetscCall(PetscLogEventRegister("PCBILDLTProbe", PC_CLASSID, &eventProbe));
  PetscFunctionReturn(PETSC_SUCCESS);
}
