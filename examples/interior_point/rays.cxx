#include "rays.hpp"

#include <algorithm>
#include <cmath>

namespace examples {
namespace {

PetscReal Largest(const Values &values)
{
  PetscReal largest = 0;
  for (const PetscReal value : values)
    largest = std::max(largest, std::abs(value));
  return largest;
}

/// Whether the multipliers of an iterate prove that there is no feasible point.
bool ProvesInfeasible(const Program &p, const Boxes &b, const Iterate &at, PetscReal tolerance)
{
  PetscReal value = 0, size = 0;
  Values left(b.n, 0);
  AddTransposedProduct(p.a, -1, at.y, &left);
  left.insert(left.end(), at.y.begin(), at.y.end());
  for (PetscInt k = 0; k < b.size(); ++k) {
    if (b.Equation(k)) {
      value += b.lower[k] * at.y[k - b.n];
      size = std::max(size, std::abs(at.y[k - b.n]));
      left[k] = 0;
      continue;
    }
    left[k] -= at.z_l[k] - at.z_u[k];
    value += (b.HasLower(k) ? b.lower[k] * at.z_l[k] : 0) - (b.HasUpper(k) ? b.upper[k] * at.z_u[k] : 0);
    size = std::max({size, at.z_l[k], at.z_u[k]});
  }
  return value > 0 && Largest(left) <= tolerance * std::min(value, size);
}

/// Whether x of an iterate is a direction along which the objective falls for ever.
bool ProvesUnbounded(const Program &p, const Boxes &b, const Iterate &at, PetscReal tolerance)
{
  Values v(at.v.begin(), at.v.begin() + b.n), qx(b.n, 0);
  PetscReal fall = 0;
  for (PetscInt j = 0; j < b.n; ++j)
    fall -= p.cost[j] * v[j];
  AddProduct(p.q, 1, v, &qx);
  const PetscReal allowed = tolerance * std::min(fall, Largest(v));
  v.resize(b.size(), 0);
  Values activity(b.m, 0);
  AddProduct(p.a, 1, v, &activity);
  std::copy(activity.begin(), activity.end(), v.begin() + b.n);
  bool inside = fall > 0 && Largest(qx) <= allowed;
  for (PetscInt k = 0; k < b.size(); ++k) {
    inside = inside && (b.lower[k] == -unbounded || v[k] >= -allowed);
    inside = inside && (b.upper[k] == unbounded || v[k] <= allowed);
  }
  return inside;
}

} // namespace

Status Judge(const Program &p, const Boxes &b, const Iterate &at, PetscReal tolerance)
{
  if (ProvesInfeasible(p, b, at, tolerance))
    return Status::Infeasible;
  if (ProvesUnbounded(p, b, at, tolerance))
    return Status::Unbounded;
  return Status::Open;
}

} // namespace examples
