/*
   PCSetUp of PCJLDLT: analyses a pattern once, and factors by sweeps.
*/
#include "pc/jldlt_setup.hpp"

#include "pc/bildlt_apply.hpp"
#include "pc/bildlt_input.hpp"

#include <petsc/private/pcimpl.h>
#include <petsctime.h>

#include <new>

namespace {

using tessera::FactorReport;

PetscLogEvent eventAnalyze, eventFactor;

tessera::JacobiOptions MakeJacobiOptions(const PCJLDLTOptions &o)
{
  // in the order of the enumeration of tessera.h
  constexpr tessera::Pivoting pivotings[] = {tessera::Pivoting::none, tessera::Pivoting::bunch_kaufman,
                                             tessera::Pivoting::rook, tessera::Pivoting::full};
  tessera::JacobiOptions j;

  j.pivoting = pivotings[o.pivoting];
  j.sweeps = tessera::Index(o.sweeps);
  j.stages = tessera::Index(o.stages);
  j.epsilon = o.epsilon == PETSC_DECIDE ? tessera::automatic_epsilon : o.epsilon;
  j.decay = o.decay;
  j.stall = o.stall;
  j.outer_levels = tessera::Index(o.outer_levels);
  j.failure = o.outer_tolerance;
  j.warm_start = o.warm_start;
  return j;
}

/// An empty factorization of the analysed pattern on the backend that was asked for: by default where the matrix is.
PetscErrorCode MakeFactorization(PC pc)
{
  PC_JLDLT *jldlt = static_cast<PC_JLDLT *>(pc->data);
  PetscBool on_device = (PetscBool)(jldlt->options.backend == PC_BILDLT_BACKEND_CUDA);

  PetscFunctionBegin;
  if (jldlt->options.backend == PC_BILDLT_BACKEND_AUTO)
    PetscCall(PCBILDLTMatrixOnDevice(pc->pmat, &on_device));
  try {
    if (on_device)
      jldlt->factorization = tessera::make_cuda_jacobi(*jldlt->analysis);
    if (!jldlt->factorization && jldlt->options.backend != PC_BILDLT_BACKEND_CUDA)
      jldlt->factorization = tessera::make_host_jacobi(*jldlt->analysis);
  } catch (const std::bad_alloc &) {
    PetscCall(PetscInfo(pc, "The factor does not fit in memory\n"));
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OUTMEMORY));
    PetscFunctionReturn(PETSC_SUCCESS);
  } catch (const std::exception &error) {
    SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_LIB, "%s", error.what());
  }
  PetscCheck(jldlt->factorization, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "This libtessera was built without CUDA: -pc_jldlt_backend cuda needs one built with the preset cuda");
  if (on_device && jldlt->factorization->place() == tessera::Place::Host)
    PetscCall(PetscInfo(pc, "Built without CUDA: a matrix in device memory is factored on the host\n"));
  PetscCall(PCBILDLTLogCopies(*jldlt->factorization));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Analyze(PC pc)
{
  PC_JLDLT *jldlt = static_cast<PC_JLDLT *>(pc->data);
  const PCJLDLTOptions &o = jldlt->options;
  const tessera::AnalysisOptions options =
      PCFactoredAnalysisOptions(o.preprocessing, o.ordering, o.blocking, o.block_size, o.fill_level);
  tessera::SymmetricInput input;

  PetscFunctionBegin;
  jldlt->factorization.reset(); // so that an error leaves none behind that does not fit the matrix
  jldlt->analysis.reset();
  jldlt->pattern = -1;
  PetscCall(PCBILDLTReadMatrix(pc->pmat, PCJLDLT, &input));
  PetscCall(PetscLogEventBegin(eventAnalyze, pc, pc->pmat, nullptr, nullptr));
  PetscCallCXX(
      jldlt->analysis.reset(new tessera::Analysis(tessera::analyze_matrix(input.matrix, input.source, options))));
  PetscCall(PCFactoredCheckAnalysis(pc, *jldlt->analysis));
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
  PCBILDLTValues values;
  PetscLogDouble begin, end;
  const bool on_device = jldlt->factorization->place() == tessera::Place::Device;

  PetscFunctionBegin;
  PetscCall(PCBILDLTGetValues(pc->pmat, jldlt->factorization->place(), &values));
  PetscCall(PetscLogEventBegin(eventFactor, pc, pc->pmat, nullptr, nullptr));
  PetscCall(PetscTime(&begin));
  if (on_device)
    PetscCall(PetscLogGpuTimeBegin());
  try {
    jldlt->report = jldlt->factorization->factor(values.value, values.place, MakeJacobiOptions(jldlt->options));
  } catch (const std::bad_alloc &) {
    jldlt->report = {};
    jldlt->report.factor.status = FactorReport::OverBudget;
  } catch (const std::exception &error) {
    SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_LIB, "%s", error.what());
  }
  if (on_device)
    PetscCall(PetscLogGpuTimeEnd());
  PetscCall(PCBILDLTLogCopies(*jldlt->factorization));
  PetscCall(PetscTime(&end));
  jldlt->factor_seconds = end - begin;
  PetscCall(PetscLogEventEnd(eventFactor, pc, pc->pmat, nullptr, nullptr));
  PetscCall(PCBILDLTRestoreValues(pc->pmat, &values));
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

/// Turns a failed factorization into a failed reason.
PetscErrorCode CheckReport(PC pc)
{
  const FactorReport &report = static_cast<const PC_JLDLT *>(pc->data)->report.factor;

  PetscFunctionBegin;
  if (report.status == FactorReport::NonFinite) {
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OTHER));
  } else if (report.status == FactorReport::OverBudget) {
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OUTMEMORY));
  } else if (report.zero > 0) {
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_NUMERIC_ZEROPIVOT));
  }
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
  PetscCall(PCBILDLTCheckMatrix(pc->pmat, PCJLDLT));
  PetscCall(IsAnalyzed(pc, &analyzed));
  if (!analyzed)
    PetscCall(Analyze(pc));
  if (!pc->failedreason) {
    PetscCall(Factor(pc));
    jldlt->factorization->set_apply_sweeps(
        jldlt->options.apply == PC_JLDLT_APPLY_JACOBI ? tessera::Index(jldlt->options.apply_sweeps) : 0);
    if (jldlt->options.monitor)
      PetscCall(Monitor(pc));
    PetscCall(CheckReport(pc));
  }
  PetscCheck(!pc->erroriffailure || !pc->failedreason, PetscObjectComm((PetscObject)pc), PETSC_ERR_MAT_LU_ZRPVT,
             "PC type " PCJLDLT " cannot factor the matrix: %s", PCFailedReasons[pc->failedreason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCJLDLTRegisterEvents()
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventRegister("PCJLDLTAnalyze", PC_CLASSID, &eventAnalyze));
  PetscCall(PetscLogEventRegister("PCJLDLTFactor", PC_CLASSID, &eventFactor));
  PetscFunctionReturn(PETSC_SUCCESS);
}
