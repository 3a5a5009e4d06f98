/*
   Options of MATSOLVERTESSERA, its own and those of PETSc's MatFactorInfo.
*/
#include "mat/solver.hpp"

namespace {

constexpr PetscReal largestThreshold = tessera::largest_threshold, smallestThreshold = 1e-12; // and 0: static pivoting

} // namespace

PetscErrorCode MatTesseraTakeInfo(Mat F, const MatFactorInfo *info)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)F);
  const PetscReal usualZeroPivot = 100 * PETSC_MACHINE_EPSILON; // PCFactorInitialize()'s
  const PetscReal usualThreshold = 1e-6;                        // PCLU's: for PETSc's own LU, and no user's choice
  MatTesseraOptions &o = MatTesseraData(F)->options;

  PetscFunctionBegin;
  PetscCheck(info->shifttype == (PetscReal)MAT_SHIFT_NONE, comm, PETSC_ERR_SUP,
             "Tessera's direct solver pivots and adds no shift: take -pc_factor_shift_type none. To solve consistent "
             "singular systems, -mat_tessera_singular solve");
  PetscCheck(info->zeropivot == 0 || info->zeropivot == usualZeroPivot, comm, PETSC_ERR_SUP,
             "Tessera's direct solver takes a pivot for zero when nothing but rounding is left of its column, and no "
             "other bound: leave out -pc_factor_zeropivot. To solve consistent singular systems, -mat_tessera_singular "
             "solve");
  PetscCheck(info->levels == 0 && !info->usedt, comm, PETSC_ERR_SUP,
             "Levels of fill and drop tolerances are for incomplete factors: take -pc_type bildlt");
  PetscCheck(info->dtcol <= largestThreshold, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The pivot threshold (-pc_factor_column_pivot) %g is above %g, where a pivot may not exist",
             (double)info->dtcol, (double)largestThreshold);
  if (info->dtcol > 0 && info->dtcol != usualThreshold)
    o.pivot_threshold = info->dtcol;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraSetFromOptions(Mat F)
{
  MatTesseraOptions &o = MatTesseraData(F)->options;

  PetscFunctionBegin;
  PetscOptionsBegin(PetscObjectComm((PetscObject)F), ((PetscObject)F)->prefix, "Tessera's direct solver", "Mat");
  PetscCall(PetscOptionsEnum("-mat_tessera_backend", "Where the factor is made and applied", "None", TesseraBackends,
                             (PetscEnum)o.backend, (PetscEnum *)&o.backend, nullptr));
  PetscCall(PetscOptionsRangeReal("-mat_tessera_pivot_threshold",
                                  "Entries of L are at most one over this; 0: static pivoting", "None",
                                  o.pivot_threshold, &o.pivot_threshold, nullptr, 0, largestThreshold));
  PetscCall(PetscOptionsReal("-mat_tessera_later_pivot_threshold",
                             "That of matrices with other values than those that were analysed; -1: a hundredth, or "
                             "1e-4 if that is more, on a GPU 1e-6 of it, or 1e-8, and at most the other one",
                             "None", o.later_threshold, &o.later_threshold, nullptr));
  PetscCall(PetscOptionsEnum("-mat_tessera_ordering", "Fill-reducing ordering", "None", TesseraOrderings,
                             (PetscEnum)o.ordering, (PetscEnum *)&o.ordering, nullptr));
  PetscCall(PetscOptionsEnum("-mat_tessera_preprocessing", "Scaling and pairing of rows", "None", TesseraPreprocessings,
                             (PetscEnum)o.preprocessing, (PetscEnum *)&o.preprocessing, nullptr));
  PetscCall(PetscOptionsEnum("-mat_tessera_singular", "What to do with a singular matrix", "None", MatTesseraSingulars,
                             (PetscEnum)o.singular, (PetscEnum *)&o.singular, nullptr));
  PetscCall(PetscOptionsReal("-mat_tessera_refine_target", "Scaled backward error at which refinement ends", "None",
                             o.refine_target, &o.refine_target, nullptr));
  PetscCall(PetscOptionsBoundedInt("-mat_tessera_refine_steps",
                                   "Steps of iterative refinement, and then of FGMRES, at most", "None", o.refine_steps,
                                   &o.refine_steps, nullptr, 0));
  PetscCall(PetscOptionsBool("-mat_tessera_reuse_pivots", "The pivots found are those of the next factorization",
                             "MatTesseraSetReusePivots", o.reuse_pivots, &o.reuse_pivots, nullptr));
  PetscOptionsEnd();
  PetscCheck(o.pivot_threshold == 0 || o.pivot_threshold >= smallestThreshold, PetscObjectComm((PetscObject)F),
             PETSC_ERR_ARG_OUTOFRANGE,
             "-mat_tessera_pivot_threshold %g is below %g: take 0 for static pivoting, or a larger one",
             (double)o.pivot_threshold, (double)smallestThreshold);
  PetscCheck(o.later_threshold == -1 ||
                 (o.later_threshold >= smallestThreshold && o.later_threshold <= o.pivot_threshold),
             PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_OUTOFRANGE,
             "-mat_tessera_later_pivot_threshold %g is neither -1 nor between %g and the pivot threshold, %g",
             (double)o.later_threshold, (double)smallestThreshold, (double)o.pivot_threshold);
  PetscCheck(o.ordering != TESSERA_ORDERING_RCM && o.ordering != TESSERA_ORDERING_COLOR,
             PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "-mat_tessera_ordering %s is for incomplete factors: take auto, nd, amd, metis or natural",
             TesseraOrderings[o.ordering]);
  PetscCheck(F->factortype != MAT_FACTOR_LU || o.preprocessing != TESSERA_PREPROCESSING_EQUILIBRATE,
             PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "-mat_tessera_preprocessing equilibrate is for symmetric factors: take matching or none");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatTesseraSetReusePivots - Sets whether a factorization of `MATSOLVERTESSERA` on the host begins with the pivots that
the one before it found

  Logically Collective

  Input Parameters:
+ F    - the factored matrix, of `PCFactorGetMatrix()` or `MatGetFactor()`
- flag - `PETSC_TRUE` to keep pivots; the default is `PETSC_FALSE`

  Options Database Key:
. -mat_tessera_reuse_pivots (true|false) - sets whether pivots are kept

  Level: intermediate

  Notes:
  For sequences of matrices of one pattern, which share a symbolic factorization. It takes effect in the next
`MatCholeskyFactorNumeric()` or `MatLUFactorNumeric()`.

  Where columns were delayed, or pivots came in another order or with other partners than planned, the next
factorization plans with the pivots found, of which none is delayed as long as its values allow that. All pivots are
tested, as those of any matrix with other values than those that were analysed. A plan that takes more than twice the
operations of the analysis is dropped for that of the analysis.

  Scale factors that no longer go with the values, as a row's largest scaled entry is below 1/4 or above 4, are renewed,
of LU too. Those of a symmetric matrix are renewed also where pivots are not kept, and a factorization that comes to
several times the operations that its analysis led to is given up in either case, see `MATSOLVERTESSERA`.

  On a GPU pivots are kept always. Without effect on a matrix of another solver type, and on one that is known to be
positive definite, whose factor has no pivots to choose.

.seealso: `MATSOLVERTESSERA`, `MatTesseraGetPivots()`, `MatCholeskyFactorNumeric()`
@*/
PetscErrorCode MatTesseraSetReusePivots(Mat F, PetscBool flag)
{
  PetscBool ours;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(F, MAT_CLASSID, 1);
  PetscValidLogicalCollectiveBool(F, flag, 2);
  PetscCall(PetscStrcmp(F->solvertype, MATSOLVERTESSERA, &ours));
  if (ours)
    MatTesseraData(F)->options.reuse_pivots = flag;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTesseraWantsDevice(Mat F, Mat A, const MatFactorInfo *info, PetscBool *device)
{
  const TesseraBackend backend = MatTesseraData(F)->options.backend;
  const bool named = backend == TESSERA_BACKEND_CUDA;
  const char *const host_only = MatTesseraData(F)->host_only();
  PetscBool dense, bound;

  PetscFunctionBegin;
  PetscCheck(!named || !host_only, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "%s has no GPU backend yet: -mat_tessera_backend auto and host factor on the host", host_only);
  PetscCheck(!named || !info->factoronhost, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_INCOMP,
             "-mat_tessera_backend cuda and -pc_factor_mat_factor_on_host contradict each other");
  *device = (PetscBool)named;
  if (backend == TESSERA_BACKEND_AUTO && !info->factoronhost) {
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQDENSECUDA, &dense));
    PetscCall(MatBoundToCPU(A, &bound));
    if (dense)
      *device = (PetscBool)!bound;
    else
      PetscCall(TesseraMatOnDevice(A, device));
  }
  PetscCheck(!*device || !info->solveonhost, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "Tessera applies a factor where it is made: -pc_factor_mat_solve_on_host needs "
             "-pc_factor_mat_factor_on_host too");
  PetscFunctionReturn(PETSC_SUCCESS);
}
