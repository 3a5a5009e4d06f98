/*
   Symbolic and numeric factorization of MATSOLVERTESSERA.
*/
#include "base/backend_error.hpp"
#include "mat/place.hpp"
#include "mat/solver.hpp"
#include "seam/copies.hpp"

#include <new>

namespace {

PetscLogEvent leftToHost; // counts matrices, and times their factorizations

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

/// How pivots are kept: on the host, and never by a factorization that stands in for one on a GPU.
PetscErrorCode SetKeeping(Mat F, Mat A, tessera::DirectOptions *options)
{
  const Mat_Tessera *data = MatTesseraData(F);
  MatTesseraValues values;

  PetscFunctionBegin;
  PetscCall(MatTesseraIdentifyValues(A, &values));
  const bool on_device = data->factorization->place() == tessera::Place::Device;
  options->keep_pivots = data->options.reuse_pivots && !data->left_to_host && !on_device;
  // Another analysis of the same values would be the same.
  options->other_values = !(values == data->analysed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs the factorization with the values of A.
PetscErrorCode Factor(Mat F, Mat A)
{
  Mat_Tessera *data = MatTesseraData(F);
  MatTesseraArray values{data->factorization->place(), false};
  const bool on_device = values.place == tessera::Place::Device;
  tessera::DirectOptions options;
  tessera::FirstError error;

  PetscFunctionBegin;
  PetscCall(SetKeeping(F, A, &options));
  options.search_threshold = data->options.pivot_threshold;
  options.threshold = data->threshold(options.other_values, on_device);
  data->factor_threshold = options.threshold;
  data->has_later_threshold = data->chooses_pivots() && options.threshold < data->options.pivot_threshold;
  PetscCall(MatTesseraGetValues(A, &values));
  if (on_device)
    PetscCall(PetscLogGpuTimeBegin());
  error.guard([&] { data->report = data->factorization->factor(values.value, options); });
  if (on_device)
    PetscCall(PetscLogGpuTimeEnd());
  PetscCall(MatTesseraRestoreValues(A, &values));
  PetscCall(MatTesseraCheckError(F, "the factorization", error));
  if (F->factorerrortype)
    PetscFunctionReturn(PETSC_SUCCESS); // without a factorization
  PetscCall(TesseraLogCopies(data->factorization->take_copies()));
  if (data->report.rescales > 0)
    PetscCall(PetscInfo(F, "%s: scale factors were renewed, for this matrix and the next ones\n",
                        on_device ? "Pivots failed on the GPU" : "Scale factors did not go with the values"));
  if (data->report.delay_rounds > 0)
    PetscCall(PetscInfo(F,
                        "Pivots failed on the GPU: it has delayed columns, and factored %" PetscInt_FMT
                        " times again, for this matrix and the next ones\n",
                        (PetscInt)data->report.delay_rounds));
  if (data->report.forgotten_orders > 0)
    PetscCall(PetscInfo(F,
                        "Pivots failed on the GPU in the order that was found for an earlier matrix: it has factored "
                        "once more, without that\n"));
  if (data->report.reorders > 0)
    PetscCall(PetscInfo(F,
                        "Pivots were searched on the GPU: it takes the order that was found, and has factored once "
                        "more, for this matrix and the next ones, with searches in %lld panels\n",
                        (long long)data->report.searched_panels));
  if (data->report.searches > 0)
    PetscCall(PetscInfo(F,
                        "The GPU could not take the pivots as they were planned: the host searched them %" PetscInt_FMT
                        " times, for this matrix and the next ones\n",
                        (PetscInt)data->report.searches));
  if (data->report.measured > 0)
    PetscCall(PetscInfo(F, "Has measured %lld zero or uncertain pivots together: %lld of them are not zero\n",
                        (long long)data->report.measured, (long long)data->report.bordered));
  if (data->report.again > 0)
    PetscCall(PetscInfo(F, "Has factored %" PetscInt_FMT " times again for zero and uncertain pivots\n",
                        (PetscInt)data->report.again));
  if (data->report.asked_host)
    PetscCall(PetscInfo(
        F, "The GPU has found zero or uncertain pivots that it cannot measure: the host factors the matrix, and %s\n",
        data->report.status == tessera::DirectReport::Complete ? "finds the same inertia" : "finds another inertia"));
  if (data->report.tightened)
    PetscCall(
        PetscInfo(F,
                  "Solutions with the factor of a singular matrix grew beyond measure: factored again with a pivot "
                  "threshold of %g\n",
                  tessera::largest_threshold));
  if (options.keep_pivots)
    PetscCall(
        PetscInfo(F,
                  "Factored with kept pivots, by a plan of %.3g multiplications and additions, after %" PetscInt_FMT
                  " plans of found pivots: %lld delays\n",
                  data->report.planned, (PetscInt)data->report.replans, (long long)data->report.delayed));
  PetscCall(on_device ? PetscLogGpuFlops(data->report.flops) : PetscLogFlops(data->report.flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// An empty factorization on the host of what was analysed for a GPU. For LU a GPU's plan is not the host's, which
/// keeps rows and columns of symmetric patterns together and takes the diagonal blocks that the GPU left.
PetscErrorCode MakeOnHost(Mat F, Mat A)
{
  Mat_Tessera *data = MatTesseraData(F);
  tessera::FirstError error;

  PetscFunctionBegin;
  if (data->lu) {
    PetscCall(PetscInfo(F, "The host has another plan than the GPU: analyses for it\n"));
    data->block_triangular = data->block_triangular || data->lu_analysis.left_levels > 0;
    PetscCall(MatTesseraAnalyzeFor(F, A, false));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  data->factorization.reset();
  error.guard([&] { data->factorization = data->make(*data, false); });
  PetscCall(MatTesseraCheckError(F, "the factorization", error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Factors on the host what the GPU cannot, and what follows until ReturnToDevice().
PetscErrorCode FactorOnHost(Mat F, Mat A)
{
  PetscFunctionBegin;
  PetscCall(PetscInfo(F, "The GPU could not take the pivots that the host found, or it is in doubt whether zero pivots "
                         "are zero: factors on the host\n"));
  PetscCall(PetscLogEventBegin(leftToHost, F, A, nullptr, nullptr));
  MatTesseraData(F)->left_to_host = true;
  PetscCall(MakeOnHost(F, A));
  if (!F->factorerrortype)
    PetscCall(Factor(F, A));
  PetscCall(PetscLogEventEnd(leftToHost, F, A, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Analyses A anew, and factors it, whatever that takes: too many pivots of the old analysis fail.
PetscErrorCode FactorAnew(Mat F, Mat A, const MatFactorInfo *info)
{
  Mat_Tessera *data = MatTesseraData(F);

  PetscFunctionBegin;
  PetscCall(PetscInfo(F,
                      "Pivots fail with the values of now, and others would take longer than a new analysis: matches "
                      "and orders the matrix anew\n"));
  ++data->analyses_anew;
  PetscCall(MatTesseraAnalyze(F, A, info));
  if (!F->factorerrortype)
    PetscCall(Factor(F, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Analyses A anew for the GPU, which has left an earlier matrix to the host, and may take the pivots of this one:
/// after 1, 2, 4, 8 ... factorizations on the host, as it may fail again.
PetscErrorCode ReturnToDevice(Mat F, Mat A, const MatFactorInfo *info)
{
  Mat_Tessera *data = MatTesseraData(F);
  const MatTesseraValues before = data->last;

  PetscFunctionBegin;
  PetscCall(MatTesseraIdentifyValues(A, &data->last));
  if (!data->left_to_host || data->last == before || ++data->host_factors < data->most_host_factors)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInfo(F, "%" PetscInt_FMT " matrices were factored on the host: analyses this one for the GPU\n",
                      data->host_factors));
  data->host_factors = 0;
  data->most_host_factors *= 2;
  ++data->analyses_anew;
  PetscCall(MatTesseraAnalyze(F, A, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Analyses A anew where its values are of another kind than those that were analysed.
PetscErrorCode FitAnalysis(Mat F, Mat A, const MatFactorInfo *info)
{
  Mat_Tessera *data = MatTesseraData(F);
  PetscBool fits = PETSC_TRUE;
  tessera::FirstError error;

  PetscFunctionBegin;
  if (data->fits)
    PetscCall(data->fits(F, A, &fits, &error));
  PetscCall(MatTesseraCheckError(F, "the analysis", error));
  if (!fits && !F->factorerrortype) {
    PetscCall(PetscInfo(F, "The matrix was %s and is no longer: it is analysed anew\n",
                        data->hermitian() ? "Hermitian" : "symmetric"));
    PetscCall(MatTesseraAnalyze(F, A, info));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// LU of a matrix that was symmetric when it was analysed.
PetscErrorCode FactorUnsymmetric(Mat F, Mat A, const MatFactorInfo *info)
{
  Mat_Tessera *data = MatTesseraData(F);

  PetscFunctionBegin;
  PetscCall(PetscInfo(F, "Row %" PetscInt_FMT " is not that of a symmetric matrix any more: analyses for LU\n",
                      (PetscInt)data->report.failed_row));
  data->ceased_symmetric = true;
  PetscCall(MatTesseraAnalyze(F, A, info));
  if (!F->factorerrortype)
    PetscCall(Factor(F, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether a factor is of a singular matrix with diagonal blocks of their own: its rank is then not known, and it may
/// not solve consistent systems. A GPU measures the zero pivots of all blocks together.
bool HidesRank(const Mat_Tessera &data)
{
  const bool measured = data.report.measured > 0 && data.factorization->place() == tessera::Place::Device;
  return data.lu && data.report.status == tessera::DirectReport::Complete && data.report.zero > 0 && !measured &&
         data.lu_analysis.plan.block.size() > 1 && data.block_triangular;
}

/// Factors as a whole what is singular in one of its diagonal blocks.
PetscErrorCode FactorWhole(Mat F, Mat A, const MatFactorInfo *info)
{
  Mat_Tessera *data = MatTesseraData(F);

  PetscFunctionBegin;
  PetscCall(PetscInfo(F, "A diagonal block of the block triangular form is singular: factors the matrix as a whole\n"));
  data->block_triangular = false;
  PetscCall(MatTesseraAnalyze(F, A, info));
  if (!F->factorerrortype)
    PetscCall(Factor(F, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Turns a report of failure into PETSc's error.
PetscErrorCode CheckReport(Mat F)
{
  const Mat_Tessera &data = *MatTesseraData(F);

  PetscFunctionBegin;
  F->factorerror_zeropivot_row = data.report.failed_row;
  if (data.report.status == tessera::DirectReport::NonFinite)
    PetscCall(MatTesseraFailNonFinite(F, data.report.failed_row));
  else if (data.report.status == tessera::DirectReport::NotDefinite)
    PetscCall(MatTesseraSetError(F, MAT_FACTOR_NUMERIC_ZEROPIVOT));
  else if (data.report.zero > 0 && data.options.singular == MAT_TESSERA_SINGULAR_FAIL)
    PetscCall(MatTesseraSetError(F, MAT_FACTOR_NUMERIC_ZEROPIVOT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Factors A with what was analysed, analyses it anew where that does not do, and leaves it to the host where the GPU
/// cannot.
PetscErrorCode FactorAsNeeded(Mat F, Mat A, const MatFactorInfo *info)
{
  const Mat_Tessera *data = MatTesseraData(F);

  PetscFunctionBegin;
  PetscCall(Factor(F, A));
  if (!F->factorerrortype && data->report.status == tessera::DirectReport::NotSymmetric)
    PetscCall(FactorUnsymmetric(F, A, info));
  if (!F->factorerrortype && data->report.status == tessera::DirectReport::Cascade)
    PetscCall(FactorAnew(F, A, info));
  if (!F->factorerrortype && data->report.status == tessera::DirectReport::NeedsHost)
    PetscCall(FactorOnHost(F, A));
  if (!F->factorerrortype && HidesRank(*data)) {
    PetscCall(FactorWhole(F, A, info));
    if (!F->factorerrortype && data->report.status == tessera::DirectReport::NeedsHost)
      PetscCall(FactorOnHost(F, A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Keeps hold of A where it may have to be factored again.
PetscErrorCode KeepMatrix(Mat F, Mat A, const MatFactorInfo *info)
{
  Mat_Tessera *data = MatTesseraData(F);

  PetscFunctionBegin;
  if (data->has_later_threshold) {
    data->info = *info;
    PetscCall(PetscObjectReference((PetscObject)A));
  }
  PetscCall(MatDestroy(&data->matrix));
  data->matrix = data->has_later_threshold ? A : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Factors A, with a larger pivot threshold where a smaller one leaves zero or uncertain pivots, and then with the
/// usual one: what is added by small pivots may hide what is left.
PetscErrorCode FactorUntilSure(Mat F, Mat A, const MatFactorInfo *info)
{
  Mat_Tessera *data = MatTesseraData(F);
  bool is_first = true;

  PetscFunctionBegin;
  PetscCall(FactorAsNeeded(F, A, info));
  while (!F->factorerrortype && data->has_later_threshold && data->report.zero + data->report.uncertain > 0) {
    data->sure_threshold = is_first ? data->stricter_threshold() : data->options.pivot_threshold;
    is_first = false;
    PetscCall(PetscInfo(F,
                        "%lld zero and %lld uncertain pivots with the pivot threshold %g: factors again with %g, which "
                        "later matrices have until the next analysis\n",
                        (long long)data->report.zero, (long long)data->report.uncertain, (double)data->factor_threshold,
                        (double)data->sure_threshold));
    PetscCall(FactorAsNeeded(F, A, info));
  }
  PetscCall(KeepMatrix(F, A, info));
  if (!F->factorerrortype) {
    PetscCall(CheckReport(F));
    data->factored = data->report.status == tessera::DirectReport::Complete;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *ReasonOfFailure(const Mat_Tessera &data, MatFactorError error)
{
  if (error == MAT_FACTOR_OUTMEMORY)
    return "there is no memory for it";
  if (data.report.status == tessera::DirectReport::NotDefinite)
    return "it is not positive definite";
  if (data.factored)
    return "it is singular";
  return "it has an infinity or a NaN";
}

/// A failure is an error where the user wants it to be one.
PetscErrorCode EndFactor(Mat F, Mat A)
{
  PetscFunctionBegin;
  PetscCheck(!A->erroriffailure || !F->factorerrortype, PetscObjectComm((PetscObject)F), PETSC_ERR_MAT_LU_ZRPVT,
             "Tessera cannot factor the matrix: %s", ReasonOfFailure(*MatTesseraData(F), F->factorerrortype));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetSolves(Mat F)
{
  const Mat_Tessera *data = MatTesseraData(F);
  const bool cholesky = F->factortype == MAT_FACTOR_CHOLESKY;
  const bool halves =
      !data->factorization || (cholesky && data->factorization->halves()); // without a factor they flag results

  PetscFunctionBegin;
  F->assembled = PETSC_TRUE;
  F->preallocated = PETSC_TRUE;
  F->ops->solve = MatSolve_Tessera;
  F->ops->solvetranspose = MatSolveTranspose_Tessera;
  F->ops->forwardsolve = halves ? MatForwardSolve_Tessera : nullptr;
  F->ops->backwardsolve = halves ? MatBackwardSolve_Tessera : nullptr;
  F->ops->matsolve = MatMatSolve_Tessera;
  F->ops->matsolvetranspose = MatMatSolveTranspose_Tessera;
  F->ops->getinertia = cholesky ? MatGetInertia_Tessera : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatTesseraRegisterEvents()
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventRegister("MatTesseraToHost", MAT_CLASSID, &leftToHost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraSetError(Mat F, MatFactorError error)
{
  PetscFunctionBegin;
  F->factorerrortype = error;
  MatTesseraData(F)->factored = false;
  MatTesseraData(F)->solve_error = MAT_FACTOR_NOERROR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraCheckError(Mat F, const char during[], const tessera::FirstError &error)
{
  Mat_Tessera *data = MatTesseraData(F);

  PetscFunctionBegin;
  try {
    error.rethrow();
  } catch (const std::bad_alloc &) {
    PetscCall(PetscInfo(F, "No memory for %s\n", during));
    PetscCall(MatTesseraSetError(F, MAT_FACTOR_OUTMEMORY));
    data->factorization.reset(); // others may need what it has
    data->analysis = {};
    data->lu_analysis = {};
  } catch (const tessera::UnsupportedDevice &thrown) {
    SETERRQ(PetscObjectComm((PetscObject)F), PETSC_ERR_SUP, "%s. -mat_tessera_backend host factors on the host",
            thrown.what());
  } catch (const std::exception &thrown) {
    SETERRQ(PetscObjectComm((PetscObject)F), PETSC_ERR_LIB, "In %s: %s", during, thrown.what());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraFailNonFinite(Mat F, tessera::Index row)
{
  PetscFunctionBegin;
  PetscCall(PetscInfo(F, "Row %" PetscInt_FMT " has an infinity or a NaN, in the matrix or by overflow in the factor\n",
                      (PetscInt)row));
  // PCs of PETSc factor again after this failure, and after no other one.
  PetscCall(MatTesseraSetError(F, MAT_FACTOR_NUMERIC_ZEROPIVOT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraFactorSymbolic(Mat F, Mat A, IS perm, const MatFactorInfo *info)
{
  Mat_Tessera *data = MatTesseraData(F);

  PetscFunctionBegin;
  PetscCall(MatTesseraSetError(F, MAT_FACTOR_NOERROR));
  PetscCall(MatTesseraTakeInfo(F, info));
  PetscCall(MatTesseraSetFromOptions(F));
  PetscCall(OrderOf(perm, &data->order));
  data->analyses_anew = data->host_factors = 0;
  data->most_host_factors = 1;
  data->block_triangular = true;
  PetscCall(MatTesseraAnalyze(F, A, info));
  PetscCall(EndFactor(F, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraFactorNumeric(Mat F, Mat A, const MatFactorInfo *info)
{
  Mat_Tessera *data = MatTesseraData(F);
  PetscBool same = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(MatTesseraSetError(F, MAT_FACTOR_NOERROR));
  data->report = {};
  data->solved = {};
  data->singular = {};
  if (!data->factorization) // the analysis failed, with other values or when there was less memory
    PetscCall(MatTesseraAnalyze(F, A, info));
  else
    PetscCall(MatTesseraHasPattern(A, data->pattern, &same));
  PetscCheck(same, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONGSTATE,
             "The matrix has another pattern than that of the symbolic factorization: call "
             "Mat%sFactorSymbolic() again",
             F->factortype == MAT_FACTOR_LU ? "LU" : "Cholesky");
  if (!F->factorerrortype)
    PetscCall(FitAnalysis(F, A, info));
  if (!F->factorerrortype)
    PetscCall(ReturnToDevice(F, A, info));
  if (!F->factorerrortype)
    PetscCall(FactorUntilSure(F, A, info));
  PetscCall(SetSolves(F));
  PetscCall(EndFactor(F, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraFactorMoreStrictly(Mat F, PetscBool *done)
{
  Mat_Tessera *data = MatTesseraData(F);
  const PetscReal stricter = data->stricter_threshold();
  const bool far = data->is_far(data->solved.backward_error);
  MatTesseraValues now;
  MatFactorInfo info;

  PetscFunctionBegin;
  (far ? data->sure_threshold : data->accurate_threshold) = stricter;
  PetscCall(MatTesseraIdentifyValues(data->matrix, &now));
  *done = (PetscBool)(far && now == data->last);
  PetscCall(
      PetscInfo(F,
                "A solution has the scaled backward error %.1e with the pivot threshold %g: %s the pivot threshold "
                "%g until the next analysis\n",
                data->solved.backward_error, (double)data->factor_threshold,
                *done ? "factors the matrix again, and later ones, with" : "later matrices have", (double)stricter));
  if (!*done)
    PetscFunctionReturn(PETSC_SUCCESS);
  info = data->info;
  data->singular = {};
  PetscCall(FactorUntilSure(F, data->matrix, &info));
  PetscCall(SetSolves(F));
  PetscFunctionReturn(PETSC_SUCCESS);
}
