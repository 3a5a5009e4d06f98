/*
   What a factor of MATSOLVERTESSERA tells about itself.
*/
#include <petsc/private/matimpl.h>

#include "mat/solver.hpp"

namespace {

const char *FactorName(Mat F)
{
  const Mat_Tessera &data = *MatTesseraData(F);

  if (data.lu)
    return "LU";
  if (F->factortype == MAT_FACTOR_LU)
    return "LDL^T of a symmetric matrix, in place of LU";
  if (data.kind == tessera::FactorKind::LLT)
    return data.hermitian() ? "LL^H" : "LL^T";
  return data.hermitian() ? "LDL^H" : "LDL^T";
}

} // namespace

PetscErrorCode MatTesseraCheckFactored(Mat F)
{
  PetscFunctionBegin;
  PetscCheck(MatTesseraData(F)->factored, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONGSTATE,
             "The matrix is not factored, or its factorization failed");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetInertia_Tessera(Mat F, PetscInt *negative, PetscInt *zero, PetscInt *positive)
{
  const Mat_Tessera *data = MatTesseraData(F);

  PetscFunctionBegin;
  PetscCheck(data->factored, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONGSTATE,
             "The factorization failed, so that there is no inertia");
  PetscCheck(
      data->has_inertia(), PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
      "A complex symmetric matrix has no inertia, as its eigenvalues are not real. One that is Hermitian, and not "
      "known to be, needs MatSetOption() with MAT_HERMITIAN");
  if (negative)
    *negative = (PetscInt)data->report.negative;
  if (zero)
    *zero = (PetscInt)data->report.zero;
  if (positive)
    *positive = (PetscInt)data->report.positive;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetInfo_Tessera(Mat F, MatInfoType, MatInfo *info)
{
  const Mat_Tessera *data = MatTesseraData(F);
  const PetscLogDouble predicted = (PetscLogDouble)data->plan().factor_entries;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(info, sizeof(*info)));
  info->block_size = 1;
  info->nz_allocated = predicted;
  info->nz_used = data->factored ? (PetscLogDouble)data->report.entries : predicted;
  info->memory = data->factorization ? (PetscLogDouble)data->factorization->bytes() : 0;
  info->fill_ratio_given = info->fill_ratio_needed =
      data->pattern.entries > 0 ? info->nz_used / (PetscLogDouble)data->pattern.entries : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatView_Tessera(Mat F, PetscViewer viewer)
{
  const Mat_Tessera *data = MatTesseraData(F);
  const tessera::DirectReport &r = data->report;
  PetscBool ascii;
  PetscViewerFormat format;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "Tessera's direct solver: %s\n", FactorName(F)));
  if (data->factorization)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  backend %s%s\n",
                                     data->factorization->place() == tessera::Place::Device ? "cuda" : "host",
                                     data->left_to_host ? ": the GPU could not take the pivots" : ""));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  preprocessing %s, ordering %s, pivot threshold %g, singular %s\n",
                                   TesseraPreprocessings[data->options.preprocessing],
                                   data->order.empty() ? TesseraOrderings[data->options.ordering] : "the caller's",
                                   (double)data->options.pivot_threshold, MatTesseraSingulars[data->options.singular]));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "  analysis: %" PetscInt_FMT " fronts, the largest of %" PetscInt_FMT " rows, %.0f entries, %.4g flops\n",
      (PetscInt)data->plan().tree.fronts(), (PetscInt)data->plan().largest_front, (double)data->plan().factor_entries,
      data->plan().flops));
  if (data->lu)
    PetscCall(data->block_triangular
                  ? PetscViewerASCIIPrintf(viewer, "  block triangular form: %" PetscInt_FMT " diagonal blocks\n",
                                           (PetscInt)data->lu_analysis.plan.block.size())
                  : PetscViewerASCIIPrintf(viewer, "  block triangular form: not used\n"));
  if (!data->factored)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  pivots: %.0f 1x1, %.0f 2x2, %.0f zero, %.0f uncertain, %.0f delays\n",
                                   (double)r.one_by_one, (double)r.two_by_two, (double)r.zero, (double)r.uncertain,
                                   (double)r.delayed));
  if (data->has_later_threshold)
    PetscCall(
        PetscViewerASCIIPrintf(viewer, "  pivot threshold, of a later matrix: %g\n", (double)data->factor_threshold));
  if (data->is_static())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  static pivoting: %.0f perturbed pivots\n", (double)r.perturbed));
  if (data->has_inertia())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  inertia: %.0f negative, %.0f zero, %.0f positive\n", (double)r.negative,
                                     (double)r.zero, (double)r.positive));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  factor: %.0f entries, %.4g flops, %.0f MB\n", (double)r.entries, r.flops,
                                   1e-6 * (double)data->factorization->bytes()));
  if (r.planned > 0 && data->options.reuse_pivots)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  kept pivots: a plan of %.4g flops, %" PetscInt_FMT " plans of found pivots, "
                                     "%" PetscInt_FMT " analyses anew\n",
                                     r.planned, (PetscInt)r.replans, data->analyses_anew));
  else if (data->analyses_anew > 0)
    PetscCall(
        PetscViewerASCIIPrintf(viewer, "  pivots failed: %" PetscInt_FMT " analyses anew\n", data->analyses_anew));
  if (data->solved.backward_error >= 0)
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "  last solve: scaled backward error %.1e after %" PetscInt_FMT " steps of refinement\n",
        data->solved.backward_error, (PetscInt)data->solved.steps));
  if (data->singular.is_rounding)
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "  a solution shows that changes of the entries by %.1e of each make the matrix singular\n",
        data->singular.least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraGetFactored(Mat F, Mat_Tessera **data)
{
  PetscBool ours;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(F, MAT_CLASSID, 1);
  PetscCall(PetscStrcmp(F->solvertype, MATSOLVERTESSERA, &ours));
  PetscCheck(
      ours, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONG,
      "Needs a factored matrix of solver type tessera: PCFactorGetMatrix() of a PC with -pc_factor_mat_solver_type "
      "tessera, or MatGetFactor()");
  PetscCall(MatTesseraCheckFactored(F));
  *data = MatTesseraData(F);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatTesseraGetPivots - Gets the pivots of a factor of `MATSOLVERTESSERA`

  Not Collective

  Input Parameter:
. F - the factored matrix

  Output Parameters:
+ one_by_one - pivots of one row, those that are zero among them; or `NULL`
. two_by_two - pivots of two rows; or `NULL`
. delayed    - columns that found no pivot in their front and went to its parent, counted each time; or `NULL`
. zero       - pivots that are zero as far as rounding lets one tell: the rank is the number of rows less these; or
`NULL`
- uncertain  - pivots that are little more than rounding, or zero ones that may not be, so that inertia may be wrong by
as many; or `NULL`

  Level: intermediate

.seealso: `MATSOLVERTESSERA`, `MatGetInertia()`, `MatTesseraGetPerturbedPivots()`, `MatTesseraGetDeterminant()`
@*/
PetscErrorCode MatTesseraGetPivots(Mat F, PetscInt *one_by_one, PetscInt *two_by_two, PetscInt *delayed, PetscInt *zero,
                                   PetscInt *uncertain)
{
  Mat_Tessera *data;

  PetscFunctionBegin;
  PetscCall(MatTesseraGetFactored(F, &data));
  if (one_by_one)
    *one_by_one = (PetscInt)data->report.one_by_one;
  if (two_by_two)
    *two_by_two = (PetscInt)data->report.two_by_two;
  if (delayed)
    PetscCall(PetscIntCast(data->report.delayed, delayed));
  if (zero)
    *zero = (PetscInt)data->report.zero;
  if (uncertain)
    *uncertain = (PetscInt)data->report.uncertain;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatTesseraGetPerturbedPivots - Gets the number of pivots that static pivoting replaced

  Not Collective

  Input Parameter:
. F - the factored matrix

  Output Parameter:
. perturbed - pivots that were too small and were replaced

  Level: intermediate

  Notes:
  Without `-mat_tessera_pivot_threshold 0` no pivot is ever replaced.

  With perturbed pivots the factor is that of another matrix: its inertia, rank, determinant and condition number are
not those of the matrix that was given, and solutions need refinement.

.seealso: `MATSOLVERTESSERA`, `MatTesseraGetPivots()`, `MatGetInertia()`
@*/
PetscErrorCode MatTesseraGetPerturbedPivots(Mat F, PetscInt *perturbed)
{
  Mat_Tessera *data;

  PetscFunctionBegin;
  PetscCall(MatTesseraGetFactored(F, &data));
  PetscAssertPointer(perturbed, 2);
  *perturbed = (PetscInt)data->report.perturbed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatTesseraGetDeterminant - Gets the determinant of a matrix from its factor of `MATSOLVERTESSERA`

  Not Collective

  Input Parameter:
. F - the factored matrix

  Output Parameters:
+ mantissa - 0, or a number whose magnitude is at least 1/2 and less than 1, but for rounding if it is complex
- exponent - the determinant is mantissa times 2 to this power

  Level: intermediate

  Note:
  A power that PetscInt cannot hold is an error: with 32 bits, that of 2,200,000 pivots of 1e300.

.seealso: `MATSOLVERTESSERA`, `MatTesseraGetPivots()`
@*/
PetscErrorCode MatTesseraGetDeterminant(Mat F, PetscScalar *mantissa, PetscInt *exponent)
{
  Mat_Tessera *data;
  tessera::ScaledProductOf<PetscScalar> determinant;

  PetscFunctionBegin;
  PetscCall(MatTesseraGetFactored(F, &data));
  PetscAssertPointer(mantissa, 2);
  PetscAssertPointer(exponent, 3);
  PetscCallCXX(determinant = data->factorization->determinant());
  *mantissa = determinant.mantissa;
  PetscCall(PetscIntCast(determinant.exponent, exponent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatTesseraGetBackwardError - Gets the scaled backward error of the last solve with a factor of `MATSOLVERTESSERA`

  Not Collective

  Input Parameter:
. F - the factored matrix

  Output Parameters:
+ error - max |b - A x| / (||A|| ||x|| + ||b||) in the maximum norm, the largest of several right-hand sides; or `NULL`
- steps - steps of refinement that it took, the most of several right-hand sides; or `NULL`

  Level: intermediate

  Note:
  The error is -1 before the first solve, and with `-mat_tessera_refine_steps 0`. It is infinite where a solution
  overflows, whether or not it is measured.

.seealso: `MATSOLVERTESSERA`, `MatTesseraGetConditionNumber()`
@*/
PetscErrorCode MatTesseraGetBackwardError(Mat F, PetscReal *error, PetscInt *steps)
{
  Mat_Tessera *data;

  PetscFunctionBegin;
  PetscCall(MatTesseraGetFactored(F, &data));
  if (error)
    *error = data->solved.backward_error;
  if (steps)
    *steps = data->solved.steps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatTesseraGetSingularDistance - Gets how far a matrix is at most from a singular one, as solves with its factor of
`MATSOLVERTESSERA` tell

  Not Collective

  Input Parameter:
. F - the factored matrix

  Output Parameter:
. distance - changes of the entries of A by at most so much of each make it singular

  Level: intermediate

  Notes:
  It is the least max |A x|_i / (|A| |x|)_i of the solutions x since the factorization: such changes make x a null
vector (W. Oettli and W. Prager, Numer. Math. 6 (1964)). It costs next to nothing, as the backward error is measured,
does not depend on the scale of rows and columns, and is a proof where it is small. Where it is large it tells nothing:
the matrix may be singular, and these solutions of regular size.

  A distance of a few units of rounding means that A may be singular but for the rounding of its entries, and that
solutions have no correct digits along its null vector. The factor need not have a zero pivot then. `-info` says so, and
the view of the factor.

  The distance is -1 before the first solve, and with `-mat_tessera_refine_steps 0`.

.seealso: `MATSOLVERTESSERA`, `MatTesseraGetConditionNumber()`, `MatTesseraGetBackwardError()`
@*/
PetscErrorCode MatTesseraGetSingularDistance(Mat F, PetscReal *distance)
{
  Mat_Tessera *data;

  PetscFunctionBegin;
  PetscCall(MatTesseraGetFactored(F, &data));
  PetscAssertPointer(distance, 2);
  *distance = data->singular.least;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatTesseraGetConditionNumber - Estimates the condition number of a matrix from its factor of `MATSOLVERTESSERA`

  Not Collective

  Input Parameter:
. F - the factored matrix

  Output Parameter:
. condition - ||A|| ||inverse of A|| in the maximum norm, the second factor estimated from below; infinity if a pivot is
zero

  Level: intermediate

  Note:
  Takes a few solves (N. J. Higham, ACM Trans. Math. Softw. 14 (1988)). The estimate is seldom too small by more than a
factor of 3.

.seealso: `MATSOLVERTESSERA`, `MatTesseraGetSingularDistance()`, `MatTesseraGetBackwardError()`
@*/
PetscErrorCode MatTesseraGetConditionNumber(Mat F, PetscReal *condition)
{
  Mat_Tessera *data;

  PetscFunctionBegin;
  PetscCall(MatTesseraGetFactored(F, &data));
  PetscAssertPointer(condition, 2);
  if (data->report.zero > 0)
    *condition = PETSC_INFINITY;
  else
    PetscCallCXX(*condition = data->factorization->norm() * data->factorization->inverse_norm());
  PetscFunctionReturn(PETSC_SUCCESS);
}
