#include "jacobian_check.hpp"

#include "../common/random.hpp"

namespace examples {
namespace {

constexpr PetscReal largest_voltage = 0.4; // the current through a diode between two of these stays below an ampere
constexpr PetscReal spacing = 1e-6;
constexpr PetscReal least_scale = 1e-6;

/// Evaluates until the diodes are linearized at the voltages of x.
PetscErrorCode EvaluateThere(Vec x, Equations *equations)
{
  PetscReal overshoot = 1;

  PetscFunctionBeginUser;
  while (overshoot > 0)
    PetscCall(equations->Evaluate(x, &overshoot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// column = derivative of the residual by x[j]; x is restored but for rounding.
PetscErrorCode DifferenceColumn(PetscInt j, Vec x, Vec column, Equations *equations)
{
  PetscFunctionBeginUser;
  PetscCall(VecSetValue(x, j, spacing, ADD_VALUES));
  PetscCall(EvaluateThere(x, equations));
  PetscCall(VecCopy(equations->residual(), column));
  PetscCall(VecSetValue(x, j, -2 * spacing, ADD_VALUES));
  PetscCall(EvaluateThere(x, equations));
  PetscCall(VecAXPY(column, -1, equations->residual()));
  PetscCall(VecSetValue(x, j, spacing, ADD_VALUES));
  PetscCall(VecScale(column, 1 / (2 * spacing)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RandomVoltages(PetscInt64 seed, Vec x)
{
  Random random(seed);
  PetscScalar *values;
  PetscInt size;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(x, &size));
  PetscCall(VecGetArrayWrite(x, &values));
  for (PetscInt k = 0; k < size; ++k)
    values[k] = largest_voltage * random.Signed();
  PetscCall(VecRestoreArrayWrite(x, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode CheckJacobian(PetscInt64 seed, Equations *equations, PetscReal *difference)
{
  Vec x, column, analytic, scale;
  const PetscInt size = equations->network().Unknowns();

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(equations->matrix(), &x, &column));
  PetscCall(VecDuplicate(column, &analytic));
  PetscCall(VecDuplicate(column, &scale));
  PetscCall(RandomVoltages(seed, x));
  equations->SetTime(0, {1e11, 0});
  PetscCall(EvaluateThere(x, equations));
  PetscCall(equations->SetMatrix());
  PetscCall(MatGetRowMaxAbs(equations->matrix(), scale, nullptr));
  PetscCall(VecShift(scale, least_scale));
  *difference = 0;
  for (PetscInt j = 0; j < size; ++j) {
    PetscReal norm;
    PetscCall(DifferenceColumn(j, x, column, equations));
    PetscCall(MatGetColumnVector(equations->matrix(), analytic, j));
    PetscCall(VecAXPY(column, -1, analytic));
    PetscCall(VecPointwiseDivide(column, column, scale));
    PetscCall(VecNorm(column, NORM_INFINITY, &norm));
    *difference = std::max(*difference, norm);
  }
  PetscCall(VecDestroy(&scale));
  PetscCall(VecDestroy(&analytic));
  PetscCall(VecDestroy(&column));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
