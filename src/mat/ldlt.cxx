/*
   Analysis and factorization of MATSOLVERTESSERA.
*/
#include <petsc/private/matimpl.h>

#include "base/integers.hpp"
#include "mat/solver.hpp"
#include "pc/factored.hpp"
#include "pc/factored_input.hpp"

#include <new>

namespace {

PetscErrorCode SetFromOptions(Mat F)
{
  MatTesseraOptions &o = MatTesseraData(F)->options;

  PetscFunctionBegin;
  PetscOptionsBegin(PetscObjectComm((PetscObject)F), ((PetscObject)F)->prefix, "Tessera's direct solver", "Mat");
  PetscCall(PetscOptionsRangeReal("-mat_tessera_pivot_threshold", "Entries of L are at most one over this", "None",
                                  o.pivot_threshold, &o.pivot_threshold, nullptr, 1e-12, 0.5));
  PetscCall(PetscOptionsEnum("-mat_tessera_ordering", "Fill-reducing ordering", "None", TesseraOrderings,
                             (PetscEnum)o.ordering, (PetscEnum *)&o.ordering, nullptr));
  PetscCheck(o.ordering != TESSERA_ORDERING_RCM && o.ordering != TESSERA_ORDERING_COLOR,
             PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "-mat_tessera_ordering %s is for incomplete factors: take auto, nd, amd, metis or natural",
             TesseraOrderings[o.ordering]);
  PetscCall(PetscOptionsEnum("-mat_tessera_preprocessing", "Scaling and pairing of rows", "None", TesseraPreprocessings,
                             (PetscEnum)o.preprocessing, (PetscEnum *)&o.preprocessing, nullptr));
  PetscCall(PetscOptionsEnum("-mat_tessera_singular", "What to do with a singular matrix", "None", MatTesseraSingulars,
                             (PetscEnum)o.singular, (PetscEnum *)&o.singular, nullptr));
  PetscCall(PetscOptionsReal("-mat_tessera_refine_target", "Scaled backward error at which refinement ends", "None",
                             o.refine_target, &o.refine_target, nullptr));
  PetscCall(PetscOptionsBoundedInt("-mat_tessera_refine_steps", "Steps of iterative refinement at most", "None",
                                   o.refine_steps, &o.refine_steps, nullptr, 0));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The caller's order of the rows, or none.
PetscErrorCode OrderOf(IS perm, std::vector<tessera::Index> *order)
{
  PetscInt n;
  const PetscInt *row;

  PetscFunctionBegin;
  order->clear();
  if (!perm)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(perm, &n));
  PetscCall(ISGetIndices(perm, &row));
  PetscCallCXX(order->assign(row, row + n));
  PetscCall(ISRestoreIndices(perm, &row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

tessera::PlanOptions MakePlanOptions(const Mat_Tessera &data)
{
  tessera::PlanOptions options;
  const tessera::AnalysisOptions shared = PCFactoredAnalysisOptions(
      data.options.preprocessing, data.options.ordering, TESSERA_BLOCKING_SN, PETSC_DECIDE, 0, defaultMaxTiles);
  options.preprocessing = data.kind == tessera::FactorKind::LLT ? tessera::Preprocessing::None : shared.preprocessing;
  options.ordering = shared.blocking.ordering;
  return options;
}

PetscErrorCode SetError(Mat F, MatFactorError error)
{
  PetscFunctionBegin;
  F->factorerrortype = error;
  MatTesseraData(F)->factored = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes what the C++ code threw a failure of the factorization if it was for want of memory, else an error.
PetscErrorCode CheckError(Mat F, const char during[], const tessera::FirstError &error)
{
  PetscFunctionBegin;
  try {
    error.rethrow();
  } catch (const std::bad_alloc &) {
    PetscCall(PetscInfo(F, "No memory for %s\n", during));
    PetscCall(SetError(F, MAT_FACTOR_OUTMEMORY));
  } catch (const std::exception &thrown) {
    SETERRQ(PetscObjectComm((PetscObject)F), PETSC_ERR_LIB, "In %s: %s", during, thrown.what());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PCs of PETSc factor again after this failure, and after no other one.
PetscErrorCode FailNonFinite(Mat F, tessera::Index row)
{
  PetscFunctionBegin;
  PetscCall(PetscInfo(F, "Row %" PetscInt_FMT " has an infinity or a NaN, in the matrix or by overflow in the factor\n",
                      (PetscInt)row));
  PetscCall(SetError(F, MAT_FACTOR_NUMERIC_ZEROPIVOT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Analyses the matrix, and makes an empty factorization of its pattern.
PetscErrorCode Analyze(Mat F, Mat A)
{
  Mat_Tessera *data = MatTesseraData(F);
  tessera::SymmetricInput input;
  tessera::FirstError error;
  MatInfo info;

  PetscFunctionBegin;
  data->factorization.reset();
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  data->matrix_entries = (PetscInt)info.nz_used;
  PetscCall(PCFactoredReadSymmetric(A, MATSOLVERTESSERA, &input, &error));
  error.guard([&] {
    data->analysis = tessera::make_plan(input.matrix, input.source, MakePlanOptions(*data), data->order);
    if (data->analysis.status == tessera::AnalysisStatus::Ok)
      data->factorization = tessera::make_host_direct(data->analysis.plan, data->kind);
  });
  PetscCall(CheckError(F, "the analysis", error));
  if (F->factorerrortype)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (data->analysis.status == tessera::AnalysisStatus::NonFinite)
    PetscCall(FailNonFinite(F, data->analysis.faulty_row));
  else if (data->analysis.status != tessera::AnalysisStatus::Ok)
    PetscCall(SetError(F, MAT_FACTOR_OUTMEMORY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatCholeskyFactorSymbolic_Tessera(Mat F, Mat A, IS perm, const MatFactorInfo *)
{
  Mat_Tessera *data = MatTesseraData(F);
  PetscBool known, definite;

  PetscFunctionBegin;
  PetscCall(SetError(F, MAT_FACTOR_NOERROR));
  F->ops->choleskyfactornumeric = MatCholeskyFactorNumeric_Tessera;
  PetscCall(SetFromOptions(F));
  PetscCall(MatIsSPDKnown(A, &known, &definite));
  data->kind = known && definite ? tessera::FactorKind::LLT : tessera::FactorKind::LDLT;
  PetscCall(OrderOf(perm, &data->order));
  PetscCall(Analyze(F, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCholeskyFactorNumeric_Tessera(Mat F, Mat A, const MatFactorInfo *)
{
  Mat_Tessera *data = MatTesseraData(F);
  PCFactoredValues values;
  tessera::DirectOptions options;
  tessera::FirstError error;
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(SetError(F, MAT_FACTOR_NOERROR));
  if (!data->factorization) // the analysis failed with other values
    PetscCall(Analyze(F, A));
  if (F->factorerrortype)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCheck(data->matrix_entries == (PetscInt)info.nz_used, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONGSTATE,
             "The matrix has another pattern than the one of the symbolic factorization: call that again");
  options.threshold = data->options.pivot_threshold;
  PetscCall(PCFactoredGetValues(A, tessera::Place::Host, &values));
  error.guard([&] { data->report = data->factorization->factor(values.value, options); });
  PetscCall(PCFactoredRestoreValues(A, &values));
  PetscCall(CheckError(F, "the factorization", error));
  if (F->factorerrortype)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogFlops(2 * data->report.flops));
  F->factorerror_zeropivot_row = data->report.failed_row;
  if (data->report.status == tessera::DirectReport::NonFinite)
    PetscCall(FailNonFinite(F, data->report.failed_row));
  else if (data->report.status == tessera::DirectReport::NotDefinite ||
           (data->report.zero > 0 && data->options.singular == MAT_TESSERA_SINGULAR_FAIL))
    PetscCall(SetError(F, MAT_FACTOR_NUMERIC_ZEROPIVOT));
  PetscCheck(!A->erroriffailure || !F->factorerrortype, PetscObjectComm((PetscObject)F), PETSC_ERR_MAT_LU_ZRPVT,
             "Tessera cannot factor the matrix: %s",
             data->report.status == tessera::DirectReport::NonFinite     ? "it has an infinity or a NaN"
             : data->report.status == tessera::DirectReport::NotDefinite ? "it is not positive definite"
                                                                         : "it is singular");
  data->factored = data->report.status == tessera::DirectReport::Complete;
  F->assembled = PETSC_TRUE;
  F->preallocated = PETSC_TRUE;
  F->ops->solve = MatSolve_Tessera;
  F->ops->solvetranspose = MatSolve_Tessera;
  F->ops->matsolve = MatMatSolve_Tessera;
  F->ops->matsolvetranspose = MatMatSolve_Tessera;
  F->ops->getinertia = MatGetInertia_Tessera;
  PetscFunctionReturn(PETSC_SUCCESS);
}
