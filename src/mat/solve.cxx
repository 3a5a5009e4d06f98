/*
   Solves with a factor of MATSOLVERTESSERA.
*/
#include "base/integers.hpp"
#include "mat/place.hpp"
#include "mat/solver.hpp"
#include "seam/copies.hpp"

#include <cmath>

namespace {

/// Runs a solve, or half of one, and logs what that took.
template <class Run>
PetscErrorCode RunSolve(Mat F, PetscInt columns, PetscReal share, const Run &run)
{
  Mat_Tessera *data = MatTesseraData(F);
  const bool on_device = data->factorization->place() == tessera::Place::Device;
  PetscLogDouble flops;
  tessera::FirstError error;

  PetscFunctionBegin;
  data->solved = {};
  data->solve_error = MAT_FACTOR_NOERROR;
  if (on_device)
    PetscCall(PetscLogGpuTimeBegin());
  error.guard([&] {
    try {
      run(*data->factorization);
    } catch (const std::bad_alloc &) { // not an error, and the factor is as good as before
      data->solve_error = MAT_FACTOR_OUTMEMORY;
    }
  });
  if (on_device)
    PetscCall(PetscLogGpuTimeEnd());
  PetscCall(MatTesseraCheckError(F, "the solve", error));
  PetscCall(TesseraLogCopies(data->factorization->take_copies()));
  if (data->solve_error)
    PetscCall(PetscInfo(F, "No memory for the solve\n"));
  flops = 4.0 * share * static_cast<PetscLogDouble>(data->report.entries) * static_cast<PetscLogDouble>(columns) *
          (1 + data->solved.steps);
  PetscCall(on_device ? PetscLogGpuFlops(flops) : PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether a solution is to be looked at for infinities and NaNs. It has none where a backward error came out, which is
/// measured unless the user does not want that. Then a solve in device memory does not wait for its result.
bool MayOverflow(Mat F)
{
  const double error = MatTesseraData(F)->solved.backward_error;

  return error < 0 ? MatTesseraData(F)->factorization->place() == tessera::Place::Host : !std::isfinite(error);
}

/// Whether there is no result, for want of a factor or of memory.
bool HasFailed(Mat F)
{
  return F->factorerrortype || MatTesseraData(F)->solve_error;
}

/// Flags a solution that is not finite, and makes that the failure of the solve. Sums of magnitudes are what the BLAS
/// of every memory hands a NaN on in; squares would overflow before.
PetscErrorCode CheckSolution(Mat F, Vec x)
{
  Mat_Tessera *data = MatTesseraData(F);
  PetscReal size;

  PetscFunctionBegin;
  PetscCall(VecNorm(x, NORM_1, &size));
  if (PetscIsInfOrNanReal(size)) {
    if (!data->solve_error)
      PetscCall(PetscInfo(F,
                          "The solution overflows: the matrix may be singular but for rounding, or the right-hand side "
                          "too large\n"));
    data->solve_error = MAT_FACTOR_OTHER;
    data->solved.backward_error = INFINITY;
    PetscCall(VecFlag(x, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// As CheckSolution() for each column.
PetscErrorCode CheckSolutions(Mat F, Mat X)
{
  PetscInt columns;
  Vec x;

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, nullptr, &columns));
  for (PetscInt j = 0; j < columns; j++) {
    PetscCall(MatDenseGetColumnVec(X, j, &x));
    PetscCall(CheckSolution(F, x));
    PetscCall(MatDenseRestoreColumnVec(X, j, &x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Ends a solve for a vector: flags a result that is none.
PetscErrorCode EndSolve(Mat F, Vec x)
{
  PetscFunctionBegin;
  if (HasFailed(F))
    PetscCall(VecFlag(x, PETSC_TRUE));
  else if (MayOverflow(F))
    PetscCall(CheckSolution(F, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether there is a factor to solve with. There is none after a factorization that failed, whose results PETSc wants
/// flagged; before the first one, and after a new analysis, it is an error.
PetscErrorCode HasFactor(Mat F, bool *has)
{
  PetscFunctionBegin;
  *has = !F->factorerrortype;
  if (*has)
    PetscCall(MatTesseraCheckFactored(F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

tessera::Place PlaceOf(Mat F)
{
  return MatTesseraData(F)->factorization->place();
}

/// Takes what the last solve tells of the matrix, and says so once where that may be singular and the factor is not.
PetscErrorCode TakeSingularDistance(Mat F)
{
  Mat_Tessera *data = MatTesseraData(F);
  const bool known = data->singular.is_rounding || data->report.zero > 0;

  PetscFunctionBegin;
  data->singular.take(data->solved.singular);
  if (!known && data->singular.is_rounding)
    PetscCall(PetscInfo(F,
                        "A solution shows that changes of the entries of the matrix by %.1e of each make it singular, "
                        "as their rounding may have done; the factor has no zero pivot\n",
                        data->singular.least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve(Mat F, bool transposed, PetscInt columns, const MatTesseraArray &b, const MatTesseraArray &x)
{
  Mat_Tessera *data = MatTesseraData(F);
  const tessera::RefinementOptions refinement{data->options.refine_target, tessera::Index(data->options.refine_steps)};

  PetscFunctionBegin;
  PetscCall(RunSolve(F, columns, 1, [&](MatTesseraFactorization &factorization) {
    const auto n = tessera::Index(columns);
    data->solved = transposed ? factorization.solve_transposed(n, b.value, b.leading, x.value, x.leading, refinement)
                              : factorization.solve(n, b.value, b.leading, x.value, x.leading, refinement);
  }));
  PetscCall(TakeSingularDistance(F));
  if (data->solved.at_a_time > 0)
    PetscCall(PetscInfo(F,
                        "The GPU has no memory to solve for more than %" PetscInt_FMT " right-hand sides at a time, "
                        "which takes longer\n",
                        (PetscInt)data->solved.at_a_time));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// After a solve: whether it is far from its target and there is another factor, which may do better.
PetscErrorCode MendFactor(Mat F, bool *mended)
{
  Mat_Tessera *data = MatTesseraData(F);
  const double error = data->solved.backward_error;
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  if (data->options.refine_steps > 0 && !(error <= data->options.refine_target)) {
    if (!data->has_later_threshold)
      data->usual_error = std::isnan(error) ? PETSC_INFINITY : std::max<PetscReal>(data->usual_error, error);
    else if (data->usual_error == 0 || data->is_far(error))
      PetscCall(MatTesseraFactorMoreStrictly(F, &done));
  }
  *mended = done;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves, and again where another factor may do better, which may be in another place.
template <class Once>
PetscErrorCode SolveAndMend(Mat F, const Once &once)
{
  bool has_factor, mended = true;

  PetscFunctionBegin;
  PetscCall(HasFactor(F, &has_factor));
  while (has_factor && mended) {
    PetscCall(once(MatTesseraArray{PlaceOf(F), false}, MatTesseraArray{PlaceOf(F), true}));
    PetscCall(MendFactor(F, &mended));
    PetscCall(HasFactor(F, &has_factor));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// One half of a solve.
PetscErrorCode SolveHalf(Mat F, Vec b, Vec x, bool forward)
{
  bool has_factor;

  PetscFunctionBegin;
  PetscCall(HasFactor(F, &has_factor));
  if (has_factor) {
    MatTesseraArray from{PlaceOf(F), false}, to{PlaceOf(F), true};

    PetscCall(MatTesseraGetVec(b, &from));
    PetscCall(MatTesseraGetVec(x, &to));
    PetscCall(RunSolve(F, 1, 0.5, [&](MatTesseraFactorization &factorization) {
      tessera::SolveHalvesOf<PetscScalar> &halves = *factorization.halves();
      forward ? halves.forward(from.value, to.value) : halves.backward(from.value, to.value);
    }));
    PetscCall(MatTesseraRestoreVec(x, &to));
    PetscCall(MatTesseraRestoreVec(b, &from));
  }
  PetscCall(EndSolve(F, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveVec(Mat F, bool transposed, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(SolveAndMend(F, [&](MatTesseraArray from, MatTesseraArray to) {
    PetscFunctionBegin;
    PetscCall(MatTesseraGetVec(b, &from));
    PetscCall(MatTesseraGetVec(x, &to));
    PetscCall(Solve(F, transposed, 1, from, to));
    PetscCall(MatTesseraRestoreVec(x, &to));
    PetscCall(MatTesseraRestoreVec(b, &from));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(EndSolve(F, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveDense(Mat F, bool transposed, Mat B, Mat X)
{
  PetscInt columns;
  Mat right = B;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, nullptr, &columns));
  PetscCheck(tessera::fits_index(columns), PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_OUTOFRANGE,
             "Solver type " MATSOLVERTESSERA " takes at most 2147483647 right-hand sides at a time, not %" PetscInt_FMT,
             columns);
  if (B == X) // which MatMatSolve() allows; refinement needs B to its end
    PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &right));
  // PETSc 3.25 asks for several right-hand sides even after a failure, as it does not for one.
  PetscCall(SolveAndMend(F, [&](MatTesseraArray from, MatTesseraArray to) {
    PetscFunctionBegin;
    PetscCall(MatTesseraGetDense(right, &from));
    PetscCall(MatTesseraGetDense(X, &to));
    PetscCall(Solve(F, transposed, columns, from, to));
    PetscCall(MatTesseraRestoreDense(X, &to));
    PetscCall(MatTesseraRestoreDense(right, &from));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  if (right != B)
    PetscCall(MatDestroy(&right));
  if (HasFailed(F))
    PetscCall(TesseraMatFlag(X));
  else if (MayOverflow(F))
    PetscCall(CheckSolutions(F, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatSolve_Tessera(Mat F, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(SolveVec(F, false, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSolveTranspose_Tessera(Mat F, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(SolveVec(F, true, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatForwardSolve_Tessera(Mat F, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(SolveHalf(F, b, x, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBackwardSolve_Tessera(Mat F, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(SolveHalf(F, b, x, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMatSolve_Tessera(Mat F, Mat B, Mat X)
{
  PetscFunctionBegin;
  PetscCall(SolveDense(F, false, B, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMatSolveTranspose_Tessera(Mat F, Mat B, Mat X)
{
  PetscFunctionBegin;
  PetscCall(SolveDense(F, true, B, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}
