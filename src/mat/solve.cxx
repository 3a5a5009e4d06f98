/*
   Solves with a factor of MATSOLVERTESSERA.
*/
#include <petsc/private/matimpl.h>

#include "mat/solver.hpp"

namespace {

PetscErrorCode Solve(Mat F, PetscInt columns, const PetscScalar *b, PetscInt b_leading, PetscScalar *x,
                     PetscInt x_leading)
{
  Mat_Tessera *data = MatTesseraData(F);
  const tessera::RefinementOptions refinement{data->options.refine_target, tessera::Index(data->options.refine_steps)};

  PetscFunctionBegin;
  PetscCheck(data->factored, PetscObjectComm((PetscObject)F), PETSC_ERR_ORDER,
             "There is no factor: the last factorization failed");
  PetscCallCXX(data->solved =
                   data->factorization->solve(tessera::Index(columns), b, b_leading, x, x_leading, refinement));
  PetscCall(PetscLogFlops(4.0 * static_cast<PetscLogDouble>(data->report.entries) *
                          static_cast<PetscLogDouble>(columns) * (1 + data->solved.steps)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatSolve_Tessera(Mat F, Vec b, Vec x)
{
  const PetscScalar *from;
  PetscScalar *to;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  PetscCall(Solve(F, 1, from, n, to, n));
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMatSolve_Tessera(Mat F, Mat B, Mat X)
{
  const PetscScalar *from;
  PetscScalar *to;
  PetscInt columns, b_leading, x_leading;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, nullptr, &columns));
  PetscCall(MatDenseGetLDA(B, &b_leading));
  PetscCall(MatDenseGetLDA(X, &x_leading));
  PetscCall(MatDenseGetArrayRead(B, &from));
  PetscCall(MatDenseGetArrayWrite(X, &to));
  PetscCall(Solve(F, columns, from, b_leading, to, x_leading));
  PetscCall(MatDenseRestoreArrayWrite(X, &to));
  PetscCall(MatDenseRestoreArrayRead(B, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}
