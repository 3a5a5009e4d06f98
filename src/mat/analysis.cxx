/*
   How MATSOLVERTESSERA reads and analyses its matrix.
*/
#include "factor/front/direct_factorization.hpp"
#include "factor/front/predicted_time.hpp"
#include "mat/solver.hpp"
#include "seam/enumerations.hpp"
#include "seam/log_steps.hpp"

#include <algorithm>
#include <omp.h>

namespace {

std::uint64_t HashOfTwo(std::uint64_t hash, std::uint64_t number)
{
  hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

/// The bits of whole numbers, in their order: of parts, each by one thread, and then of what these have. Two patterns
/// have the same hash by an accident of 1 in 2^64 only.
std::uint64_t Hash(const PetscInt *number, PetscCount count, std::uint64_t hash)
{
  constexpr PetscCount part = 1 << 16, parts_at_once = 64;
  std::uint64_t of_part[parts_at_once];

  for (PetscCount first = 0; first < count; first += part * parts_at_once) {
    const PetscCount parts = std::min(parts_at_once, (count - first + part - 1) / part);
#pragma omp parallel for schedule(static) if (parts > 1)
    for (PetscCount k = 0; k < parts; k++) {
      const PetscCount begin = first + k * part, end = std::min(count, begin + part);
      of_part[k] = std::uint64_t(end - begin);
      for (PetscCount i = begin; i < end; i++)
        of_part[k] = HashOfTwo(of_part[k], std::uint64_t(number[i]));
    }
    for (PetscCount k = 0; k < parts; k++)
      hash = HashOfTwo(hash, of_part[k]);
  }
  return hash;
}

PetscErrorCode HashRows(Mat A, std::uint64_t *hash)
{
  PetscBool sbaij, done;
  PetscInt rows;
  const PetscInt *start, *column;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQSBAIJ, &sbaij));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, sbaij, &rows, &start, &column, &done));
  PetscCheck(done, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "Matrix of type %s does not give its rows",
             ((PetscObject)A)->type_name);
  *hash = Hash(column, start[rows], Hash(start, rows + 1, 1));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, sbaij, &rows, &start, &column, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The pattern but for its hash.
PetscErrorCode GetPatternQuickly(Mat A, MatTesseraPattern *pattern)
{
  PetscBool dense;
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &pattern->matrix));
  PetscCall(MatGetNonzeroState(A, &pattern->state));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  pattern->entries = (PetscInt)info.nz_used;
  PetscCall(MatTesseraIsDense(A, &dense));
  if (dense)
    PetscCall(MatDenseGetLDA(A, &pattern->leading));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What a factorization is going to take, before memory for it is asked for.
PetscErrorCode InfoOnPlan(Mat F, const tessera::FrontPlan &plan, bool device)
{
  const int threads = omp_get_max_threads();

  PetscFunctionBegin;
  PetscCall(PetscInfo(F,
                      "The factor has %lld entries (%.3g MB) in %" PetscInt_FMT " fronts of at most %" PetscInt_FMT
                      " rows; it takes %.3g multiplications and additions without delayed pivots\n",
                      (long long)plan.factor_entries, 1e-6 * sizeof(PetscScalar) * (double)plan.factor_entries,
                      (PetscInt)plan.tree.fronts(), (PetscInt)plan.largest_front, plan.flops));
  if (device)
    PetscCall(
        PetscInfo(F, "An NVIDIA H200 is predicted to take %.2g s for that\n", tessera::predicted_device_time(plan)));
  else
    PetscCall(PetscInfo(F, "%d cores of an AMD EPYC (Zen 5) are predicted to take %.2g s for that\n", threads,
                        (PetscDefined(USE_COMPLEX) ? 4 : 1) * tessera::predicted_host_time(plan, threads)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatTesseraIsDense(Mat A, PetscBool *dense)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQDENSE, dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

tessera::Ordering MatTesseraOrderingOf(const Mat_Tessera &data, bool dense)
{
  return dense ? tessera::Ordering::Natural : TesseraOrderingOf(data.options.ordering);
}

PetscErrorCode MatTesseraIdentifyValues(Mat A, MatTesseraValues *values)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &values->matrix));
  PetscCall(PetscObjectStateGet((PetscObject)A, &values->state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraGetPattern(Mat A, MatTesseraPattern *pattern)
{
  PetscBool dense;

  PetscFunctionBegin;
  *pattern = {}; // a sparse matrix has no leading dimension, a dense one no hash
  PetscCall(GetPatternQuickly(A, pattern));
  PetscCall(MatTesseraIsDense(A, &dense));
  if (!dense)
    PetscCall(HashRows(A, &pattern->hash));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraHasPattern(Mat A, const MatTesseraPattern &known, PetscBool *same)
{
  MatTesseraPattern pattern;

  PetscFunctionBegin;
  PetscCall(GetPatternQuickly(A, &pattern));
  *same = (PetscBool)(pattern.entries == known.entries && pattern.leading == known.leading);
  if (!*same || (pattern.matrix == known.matrix && pattern.state == known.state))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatTesseraGetPattern(A, &pattern));
  *same = (PetscBool)(pattern.hash == known.hash);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraAnalyzeFor(Mat F, Mat A, bool device)
{
  Mat_Tessera *data = MatTesseraData(F);
  tessera::AnalysisStatus status;
  tessera::FirstError error;
  TesseraLogSteps log((PetscObject)F, (PetscObject)A);

  PetscFunctionBegin;
  data->factorization.reset();
  PetscCall(MatTesseraGetPattern(A, &data->pattern));
  PetscCall(MatTesseraIdentifyValues(A, &data->analysed));
  PetscCall(data->analyze(F, A, device, &log, &error));
  PetscCall(log.error());
  PetscCall(MatTesseraCheckError(F, "the analysis", error));
  if (F->factorerrortype)
    PetscFunctionReturn(PETSC_SUCCESS);
  status = data->lu ? data->lu_analysis.status : data->analysis.status;
  if (status == tessera::AnalysisStatus::NonFinite) {
    PetscCall(MatTesseraFailNonFinite(F, data->lu ? data->lu_analysis.faulty_row : data->analysis.faulty_row));
    PetscFunctionReturn(PETSC_SUCCESS);
  } else if (status != tessera::AnalysisStatus::Ok) {
    PetscCall(MatTesseraSetError(F, MAT_FACTOR_OUTMEMORY));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(InfoOnPlan(F, data->plan(), device));
  error.guard([&] { data->factorization = data->make(*data, device); });
  PetscCall(MatTesseraCheckError(F, "the analysis", error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraAnalyze(Mat F, Mat A, const MatFactorInfo *info)
{
  Mat_Tessera *data = MatTesseraData(F);
  PetscBool wanted;
  bool device;

  PetscFunctionBegin;
  data->factorization.reset(); // so that an error leaves none behind that does not fit the matrix
  data->left_to_host = false;
  data->accurate_threshold = data->sure_threshold = data->usual_error = 0;
  PetscCall(MatTesseraWantsDevice(F, A, info, &wanted));
  device = wanted && !data->host_only() && !tessera::visible_cuda_devices().empty();
  PetscCheck(device || data->options.backend != TESSERA_BACKEND_CUDA, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "-mat_tessera_backend cuda needs a libtessera built with the preset cuda, and a GPU that this process may "
             "use. -mat_tessera_backend host factors on the host");
  PetscCall(MatTesseraAnalyzeFor(F, A, device));
  if (F->factorerrortype)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (wanted && data->factorization->place() == tessera::Place::Host)
    PetscCall(PetscInfo(F, "%s%s: a matrix in device memory is factored on the host\n",
                        data->host_only() ? data->host_only() : "Built without CUDA",
                        data->host_only() ? " has no GPU backend yet" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}
