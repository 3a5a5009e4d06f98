/*
   PCSetUp of PCBILDLT: reads the matrix, analyses its pattern once, factors, and judges the factor by a probe solve,
   after which it may strengthen itself.
*/
#include "pc/bildlt_setup.hpp"

#include "analysis/symmetric_input.hpp"
#include "factor/strengthen.hpp"

#include <petsc/private/pcimpl.h>
#include <petscksp.h>
#include <petsctime.h>

#include <algorithm>
#include <new>
#include <unistd.h>

namespace {

using tessera::Analysis;
using tessera::AnalysisStatus;
using tessera::Change;
using tessera::FactorReport;

PetscLogEvent eventAnalyze, eventFactor, eventProbe;

constexpr PetscReal probeReduction = 0.1; ///< of the residual, that the probe solve has to reach
constexpr PetscInt probeIterations = 30;  ///< within so many iterations

/// Arrays of a sequential matrix, valid until ReturnArrays().
struct Arrays {
  PetscObjectState state; ///< of the matrix
  PetscInt rows;          ///< block rows for SBAIJ
  PetscInt block_size;
  bool upper; ///< SBAIJ
  const PetscInt *start, *column;
  const PetscScalar *value;
};

PetscErrorCode GetArrays(Mat A, Arrays *a)
{
  PetscBool aij, sbaij, done;
  PetscInt m, n;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQSBAIJ, &sbaij));
  PetscCheck(aij || sbaij, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "PC type " PCBILDLT " needs a sequential matrix of type aij or sbaij, not %s. In parallel use it inside a "
             "block preconditioner: -pc_type bjacobi -sub_pc_type " PCBILDLT,
             ((PetscObject)A)->type_name);
  PetscCall(MatGetSize(A, &m, &n));
  PetscCheck(m == n, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
             "PC type " PCBILDLT " needs a square symmetric matrix; this one has %" PetscInt_FMT
             " rows and %" PetscInt_FMT " columns",
             m, n);
  a->upper = sbaij;
  a->block_size = 1;
  if (sbaij)
    PetscCall(MatGetBlockSize(A, &a->block_size));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, (PetscBool)a->upper, &a->rows, &a->start, &a->column, &done));
  PetscCheck(done, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "Matrix of type %s does not give its rows",
             ((PetscObject)A)->type_name);
  PetscCall(PetscObjectStateGet((PetscObject)A, &a->state));
  if (sbaij) {
    PetscCall(MatSeqSBAIJGetArray(A, const_cast<PetscScalar **>(&a->value)));
  } else {
    PetscCall(MatSeqAIJGetArrayRead(A, &a->value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReturnArrays(Mat A, Arrays *a)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, (PetscBool)a->upper, &a->rows, &a->start, &a->column, &done));
  if (a->upper) {
    PetscCall(MatSeqSBAIJRestoreArray(A, const_cast<PetscScalar **>(&a->value)));
    // The values were only read. Were they marked as changed, every PCApply() would begin with another PCSetUp().
    PetscCall(PetscObjectStateSet((PetscObject)A, a->state));
  } else {
    PetscCall(MatSeqAIJRestoreArrayRead(A, &a->value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Both triangles of the matrix. A matrix known to be symmetric is believed to be.
PetscErrorCode ReadMatrix(Mat A, const Arrays &a, tessera::SymmetricInput *input)
{
  PetscBool known, symmetric;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  PetscCheck(!known || symmetric, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_INCOMP,
             "PC type " PCBILDLT " is for symmetric matrices, this one is known not to be");
  if (a.upper) {
    PetscCallCXX(*input = tessera::read_upper_blocks(a.rows, a.block_size, a.start, a.column, a.value));
  } else {
    PetscCallCXX(*input = tessera::read_full(a.rows, a.start, a.column, a.value, !(known && symmetric)));
  }
  PetscCheck(input->status != tessera::SymmetricInput::Repeated, PetscObjectComm((PetscObject)A),
             PETSC_ERR_ARG_WRONGSTATE, "Row %" PetscInt_FMT " has an entry in column %" PetscInt_FMT " twice",
             (PetscInt)input->row, (PetscInt)input->column);
  PetscCheck(input->status != tessera::SymmetricInput::Nonsymmetric, PetscObjectComm((PetscObject)A),
             PETSC_ERR_ARG_INCOMP,
             "PC type " PCBILDLT " is for symmetric matrices: entries (%" PetscInt_FMT ",%" PetscInt_FMT
             ") and (%" PetscInt_FMT ",%" PetscInt_FMT ") of this one differ, or one of them is missing",
             (PetscInt)input->row, (PetscInt)input->column, (PetscInt)input->column, (PetscInt)input->row);
  PetscFunctionReturn(PETSC_SUCCESS);
}

tessera::AnalysisOptions MakeAnalysisOptions(const PCBILDLTOptions &o)
{
  using tessera::BlockStrategy, tessera::Ordering, tessera::Preprocessing;
  // in the order of the enumerations of tessera.h
  constexpr Preprocessing preprocessings[] = {Preprocessing::Matching, Preprocessing::Equilibrate, Preprocessing::None};
  constexpr Ordering orderings[] = {Ordering::Automatic, Ordering::Natural, Ordering::AMD,  Ordering::ND,
                                    Ordering::METIS,     Ordering::RCM,     Ordering::Color};
  constexpr BlockStrategy strategies[] = {BlockStrategy::SN, BlockStrategy::BR, BlockStrategy::RB, BlockStrategy::RBR};
  tessera::AnalysisOptions a;

  a.preprocessing = preprocessings[o.preprocessing];
  a.blocking.ordering = orderings[o.ordering];
  a.blocking.strategy = strategies[o.blocking];
  a.blocking.max_rows = o.block_size;
  a.fill_level = o.fill_level == PETSC_DECIDE      ? tessera::automatic_level
                 : o.fill_level == PETSC_UNLIMITED ? tessera::complete_level
                                                   : o.fill_level;
  return a;
}

tessera::FactorOptions MakeFactorOptions(const PCBILDLTOptions &o, const Analysis &analysis, tessera::Offset entries)
{
  tessera::FactorOptions f;
  const double megabytes =
      o.memory_limit >= 0 ? o.memory_limit : 0.5e-6 * double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
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

/// Analyses the matrix with these options into bildlt->analysis. Sets the failed reason when that cannot be done.
PetscErrorCode Analyze(PC pc, const tessera::SymmetricInput &input, const tessera::AnalysisOptions &options)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);

  PetscFunctionBegin;
  bildlt->factorization.reset();
  PetscCall(PetscLogEventBegin(eventAnalyze, pc, pc->pmat, nullptr, nullptr));
  PetscCallCXX(bildlt->analysis.reset(new Analysis(tessera::analyze_matrix(input.matrix, input.source, options))));
  PetscCall(PetscLogEventEnd(eventAnalyze, pc, pc->pmat, nullptr, nullptr));
  switch (bildlt->analysis->status) {
  case AnalysisStatus::Ok:
    PetscCallCXX(bildlt->factorization = tessera::make_host_factorization(
                     *bildlt->analysis, bildlt->options.precision == PC_BILDLT_PRECISION_SINGLE
                                            ? tessera::Precision::Single
                                            : tessera::Precision::Double));
    break;
  case AnalysisStatus::NonFinite:
    PetscCall(PetscInfo(pc, "Row %" PetscInt_FMT " of the matrix has an infinity or a NaN\n",
                        (PetscInt)bildlt->analysis->faulty_row));
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OTHER));
    break;
  case AnalysisStatus::OrderingFailed:
  case AnalysisStatus::OverBudget:
    PetscCall(PetscInfo(pc, "The pattern of the factor does not fit in memory\n"));
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_OUTMEMORY));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Factors with bildlt->used into bildlt->report.
PetscErrorCode Factor(PC pc, const PetscScalar *values)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(eventFactor, pc, pc->pmat, nullptr, nullptr));
  PetscCall(PetscTime(&begin));
  try {
    bildlt->report = bildlt->factorization->factor(values, bildlt->used);
  } catch (const std::bad_alloc &) {
    bildlt->report.status = FactorReport::OverBudget;
  }
  PetscCall(PetscTime(&end));
  bildlt->factor_seconds = end - begin;
  PetscCall(PetscLogEventEnd(eventFactor, pc, pc->pmat, nullptr, nullptr));
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
PetscErrorCode FactorUntilGood(PC pc, const tessera::SymmetricInput &input, tessera::AnalysisOptions options,
                               const PetscScalar *values)
{
  PC_BILDLT *bildlt = static_cast<PC_BILDLT *>(pc->data);
  bool shrinking = false;

  PetscFunctionBegin;
  for (;; bildlt->strengthened++) {
    Change change = Change::None;
    tessera::FactorOptions next = bildlt->used;

    PetscCall(Factor(pc, values));
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
  Arrays a;
  bool fresh = !bildlt->factorization || bildlt->options_changed || pc->flag == DIFFERENT_NONZERO_PATTERN;

  PetscFunctionBegin;
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  PetscCall(GetArrays(pc->pmat, &a));
  if (!fresh) {
    PetscCall(Factor(pc, a.value));
    fresh = bildlt->options.strengthen && Deteriorated(bildlt->first_report, bildlt->report);
    if (fresh)
      PetscCall(PetscInfo(pc, "Factor much worse than the pattern's first: analysing the matrix again\n"));
  }
  if (fresh) {
    const tessera::AnalysisOptions options = MakeAnalysisOptions(bildlt->options);
    tessera::SymmetricInput input;

    bildlt->factorization.reset(); // so that an error leaves none behind that does not fit the matrix
    bildlt->analysis.reset();
    PetscCall(ReadMatrix(pc->pmat, a, &input));
    bildlt->strengthened = 0;
    bildlt->probe = -1;
    bildlt->probe_passed = PETSC_TRUE;
    PetscCall(Analyze(pc, input, options));
    if (!pc->failedreason) {
      bildlt->used = MakeFactorOptions(bildlt->options, *bildlt->analysis, input.matrix.pattern.entries());
      PetscCall(FactorUntilGood(pc, input, options, a.value));
      bildlt->first_report = bildlt->report;
    }
    bildlt->options_changed = PETSC_FALSE;
  }
  PetscCall(ReturnArrays(pc->pmat, &a));
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
