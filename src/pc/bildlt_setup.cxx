/*
   PCSetUp of PCBILDLT: analyses its pattern once, factors, and judges the factor by a probe solve,
   after which it may strengthen itself.
*/
#include "pc/bildlt_setup.hpp"

#include "factor/strengthen.hpp"
#include "pc/bildlt_apply.hpp"
#include "pc/bildlt_check.hpp"
#include "pc/bildlt_input.hpp"

#include <petsc/private/pcimpl.h>
#include <petscksp.h>
#include <petsctime.h>

#include <algorithm>
#include <new>

namespace {

using tessera::Analysis;
using tessera::Change;
using tessera::FactorReport;

PetscLogEvent eventAnalyze, eventFactor, eventProbe;

constexpr PetscReal probeReduction = 0.1; ///< of the residual, that the probe solve has to reach
constexpr PetscInt probeIterations = 30;  ///< within so many iterations

tessera::FactorOptions MakeFactorOptions(const PCBILDLTOptions &o, const Analysis &analysis, tessera::Offset entries,
                                         double machine_bytes)
{
  tessera::FactorOptions f;
  const double megabytes = o.memory_limit >= 0 ? o.memory_limit : 0.5e-6 * machine_bytes;
  constexpr tessera::Pivoting pivotings[] = {tessera::Pivoting::none, tessera::Pivoting::bunch_kaufman,
                                             tessera::Pivoting::rook};

  f.pivoting = pivotings[o.pivoting];
  f.perturbation = o.perturbation;
  f.fill_ratio = o.fill_ratio;
  f.drop_tolerance = o.drop_tolerance >= 0 ? o.drop_tolerance : tessera::automatic_drop_tolerance(analysis, entries);
  // at least one, as 0 entries are no limit
  f.max_entries =
      tessera::Offset(std::clamp(megabytes * 1e6 / (o.precision == PC_BILDLT_PRECISION_SINGLE ? 4 : 8), 1.0, 1e18));
  return f;
}

/// An empty factorization of the analysed pattern on the backend that was asked for: by default the device if the
/// matrix lives there. Sets the failed reason when there is no memory for it.
PetscErrorCode MakeFactorization(PC pc)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  const tessera::Precision precision = PCBILDLTPrecisionOf(bildlt->options);
  PetscBool on_device = (PetscBool)(bildlt->options.backend == PC_BILDLT_BACKEND_CUDA);

  PetscFunctionBegin;
  if (bildlt->options.backend == PC_BILDLT_BACKEND_AUTO)
    PetscCall(PCBILDLTMatrixOnDevice(pc->pmat, &on_device));
  try {
    if (on_device)
      bildlt->factorization = tessera::make_cuda_factorization(*bildlt->analysis, precision);
    if (!bildlt->factorization && bildlt->options.backend != PC_BILDLT_BACKEND_CUDA)
      bildlt->factorization = tessera::make_host_factorization(*bildlt->analysis, precision);
  } catch (const std::bad_alloc &) {
    PetscCall(PetscInfo(pc, "No memory for the pattern of the factor\n"));
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OUTMEMORY));
    PetscFunctionReturn(PETSC_SUCCESS);
  } catch (const std::exception &error) {
    SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_LIB, "%s", error.what());
  }
  PetscCheck(bildlt->factorization, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "This libtessera was built without CUDA: -pc_bildlt_backend cuda needs one built with the preset cuda");
  if (on_device && bildlt->factorization->place() == tessera::Place::Host)
    PetscCall(PetscInfo(pc, "Built without CUDA: a matrix in device memory is factored on the host\n"));
  PetscCall(PCBILDLTLogCopies(*bildlt->factorization));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Analyses the matrix with these options into bildlt->analysis. Sets the failed reason when that cannot be done.
PetscErrorCode Analyze(PC pc, const tessera::SymmetricInput &input, const tessera::AnalysisOptions &options)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);

  PetscFunctionBegin;
  bildlt->factorization.reset();
  PetscCall(PetscLogEventBegin(eventAnalyze, pc, pc->pmat, nullptr, nullptr));
  PetscCallCXX(bildlt->analysis.reset(new Analysis(tessera::analyze_matrix(input.matrix, input.source, options))));
  PetscCall(PCFactoredCheckAnalysis(pc, *bildlt->analysis));
  if (!pc->failedreason)
    PetscCall(MakeFactorization(pc));
  PetscCall(PetscLogEventEnd(eventAnalyze, pc, pc->pmat, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Factors with bildlt->used into bildlt->report.
PetscErrorCode Factor(PC pc)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  PCBILDLTValues values;
  PetscLogDouble begin, end;
  const bool on_device = bildlt->factorization->place() == tessera::Place::Device;

  PetscFunctionBegin;
  PetscCall(PCBILDLTGetValues(pc->pmat, bildlt->factorization->place(), &values));
  PetscCall(PetscLogEventBegin(eventFactor, pc, pc->pmat, nullptr, nullptr));
  PetscCall(PetscTime(&begin));
  if (on_device)
    PetscCall(PetscLogGpuTimeBegin());
  try {
    bildlt->report = bildlt->factorization->factor(values.value, values.place, bildlt->used);
  } catch (const std::bad_alloc &) {
    bildlt->report = {};
    bildlt->report.status = FactorReport::OverBudget;
  } catch (const std::exception &error) {
    SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_LIB, "%s", error.what());
  }
  if (on_device)
    PetscCall(PetscLogGpuTimeEnd());
  PetscCall(PCBILDLTLogCopies(*bildlt->factorization));
  PetscCall(PetscTime(&end));
  bildlt->factor_seconds = end - begin;
  PetscCall(PetscLogEventEnd(eventFactor, pc, pc->pmat, nullptr, nullptr));
  PetscCall(PCBILDLTRestoreValues(pc->pmat, &values));
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

/// Factors and, while the factor is too large or does not pass the probe, changes the options and factors again.
PetscErrorCode FactorUntilGood(PC pc, const tessera::SymmetricInput &input, tessera::AnalysisOptions options)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  bool shrinking = false;

  PetscFunctionBegin;
  for (;; bildlt->strengthened++) {
    Change change = Change::None;
    tessera::FactorOptions next = bildlt->used;

    PetscCall(Factor(pc));
    if (bildlt->report.status == FactorReport::NonFinite || !bildlt->options.strengthen)
      break;
    if (bildlt->report.status == FactorReport::OverBudget) {
      shrinking = true;
      change = tessera::weaken(next);
    } else {
      PetscCall(Probe(pc));
      if (!bildlt->probe_passed && !shrinking)
        change = tessera::strengthen(options, next);
    }
    if (change == Change::None)
      break;
    PetscCall(PetscInfo(pc,
                        "Probe residual %g after %" PetscInt_FMT
                        " iterations, %s: factor again, drop tolerance %g, fill level %" PetscInt_FMT "\n",
                        (double)bildlt->probe, bildlt->probe_iterations,
                        bildlt->report.status == FactorReport::OverBudget ? "out of memory" : "too weak",
                        next.drop_tolerance, (PetscInt)options.fill_level));
    bildlt->used = next;
    if (change == Change::Analysis) {
      PetscCall(Analyze(pc, input, options));
      if (pc->failedreason)
        break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Turns a failed factorization into a failed reason.
PetscErrorCode CheckReport(PC pc)
{
  const PC_BILDLT *bildlt = static_cast<const PC_BILDLT *>(pc->data);

  PetscFunctionBegin;
  if (pc->failedreason)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (bildlt->report.status == FactorReport::NonFinite) {
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OTHER));
  } else if (bildlt->report.status == FactorReport::OverBudget) {
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OUTMEMORY));
  } else if (bildlt->report.zero > 0) {
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_NUMERIC_ZEROPIVOT));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A same-pattern factorization so much worse than the first one of its pattern that the analysis no longer fits.
bool Deteriorated(const FactorReport &first, const FactorReport &now)
{
  return now.status != FactorReport::Complete || now.growth > 1e3 * first.growth ||
         now.perturbed > 10 + 2 * first.perturbed;
}

} // namespace

PetscErrorCode PCSetUp_BILDLT(PC pc)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  bool fresh = !bildlt->factorization || bildlt->options_changed || pc->flag == DIFFERENT_NONZERO_PATTERN;

  PetscFunctionBegin;
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  PetscCall(PCBILDLTCheckMatrix(pc->pmat, PCBILDLT));
  if (!fresh) {
    PetscCall(Factor(pc));
    fresh = bildlt->options.strengthen && Deteriorated(bildlt->first_report, bildlt->report);
    if (fresh)
      PetscCall(PetscInfo(pc, "Factor much worse than the pattern's first: analysing the matrix again\n"));
  }
  if (fresh) {
    const PCBILDLTOptions &o = bildlt->options;
    const tessera::AnalysisOptions options =
        PCFactoredAnalysisOptions(o.preprocessing, o.ordering, o.blocking, o.block_size, o.fill_level);
    tessera::SymmetricInput input;

    bildlt->factorization.reset(); // so that an error leaves none behind that does not fit the matrix
    bildlt->analysis.reset();
    PetscCall(PCBILDLTReadMatrix(pc->pmat, PCBILDLT, &input));
    bildlt->strengthened = 0;
    bildlt->probe = -1;
    bildlt->probe_passed = PETSC_TRUE;
    PetscCall(Analyze(pc, input, options));
    if (!pc->failedreason) {
      bildlt->used = MakeFactorOptions(bildlt->options, *bildlt->analysis, input.matrix.pattern.entries(),
                                       bildlt->factorization->machine_bytes());
      PetscCall(FactorUntilGood(pc, input, options));
      bildlt->first_report = bildlt->report;
    }
    bildlt->options_changed = PETSC_FALSE;
  }
  PetscCall(CheckReport(pc));
  PetscCheck(!pc->erroriffailure || !pc->failedreason, PetscObjectComm((PetscObject)pc), PETSC_ERR_MAT_LU_ZRPVT,
             "PC type " PCBILDLT " cannot factor the matrix: %s", PCFailedReasons[pc->failedreason]);
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
