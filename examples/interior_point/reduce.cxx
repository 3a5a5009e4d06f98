#include "reduce.hpp"

#include <algorithm>
#include <cmath>

namespace examples {
namespace {

/// Bounds that cross by no more than rounding are taken for equal.
constexpr PetscReal same = 1e-13;

PetscReal Magnitude(PetscReal a, PetscReal b)
{
  return std::max({std::abs(a), std::abs(b), PetscReal(1)});
}

bool Fixed(PetscReal lower, PetscReal upper)
{
  return std::isfinite(lower) && std::isfinite(upper) && upper - lower <= same * Magnitude(lower, upper);
}

/// Whether no number is between two bounds.
bool Crossed(PetscReal lower, PetscReal upper)
{
  return lower == unbounded || upper == -unbounded || (lower > upper && !Fixed(lower, upper)) ||
         (Fixed(lower, upper) && lower - upper > same * Magnitude(lower, upper));
}

bool NoBound(const Bounds &bounds, PetscInt k)
{
  return bounds.lower[k] == -unbounded && bounds.upper[k] == unbounded;
}

void Conclude(Status status, const char *what, PetscInt index, const char *why, Reduction *r)
{
  if (r->status != Status::Open)
    return;
  r->status = status;
  r->reason = std::string(what) + " " + std::to_string(index + 1) + " " + why;
}

void FindCrossedBounds(const Program &p, Reduction *r)
{
  for (PetscInt j = 0; j < p.variables(); ++j)
    if (Crossed(p.variable.lower[j], p.variable.upper[j]))
      Conclude(Status::Infeasible, "variable", j, "has a lower bound above its upper bound", r);
  for (PetscInt i = 0; i < p.rows(); ++i)
    if (Crossed(p.row.lower[i], p.row.upper[i]))
      Conclude(Status::Infeasible, "row", i, "has a lower bound above its upper bound", r);
}

/// Entries other than zero of each variable in Q and in the rows that have a bound.
std::vector<PetscInt> CountUses(const Program &p)
{
  std::vector<PetscInt> uses(p.variables(), 0);
  for (PetscInt i = 0; i < p.rows(); ++i)
    for (PetscInt k = p.a.start[i]; k < p.a.start[i + 1] && !NoBound(p.row, i); ++k)
      uses[p.a.column[k]] += p.a.value[k] != 0;
  for (PetscInt k = 0; k < p.q.entries(); ++k)
    uses[p.q.column[k]] += p.q.value[k] != 0;
  return uses;
}

/// Value of a variable that only the objective knows: the best one within its bounds.
PetscReal BestValue(const Program &p, PetscInt j, Reduction *r)
{
  const PetscReal lower = p.variable.lower[j], upper = p.variable.upper[j];
  if (p.cost[j] == 0)
    return std::min(std::max(lower, PetscReal(0)), upper);
  const PetscReal best = p.cost[j] > 0 ? lower : upper;
  if (std::isfinite(best))
    return best;
  Conclude(Status::Unbounded, "variable", j, "is in no constraint and has no bound where its cost leads", r);
  return 0;
}

/// Chooses the variables to keep, and the values of the others; `place` is where a variable goes, or -1.
void ChooseVariables(const Program &p, Reduction *r, std::vector<PetscInt> *place)
{
  const std::vector<PetscInt> uses = CountUses(p);
  Program &left = r->program;
  r->value.assign(p.variables(), 0);
  place->assign(p.variables(), -1);
  for (PetscInt j = 0; j < p.variables(); ++j) {
    const PetscReal lower = p.variable.lower[j], upper = p.variable.upper[j];
    if (Fixed(lower, upper)) {
      r->value[j] = lower;
    } else if (uses[j] == 0) {
      r->value[j] = BestValue(p, j, r);
    } else {
      (*place)[j] = static_cast<PetscInt>(r->kept.size());
      r->kept.push_back(j);
      left.variable.Append(lower, upper);
    }
  }
}

/// Objective in the variables that are kept.
void ReduceObjective(const Program &p, const std::vector<PetscInt> &place, Reduction *r)
{
  Program &left = r->program;
  left.sign = p.sign;
  left.constant = Objective(p, r->value);
  Values gradient(p.cost);
  AddProduct(p.q, 1, r->value, &gradient);
  left.q.cols = static_cast<PetscInt>(r->kept.size());
  for (const PetscInt j : r->kept) {
    left.cost.push_back(gradient[j]);
    for (PetscInt k = p.q.start[j]; k < p.q.start[j + 1]; ++k)
      if (place[p.q.column[k]] >= 0 && p.q.value[k] != 0)
        left.q.Append(place[p.q.column[k]], p.q.value[k]);
    left.q.EndRow();
  }
}

/// Rows that have a bound and an entry in the variables that are kept.
void ReduceRows(const Program &p, const std::vector<PetscInt> &place, Reduction *r)
{
  Program &left = r->program;
  left.a.cols = static_cast<PetscInt>(r->kept.size());
  for (PetscInt i = 0; i < p.rows(); ++i) {
    if (NoBound(p.row, i))
      continue;
    PetscReal gone = 0, size = 0;
    for (PetscInt k = p.a.start[i]; k < p.a.start[i + 1]; ++k) {
      const PetscReal term = p.a.value[k] * r->value[p.a.column[k]];
      gone += term;
      size = std::max(size, std::abs(term));
      if (place[p.a.column[k]] >= 0 && p.a.value[k] != 0)
        left.a.Append(place[p.a.column[k]], p.a.value[k]);
    }
    if (static_cast<PetscInt>(left.a.column.size()) > left.a.start.back()) {
      const bool equation = Fixed(p.row.lower[i], p.row.upper[i]);
      left.a.EndRow();
      left.row.Append(p.row.lower[i] - gone, (equation ? p.row.lower[i] : p.row.upper[i]) - gone);
      continue;
    }
    constexpr PetscReal rounding = 1e-9;
    const PetscReal slack = rounding * std::max(size, PetscReal(1));
    if (gone < p.row.lower[i] - slack || gone > p.row.upper[i] + slack)
      Conclude(Status::Infeasible, "row", i, "has no variable that is not fixed, and its bounds are not met", r);
  }
}

} // namespace

PetscErrorCode Reduce(const Program &p, Reduction *r)
{
  std::vector<PetscInt> place;

  PetscFunctionBeginUser;
  FindCrossedBounds(p, r);
  if (r->status != Status::Open)
    PetscFunctionReturn(PETSC_SUCCESS);
  ChooseVariables(p, r, &place);
  ReduceObjective(p, place, r);
  ReduceRows(p, place, r);
  PetscFunctionReturn(PETSC_SUCCESS);
}

Values Restore(const Reduction &r, const Values &x)
{
  Values all = r.value;
  for (std::size_t k = 0; k < r.kept.size(); ++k)
    all[r.kept[k]] = x[k];
  return all;
}

} // namespace examples
