#include "iterate.hpp"

#include <algorithm>
#include <cmath>

namespace examples {

Boxes::Boxes(const Program &program)
    : n(program.variables()), m(program.rows()), lower(program.variable.lower), upper(program.variable.upper)
{
  lower.insert(lower.end(), program.row.lower.begin(), program.row.lower.end());
  upper.insert(upper.end(), program.row.upper.begin(), program.row.upper.end());
  for (PetscInt k = 0; k < size(); ++k)
    pairs += HasLower(k) + HasUpper(k);
}

namespace {

/// (Q x + c - A^T y, y)
Values Gradient(const Program &p, const Iterate &at)
{
  Values gradient(p.cost);
  AddProduct(p.q, 1, at.v, &gradient);
  AddTransposedProduct(p.a, -1, at.y, &gradient);
  gradient.insert(gradient.end(), at.y.begin(), at.y.end());
  return gradient;
}

/// Takes in a magnitude; a NaN stays.
void Raise(PetscReal value, PetscReal *largest)
{
  if (!(std::abs(value) <= *largest))
    *largest = std::abs(value);
}

/// -x^T Q x / 2 + lower^T z_l - upper^T z_u, and y^T w of the equations.
PetscReal DualObjective(const Program &p, const Boxes &b, const Iterate &at)
{
  Values qx(b.n, 0);
  AddProduct(p.q, 0.5, at.v, &qx);
  PetscReal value = p.constant;
  for (PetscInt j = 0; j < b.n; ++j)
    value -= qx[j] * at.v[j];
  for (PetscInt k = 0; k < b.size(); ++k) {
    value += b.HasLower(k) ? b.lower[k] * at.z_l[k] : 0;
    value -= b.HasUpper(k) ? b.upper[k] * at.z_u[k] : 0;
    value += b.Equation(k) ? b.lower[k] * at.y[k - b.n] : 0;
  }
  return value;
}

} // namespace

Residuals ComputeResiduals(const Program &p, const Boxes &b, const Iterate &at)
{
  const PetscInt size = b.size();
  Residuals r{Values(at.v.begin() + b.n, at.v.end()), Values(size, 0), Values(size, 0), Values(size, 0)};
  AddProduct(p.a, -1, at.v, &r.rows);
  const Values gradient = Gradient(p, at);
  for (PetscInt k = 0; k < size; ++k) {
    if (b.HasLower(k))
      r.lower[k] = b.lower[k] - at.v[k] + at.t_l[k];
    if (b.HasUpper(k))
      r.upper[k] = b.upper[k] - at.v[k] - at.t_u[k];
    if (!b.Equation(k))
      r.dual[k] = at.z_l[k] - at.z_u[k] - gradient[k];
  }
  return r;
}

PetscReal MeanProduct(const Boxes &b, const Iterate &at)
{
  PetscReal sum = 0;
  for (PetscInt k = 0; k < b.size(); ++k)
    sum += at.t_l[k] * at.z_l[k] + at.t_u[k] * at.z_u[k];
  return b.pairs > 0 ? sum / static_cast<PetscReal>(b.pairs) : 0;
}

PetscReal LargestBound(const Program &p, const Scaling &s)
{
  PetscReal largest = 0;
  const auto raise = [&](const Bounds &bounds, PetscInt k, PetscReal unit) {
    for (const PetscReal bound : {bounds.lower[k], bounds.upper[k]})
      Raise(std::isfinite(bound) ? bound * unit : 0, &largest);
  };
  for (PetscInt j = 0; j < p.variables(); ++j)
    raise(p.variable, j, s.variable[j]);
  for (PetscInt i = 0; i < p.rows(); ++i)
    raise(p.row, i, 1 / s.row[i]);
  return largest;
}

Progress Measure(const Program &p, const Scaling &s, const Boxes &b, const Iterate &at, const Residuals &r)
{
  Progress now;
  PetscReal costs = 0;
  for (PetscInt k = 0; k < b.size(); ++k) {
    const PetscReal unit = k < b.n ? s.variable[k] : 1 / s.row[k - b.n]; // of v; that of a multiplier is its inverse
    Raise(k < b.n ? p.cost[k] / (unit * s.objective) : 0, &costs);
    Raise(k < b.n ? 0 : r.rows[k - b.n] * unit, &now.primal);
    Raise(r.lower[k] * unit, &now.primal);
    Raise(r.upper[k] * unit, &now.primal);
    Raise(r.dual[k] / (unit * s.objective), &now.dual);
  }
  now.primal /= 1 + LargestBound(p, s);
  now.dual /= 1 + costs;
  now.objective = Objective(p, at.v) / s.objective;
  now.dual_objective = DualObjective(p, b, at) / s.objective;
  now.gap = std::abs(now.objective - now.dual_objective) / (1 + std::abs(now.objective));
  return now;
}

} // namespace examples
