#include "residual.hpp"

namespace examples {

PetscErrorCode ComputeResidual(Mat A, Vec b, Vec x, Residual *residual)
{
  Vec r;
  PetscReal b2, r_inf, x_inf, b_inf, a_inf;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, &residual->norm));
  PetscCall(VecNorm(b, NORM_2, &b2));
  PetscCall(VecNorm(r, NORM_INFINITY, &r_inf));
  PetscCall(VecNorm(x, NORM_INFINITY, &x_inf));
  PetscCall(VecNorm(b, NORM_INFINITY, &b_inf));
  PetscCall(MatNorm(A, NORM_INFINITY, &a_inf));
  PetscCall(VecDestroy(&r));
  // The absolute value is there so that a NaN is printed without a sign.
  residual->relative = PetscAbsReal(b2 > 0 ? residual->norm / b2 : residual->norm);
  residual->backward_error = r_inf == 0 ? 0 : r_inf / (a_inf * x_inf + b_inf);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
