/*
   The null space of a singular matrix from its factor of MATSOLVERTESSERA.
*/
#include <petsc/private/matimpl.h>
#include <petscblaslapack.h>

#include "base/random.hpp"
#include "mat/solver.hpp"

namespace {

/// Products with A and solves with its factor, or with their transposes.
struct Side {
  PetscErrorCode (*multiply)(Mat, Vec, Vec);
  PetscErrorCode (*solve)(Mat, Mat, Mat);
};

/// Random entries between -1 and 1, the same in every run.
PetscErrorCode Randomize(Mat w)
{
  constexpr std::uint64_t seed = 1;
  PetscScalar *to;
  PetscInt n, k, leading;
  tessera::SplitMix64 random(seed);

  PetscFunctionBegin;
  PetscCall(MatGetSize(w, &n, &k));
  PetscCall(MatDenseGetLDA(w, &leading));
  PetscCall(MatDenseGetArrayWrite(w, &to));
  for (PetscInt j = 0; j < k; ++j)
    for (PetscInt i = 0; i < n; ++i)
      to[j * leading + i] = 0x1p-63 * (PetscReal)(std::int64_t)random.bits();
  PetscCall(MatDenseRestoreArrayWrite(w, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// B = A W, a column at a time, as every type of matrix has that.
PetscErrorCode Multiply(const Side &side, Mat A, Mat w, Mat b)
{
  PetscInt k;
  Vec from, to;

  PetscFunctionBegin;
  PetscCall(MatGetSize(w, nullptr, &k));
  for (PetscInt j = 0; j < k; ++j) {
    PetscCall(MatDenseGetColumnVecRead(w, j, &from));
    PetscCall(MatDenseGetColumnVecWrite(b, j, &to));
    PetscCall(side.multiply(A, from, to));
    PetscCall(MatDenseRestoreColumnVecWrite(b, j, &to));
    PetscCall(MatDenseRestoreColumnVecRead(w, j, &from));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// W -= Y with A Y = A W.
PetscErrorCode SubtractSolutions(const Side &side, Mat F, Mat A, Mat w)
{
  Mat b, y;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(w, MAT_DO_NOT_COPY_VALUES, &b));
  PetscCall(MatDuplicate(w, MAT_DO_NOT_COPY_VALUES, &y));
  PetscCall(Multiply(side, A, w, b));
  PetscCall(side.solve(F, b, y));
  PetscCall(MatAXPY(w, -1, y, SAME_NONZERO_PATTERN));
  PetscCall(MatDestroy(&b));
  PetscCall(MatDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Overwrites the upper triangle of G by the inverse of its Cholesky factor R, and what is below by 0. `done`: whether
/// it has one.
PetscErrorCode InvertCholeskyFactor(Mat gram, PetscBool *done)
{
  PetscScalar *g;
  PetscInt k, leading;
  PetscBLASInt n, lda, info;

  PetscFunctionBegin;
  PetscCall(MatGetSize(gram, &k, nullptr));
  PetscCall(MatDenseGetLDA(gram, &leading));
  PetscCall(PetscBLASIntCast(k, &n));
  PetscCall(PetscBLASIntCast(leading, &lda));
  PetscCall(MatDenseGetArray(gram, &g));
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &n, g, &lda, &info));
  if (info == 0)
    PetscCallBLAS("LAPACKtrtri", LAPACKtrtri_("U", "N", &n, g, &lda, &info));
  for (PetscInt j = 0; j < k; ++j)
    for (PetscInt i = j + 1; i < k; ++i)
      g[j * leading + i] = 0;
  PetscCall(MatDenseRestoreArray(gram, &g));
  *done = info == 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// W = W / R with Rᴴ R = Wᴴ W. `done`: whether there is such an R.
PetscErrorCode DivideByCholeskyFactor(Mat *w, PetscBool *done)
{
  Mat conjugate = *w, gram, quotient;

  PetscFunctionBegin;
  if (PetscDefined(USE_COMPLEX)) {
    PetscCall(MatDuplicate(*w, MAT_COPY_VALUES, &conjugate));
    PetscCall(MatConjugate(conjugate));
  }
  PetscCall(MatTransposeMatMult(conjugate, *w, MAT_INITIAL_MATRIX, PETSC_CURRENT, &gram));
  if (conjugate != *w)
    PetscCall(MatDestroy(&conjugate));
  PetscCall(InvertCholeskyFactor(gram, done));
  if (*done) {
    PetscCall(MatMatMult(*w, gram, MAT_INITIAL_MATRIX, PETSC_CURRENT, &quotient));
    PetscCall(MatDestroy(w));
    *w = quotient;
  }
  PetscCall(MatDestroy(&gram));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The largest max |A v| / (norm max |v|) of the columns of V.
PetscErrorCode LargestResidual(const Side &side, Mat A, Mat v, PetscReal norm, PetscReal *residual)
{
  Mat b;
  Vec column;
  PetscInt k;

  PetscFunctionBegin;
  PetscCall(MatGetSize(v, nullptr, &k));
  PetscCall(MatDuplicate(v, MAT_DO_NOT_COPY_VALUES, &b));
  PetscCall(Multiply(side, A, v, b));
  *residual = 0;
  for (PetscInt j = 0; j < k; ++j) {
    PetscReal of_product, of_vector;

    PetscCall(MatDenseGetColumnVecRead(b, j, &column));
    PetscCall(VecNorm(column, NORM_INFINITY, &of_product));
    PetscCall(MatDenseRestoreColumnVecRead(b, j, &column));
    PetscCall(MatDenseGetColumnVecRead(v, j, &column));
    PetscCall(VecNorm(column, NORM_INFINITY, &of_vector));
    PetscCall(MatDenseRestoreColumnVecRead(v, j, &column));
    if (of_product > 0)
      *residual = PetscMax(*residual, of_product / (norm * of_vector));
  }
  PetscCall(MatDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateSpace(Mat A, Mat w, MatNullSpace *space)
{
  PetscInt k;
  Vec one, *vector, column;

  PetscFunctionBegin;
  PetscCall(MatGetSize(w, nullptr, &k));
  PetscCall(MatCreateVecs(A, &one, nullptr));
  PetscCall(VecDuplicateVecs(one, k, &vector));
  for (PetscInt j = 0; j < k; ++j) {
    PetscCall(MatDenseGetColumnVecRead(w, j, &column));
    PetscCall(VecCopy(column, vector[j]));
    PetscCall(MatDenseRestoreColumnVecRead(w, j, &column));
  }
  PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)A), PETSC_FALSE, k, vector, space));
  PetscCall(VecDestroyVecs(k, &vector));
  PetscCall(VecDestroy(&one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// An error where the factor does not tell the rank of A, or does not solve.
PetscErrorCode CheckArguments(Mat F, Mat A, const Mat_Tessera &data)
{
  PetscInt rows, columns;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, &columns));
  PetscCheck(rows == F->rmap->N && columns == F->cmap->N, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_SIZ,
             "The matrix has %" PetscInt_FMT " rows and %" PetscInt_FMT
             " columns, the one that was factored had %" PetscInt_FMT " rows",
             rows, columns, F->rmap->N);
  PetscCheck(!data.is_static(), PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONGSTATE,
             "With static pivoting no pivot is zero and the rank is not known: use a pivot threshold that is not 0");
  PetscCheck(data.report.zero == 0 || data.options.singular == MAT_TESSERA_SINGULAR_SOLVE,
             PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONGSTATE,
             "The factor of a singular matrix is only used with -mat_tessera_singular solve");
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/*@
  MatTesseraGetNullSpace - Gets a basis of the null space of a singular matrix by its factor of `MATSOLVERTESSERA`

  Not Collective

  Input Parameters:
+ F          - the factored matrix, with `-mat_tessera_singular solve`
. A          - the matrix that was factored
- transposed - the null space of the transpose is wanted, for `MatSetTransposeNullSpace()`

  Output Parameters:
+ space    - as many orthonormal vectors as there are zero pivots, without any for a regular matrix; `NULL` if these
are not that many vectors, as the rank is not what it seems. Free it with `MatNullSpaceDestroy()`
- residual - the largest ||A v|| / (||A|| ||v||) of the vectors in the maximum norm; infinite where `space` is `NULL`

  Level: advanced

  Notes:
  A w is in the range of A for any w, so that a solution y of A y = A w differs from w by a vector of the null space.
That of as many random w as there are zero pivots is a basis; it is subtracted and found once more, and orthonormalized
by the Cholesky factor of its Gram matrix, twice (T. Fukaya et al., ScalA 2014). The random vectors are the same in
every run. The basis and two more vectors for each of it take memory where those of A are.

  A residual of a few units of rounding shows that A has such a null space up to the rounding of its entries. A larger
one shows that pivots were called zero which are not.

.seealso: `MATSOLVERTESSERA`, `MatTesseraSingular`, `MatTesseraGetPivots()`, `MatSetNullSpace()`
@*/
PetscErrorCode MatTesseraGetNullSpace(Mat F, Mat A, PetscBool transposed, MatNullSpace *space, PetscReal *residual)
{
  const Side side = transposed ? Side{MatMultTranspose, MatMatSolveTranspose} : Side{MatMult, MatMatSolve};
  Mat_Tessera *data;
  Mat w;
  Vec like;
  VecType type;
  PetscInt n, k;
  PetscBool done = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(MatTesseraGetFactored(F, &data));
  PetscValidHeaderSpecific(A, MAT_CLASSID, 2);
  PetscAssertPointer(space, 4);
  PetscAssertPointer(residual, 5);
  PetscCall(CheckArguments(F, A, *data));
  *space = nullptr;
  *residual = 0;
  k = (PetscInt)data->report.zero;
  if (k == 0) {
    PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)A), PETSC_FALSE, 0, nullptr, space));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatCreateVecs(A, &like, nullptr));
  PetscCall(VecGetType(like, &type));
  PetscCall(VecGetSize(like, &n));
  PetscCall(MatCreateDenseFromVecType(PetscObjectComm((PetscObject)A), type, n, k, n, k, PETSC_DECIDE, nullptr, &w));
  PetscCall(VecDestroy(&like));
  PetscCall(Randomize(w));
  for (int pass = 0; pass < 2 && done; ++pass) {
    PetscCall(SubtractSolutions(side, F, A, w));
    PetscCall(DivideByCholeskyFactor(&w, &done));
  }
  if (done)
    PetscCall(DivideByCholeskyFactor(&w, &done));
  if (done) {
    PetscCall(LargestResidual(side, A, w, (PetscReal)data->factorization->norm(), residual));
    PetscCall(CreateSpace(A, w, space));
  } else {
    *residual = PETSC_INFINITY;
  }
  PetscCall(MatDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}
