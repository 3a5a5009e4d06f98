/*
   MATSOLVERTESSERA: what is common to the factored matrices that MatGetFactor() makes, and their registration.
*/
#include <petsc/private/matimpl.h>

#include "base/integers.hpp"
#include "mat/solver.hpp"

const char *const MatTesseraSingulars[] = {"fail", "solve", "MatTesseraSingular", "MAT_TESSERA_SINGULAR_", nullptr};

namespace {

PetscErrorCode MatDestroy_Tessera(Mat F)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&MatTesseraData(F)->matrix));
  delete MatTesseraData(F);
  F->data = nullptr;
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatFactorGetSolverType_C", nullptr));
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatTesseraGetNullSpace_C", nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFactorGetSolverType_Tessera(Mat, MatSolverType *type)
{
  PetscFunctionBegin;
  *type = MATSOLVERTESSERA;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckMatrix(Mat A)
{
  PetscInt m, n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &m, &n));
  PetscCheck(m == n, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
             "Solver type " MATSOLVERTESSERA " needs a square matrix; this one has %" PetscInt_FMT
             " rows and %" PetscInt_FMT " columns",
             m, n);
  PetscCheck(tessera::fits_index(m), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "Solver type " MATSOLVERTESSERA " takes at most 2147483647 rows, this matrix has %" PetscInt_FMT, m);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatTesseraCreate(Mat A, MatFactorType type, Mat *F)
{
  Mat B;
  Mat_Tessera *data;
  PetscBool dense;

  PetscFunctionBegin;
  PetscCall(CheckMatrix(A));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &B));
  PetscCall(MatSetSizes(B, A->rmap->n, A->cmap->n, A->rmap->n, A->cmap->n));
  PetscCall(PetscStrallocpy(MATSOLVERTESSERA, &((PetscObject)B)->type_name));
  PetscCall(MatSetUp(B));
  PetscCallCXX(data = new Mat_Tessera());
  B->data = data;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQDENSE, &dense));
  data->lu = type == MAT_FACTOR_LU;
  if (dense) // of which every two rows could be a pair, and every row is in reach of every pivot
    data->options.preprocessing = data->lu ? TESSERA_PREPROCESSING_NONE : TESSERA_PREPROCESSING_EQUILIBRATE;
  B->factortype = type;
  B->canuseordering = PETSC_TRUE;
  PetscCall(PetscFree(B->solvertype));
  PetscCall(PetscStrallocpy(MATSOLVERTESSERA, &B->solvertype));
  PetscCall(PetscStrallocpy(MATORDERINGEXTERNAL, const_cast<char **>(&B->preferredordering[type])));
  B->ops->destroy = MatDestroy_Tessera;
  B->ops->view = MatView_Tessera;
  B->ops->getinfo = MatGetInfo_Tessera;
  PetscCall(PetscObjectComposeFunction((PetscObject)B, "MatFactorGetSolverType_C", MatFactorGetSolverType_Tessera));
  // for programs that load Tessera and do not link it
  PetscCall(PetscObjectComposeFunction((PetscObject)B, "MatTesseraGetNullSpace_C", MatTesseraGetNullSpace));
  *F = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  MATSOLVERTESSERA - "tessera" - direct solver: multifrontal LDL^T with 1x1 and 2x2 pivots and LL^T of symmetric
matrices, LDL^H and LL^H of Hermitian ones, and LU of any square one

  Options Database Keys:
+ -mat_tessera_backend (auto|host|cuda)                    - where the factor is made and applied
. -mat_tessera_pivot_threshold u                           - entries of L are at most 1/u; 0: static pivoting
. -mat_tessera_later_pivot_threshold u                     - that of other values than those that were analysed
. -mat_tessera_ordering (auto|natural|amd|nd|metis)        - fill-reducing ordering
. -mat_tessera_preprocessing (matching|equilibrate|none)   - scaling, and pairing of rows for 2x2 pivots
. -mat_tessera_singular (fail|solve)                       - what to do with a singular matrix
. -mat_tessera_refine_target e                             - scaled backward error at which refinement ends
. -mat_tessera_refine_steps n                              - steps of refinement and FGMRES at most; 0: none
- -mat_tessera_reuse_pivots (true|false)                   - the pivots found are those of the next factorization

  Level: beginner

  Notes:
  `-pc_type cholesky -pc_factor_mat_solver_type tessera`, for `MATSEQAIJ` with both triangles stored, `MATSEQSBAIJ`,
`MATSEQDENSE`, and the types of these whose values are on a GPU. A matrix that is known to be symmetric positive
definite
(`MAT_SPD`) gets a Cholesky factor without pivoting.

  With complex scalars a matrix is taken as Hermitian or as symmetric, by `MatIsHermitianKnown()`,
`MatIsSymmetricKnown()`, and where these tell nothing, by its values. One of type `MATSEQSBAIJ` is complex symmetric
unless `MAT_HERMITIAN` was set, or no value has an imaginary part. `MatGetInertia()` is for Hermitian ones.

  `-pc_type lu -pc_factor_mat_solver_type tessera`, for `MATSEQAIJ` and `MATSEQDENSE`, and the types of these whose
values are on a GPU. A maximum-product matching chooses the diagonal and scales rows and
columns; only the diagonal blocks of the block triangular form are factored. A sparse matrix that is symmetric to the
last bit gets LDL^T, half of the work, with all that holds for LU; a factorization whose values are no longer symmetric
analyses it for LU, once until the next symbolic factorization. `MatSetOption()` with `MAT_SYMMETRIC` and `PETSC_FALSE`
before `MatLUFactorSymbolic()` asks for LU from the beginning.

  Pivots are tested over whole columns; a column that finds none in its front is delayed to the parent, so that every
entry of L is bounded and inertia (`MatGetInertia()`) is that of a backward stable factorization. With static pivoting
(a threshold of 0) pivots are chosen in their front alone, on a GPU among 32 columns of it, none is delayed, and those
that are too small are replaced and counted (`MatTesseraGetPerturbedPivots()`). The factor and its
solutions are the same, bit by bit, in every run and for every number of threads.

  A sequence of matrices of one pattern needs one symbolic factorization. Pivots of matrices whose values are not those
that were analysed pass by a hundredth of the pivot threshold, or 1e-4 if that is more, on a GPU by 1e-6 of it, or 1e-8,
and at most by that threshold, or by `-mat_tessera_later_pivot_threshold`. Where that leaves zero or uncertain pivots,
the matrix is factored again with 100 times the threshold, and then with the usual one. So it is in `MatSolve()`, with
100 times the threshold each time, where a solution has more than 1e4 times the target of refinement as its error, and
100 times that of solutions with the usual threshold; one that misses it by less, or whose matrix has changed since,
gives later matrices 100 times the threshold. All that holds until the next analysis. For that the factor of a later
matrix keeps a reference to it. Where a row's largest scaled entry is below 1/4 or above 4, a symmetric matrix is
matched, or equilibrated, for other scale factors; its order and pairs stay. A factorization whose delayed columns make
it take several times the operations that its analysis led to, or on a GPU LDL^T whose pivots fail and take long to
replace, is given up, and matches and orders the matrix anew with its own values, once a call. `-info` tells of both,
`PCView()` how often there was a new analysis.

  A solution that overflows is flagged as `VecFlag()` does, and `PCLU` and `PCCHOLESKY` have the failed reason
`PC_FACTOR_OTHER` until the next solve; the factor remains.

  A real matrix in device memory is factored there, a complex one on the host. Vectors and dense matrices may be in
either memory. In device memory columns that find no pivot are delayed in a new plan, for this matrix and the next ones
of its pattern; small systems, and those where that leads nowhere, are factored by the host once, to find the pivots.

  Of `MatFactorInfo`, `dtcol` (`-pc_factor_column_pivot`) is the pivot threshold, but for the 1e-6 that `PCLU` sets by
itself: then it is 0.01. `shifttype`, `zeropivot`, `levels` and drop tolerances are refused. `MatForwardSolve()` solves
with L D, `MatBackwardSolve()` with the transpose of L, of a Hermitian matrix its adjoint; without D for a Cholesky
factor. LU has neither.

.seealso: `PCFactorSetMatSolverType()`, `MatSolverType`, `MatGetInertia()`, `PCCHOLESKY`, `PCLU`, `PCBILDLT`,
`TesseraBackend`, `MatTesseraSetReusePivots()`, `MatTesseraGetPivots()`, `MatTesseraGetPerturbedPivots()`
M*/
PetscErrorCode MatTesseraRegister()
{
  PetscFunctionBegin;
  PetscCall(MatTesseraRegisterEvents());
  PetscCall(MatTesseraRegisterCholesky());
  PetscCall(MatTesseraRegisterLU());
  PetscCall(MatTesseraRegisterFailedReasons());
  PetscFunctionReturn(PETSC_SUCCESS);
}
