#include "step.hpp"

#include <algorithm>
#include <cmath>

namespace examples {
namespace {

/// The point nearest to zero within the bounds of every boxed number.
Values NearestToZero(const Boxes &b)
{
  Values v(b.size());
  for (PetscInt k = 0; k < b.size(); ++k)
    v[k] = std::min(std::max(b.lower[k], PetscReal(0)), b.upper[k]);
  return v;
}

/// Smallest distance or multiplier of all bounds, and their sum.
struct Extent {
  PetscReal least = unbounded, sum = 0;
};

Extent ExtentOf(const Boxes &b, const Values &lower, const Values &upper)
{
  Extent e;
  for (PetscInt k = 0; k < b.size(); ++k) {
    if (b.HasLower(k))
      e = {std::min(e.least, lower[k]), e.sum + lower[k]};
    if (b.HasUpper(k))
      e = {std::min(e.least, upper[k]), e.sum + upper[k]};
  }
  return e;
}

void Shift(const Boxes &b, PetscReal by, Values *lower, Values *upper)
{
  for (PetscInt k = 0; k < b.size(); ++k) {
    (*lower)[k] += b.HasLower(k) ? by : 0;
    (*upper)[k] += b.HasUpper(k) ? by : 0;
  }
}

/// Distances and multipliers of the bounds as v and y have them, whatever their signs.
void SetPairs(const Program &p, const Boxes &b, Iterate *at)
{
  at->t_l.assign(b.size(), 1);
  at->t_u.assign(b.size(), 1);
  at->z_l.assign(b.size(), 0);
  at->z_u.assign(b.size(), 0);
  Values gradient = ComputeResiduals(p, b, *at).dual; // with z = 0 it is the gradient's negative
  for (PetscInt k = 0; k < b.size(); ++k) {
    const PetscReal z = -gradient[k];
    if (b.HasLower(k)) {
      at->t_l[k] = at->v[k] - b.lower[k];
      at->z_l[k] = b.HasUpper(k) ? std::max(z, PetscReal(0)) : z;
    }
    if (b.HasUpper(k)) {
      at->t_u[k] = b.upper[k] - at->v[k];
      at->z_u[k] = b.HasLower(k) ? std::max(-z, PetscReal(0)) : -z;
    }
  }
}

/// Makes distances and multipliers positive, and their products alike.
void MoveInside(const Boxes &b, Iterate *at)
{
  constexpr PetscReal beyond = 1.5, share = 0.5, least = 1e-3;
  if (b.pairs == 0)
    return;
  Shift(b, std::max(-beyond * ExtentOf(b, at->t_l, at->t_u).least, PetscReal(0)), &at->t_l, &at->t_u);
  Shift(b, std::max(-beyond * ExtentOf(b, at->z_l, at->z_u).least, PetscReal(0)), &at->z_l, &at->z_u);
  const PetscReal products = MeanProduct(b, *at) * static_cast<PetscReal>(b.pairs);
  const PetscReal distances = ExtentOf(b, at->t_l, at->t_u).sum, multipliers = ExtentOf(b, at->z_l, at->z_u).sum;
  Shift(b, std::max(multipliers > 0 ? share * products / multipliers : 1, least), &at->t_l, &at->t_u);
  Shift(b, std::max(distances > 0 ? share * products / distances : 1, least), &at->z_l, &at->z_u);
}

/// The point and the multipliers of Start(), with the factor that there is.
PetscErrorCode LeastNorms(const Program &p, const Boxes &b, const Values &d_w, KktSolver *solver, Iterate *at,
                          bool *good)
{
  Values dx, dy;

  PetscFunctionBeginUser;
  at->v = NearestToZero(b);
  at->y.assign(b.m, 0);
  SetPairs(p, b, at);
  PetscCall(solver->Solve(Values(b.n, 0), ComputeResiduals(p, b, *at).rows, &dx, &dy, good));
  if (!*good)
    PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt j = 0; j < b.n; ++j)
    at->v[j] += dx[j];
  for (PetscInt i = 0; i < b.m; ++i)
    at->v[b.n + i] -= d_w[i] * dy[i];
  Values gradient(p.cost);
  AddProduct(p.q, 1, at->v, &gradient);
  PetscCall(solver->Solve(gradient, Values(b.m, 0), &dx, &at->y, good));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void RaiseMultipliers(const Program &p, const Boxes &b, Iterate *at)
{
  PetscReal left = 0;
  for (PetscReal residual : ComputeResiduals(p, b, *at).dual)
    left = std::max(left, std::abs(residual));
  Shift(b, std::max(left - ExtentOf(b, at->z_l, at->z_u).least, PetscReal(0)), &at->z_l, &at->z_u);
}

PetscErrorCode Start(const Program &p, const Boxes &b, KktSolver *solver, Iterate *at, bool *good)
{
  Values d_w(b.m);
  bool solved = false;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < b.m; ++i)
    d_w[i] = b.Equation(b.n + i) ? 0 : 1;
  PetscCall(solver->Factor(Values(b.n, 1), d_w, good));
  while (*good && !solved) {
    PetscCall(LeastNorms(p, b, d_w, solver, at, &solved));
    if (!solved)
      PetscCall(solver->FactorMoreRegular(good));
  }
  if (!*good)
    PetscFunctionReturn(PETSC_SUCCESS);
  SetPairs(p, b, at);
  MoveInside(b, at);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
