#include "step.hpp"

#include <algorithm>
#include <cmath>

namespace examples {
namespace {

/// Right-hand sides of the equations t dz + z dt = q of all bounds.
struct Products {
  Values lower, upper; ///< [n + m]
};

/// Diagonals of the KKT matrix: z_l / t_l + z_u / t_u for a variable, the inverse of that for a row, 0 for an equation.
void ComputeDiagonals(const Boxes &b, const Iterate &at, Values *d_x, Values *d_w)
{
  constexpr PetscReal least = 1e-30; // so that its inverse is finite
  d_x->resize(b.n);
  d_w->resize(b.m);
  for (PetscInt k = 0; k < b.size(); ++k) {
    const PetscReal theta = std::max(at.z_l[k] / at.t_l[k] + at.z_u[k] / at.t_u[k], k < b.n ? 0 : least);
    if (k < b.n)
      (*d_x)[k] = theta;
    else
      (*d_w)[k - b.n] = b.Equation(k) ? 0 : 1 / theta;
  }
}

/// Computes steps from one iterate, whose matrix is factored.
class Directions {
public:
  Directions(const Program &program, const Boxes &boxes, const Residuals &residuals, const Iterate &at,
             const Values &d_w, KktSolver *solver)
      : p_(program), b_(boxes), r_(residuals), at_(at), d_w_(d_w), solver_(solver)
  {
  }

  /// Products that aim at t z = target, without the second-order terms.
  Products Toward(PetscReal target) const
  {
    Products q{Values(b_.size(), 0), Values(b_.size(), 0)};
    for (PetscInt k = 0; k < b_.size(); ++k) {
      q.lower[k] = b_.HasLower(k) ? target - at_.t_l[k] * at_.z_l[k] : 0;
      q.upper[k] = b_.HasUpper(k) ? target - at_.t_u[k] * at_.z_u[k] : 0;
    }
    return q;
  }

  /// Solves Newton's equations for a step `d`.
  PetscErrorCode Solve(const Products &q, Iterate *d, bool *good)
  {
    Values h(b_.size()), b_x(b_.n), b_y(r_.rows);

    PetscFunctionBeginUser;
    for (PetscInt k = 0; k < b_.size(); ++k)
      h[k] = r_.dual[k] + (q.lower[k] + at_.z_l[k] * r_.lower[k]) / at_.t_l[k] -
             (q.upper[k] - at_.z_u[k] * r_.upper[k]) / at_.t_u[k];
    for (PetscInt j = 0; j < b_.n; ++j)
      b_x[j] = -h[j];
    for (PetscInt i = 0; i < b_.m; ++i)
      b_y[i] += d_w_[i] * h[b_.n + i];
    PetscCall(solver_->Solve(b_x, b_y, &d->v, &d->y, good));
    SetActivities(h, d);
    SetPairs(q, d);
    RemoveDualError(d);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  // An error of the solver is left where it does least harm: what a large number of the diagonal multiplies is not
  // taken from the product but from the equation, which is met exactly then.

  /// Steps of activities: from the row's equation where its bounds are far away, else from its multiplier.
  void SetActivities(const Values &h, Iterate *d) const
  {
    Values activity(b_.m, 0);
    AddProduct(p_.a, 1, d->v, &activity);
    for (PetscInt i = 0; i < b_.m; ++i)
      d->v.push_back(d_w_[i] > 1 ? activity[i] - r_.rows[i] : d_w_[i] * (h[b_.n + i] - d->y[i]));
  }

  /// Steps of distances and multipliers from those of v.
  void SetPairs(const Products &q, Iterate *d) const
  {
    const PetscInt size = b_.size();
    d->t_l.assign(size, 0);
    d->t_u.assign(size, 0);
    d->z_l.assign(size, 0);
    d->z_u.assign(size, 0);
    for (PetscInt k = 0; k < size; ++k) {
      if (b_.HasLower(k)) {
        d->t_l[k] = d->v[k] - r_.lower[k];
        d->z_l[k] = (q.lower[k] - at_.z_l[k] * d->t_l[k]) / at_.t_l[k];
      }
      if (b_.HasUpper(k)) {
        d->t_u[k] = r_.upper[k] - d->v[k];
        d->z_u[k] = (q.upper[k] - at_.z_u[k] * d->t_u[k]) / at_.t_u[k];
      }
    }
  }

  /// Multipliers of variables near a bound take up what is left of the dual equations.
  void RemoveDualError(Iterate *d) const
  {
    Values left(r_.dual.begin(), r_.dual.begin() + b_.n);
    AddProduct(p_.q, -1, d->v, &left);
    AddTransposedProduct(p_.a, 1, d->y, &left);
    for (PetscInt j = 0; j < b_.n; ++j) {
      const PetscReal lower = at_.z_l[j] / at_.t_l[j], upper = at_.z_u[j] / at_.t_u[j];
      const PetscReal error = left[j] + d->z_l[j] - d->z_u[j];
      if (lower >= upper && lower > 1)
        d->z_l[j] -= error;
      else if (upper > 1)
        d->z_u[j] += error;
    }
  }

  const Program &p_;
  const Boxes &b_;
  const Residuals &r_;
  const Iterate &at_;
  const Values &d_w_;
  KktSolver *solver_;
};

/// Largest step, at most `most`, that keeps numbers from becoming negative.
PetscReal LongestStep(const Values &from, const Values &step, PetscReal most)
{
  for (std::size_t k = 0; k < from.size(); ++k)
    if (step[k] < 0)
      most = std::min(most, -from[k] / step[k]);
  return most;
}

PetscReal PrimalLength(const Iterate &at, const Iterate &d, PetscReal most)
{
  return LongestStep(at.t_u, d.t_u, LongestStep(at.t_l, d.t_l, most));
}

PetscReal DualLength(const Iterate &at, const Iterate &d, PetscReal most)
{
  return LongestStep(at.z_u, d.z_u, LongestStep(at.z_l, d.z_l, most));
}

void Add(PetscReal length, const Values &step, Values *to)
{
  for (std::size_t k = 0; k < step.size(); ++k)
    (*to)[k] += length * step[k];
}

void Move(const Iterate &d, const PetscReal lengths[2], Iterate *at)
{
  Add(lengths[0], d.v, &at->v);
  Add(lengths[0], d.t_l, &at->t_l);
  Add(lengths[0], d.t_u, &at->t_u);
  Add(lengths[1], d.z_l, &at->z_l);
  Add(lengths[1], d.z_u, &at->z_u);
  Add(lengths[1], d.y, &at->y);
}

/// Products for the corrector: toward the central path by as much as the predictor did not reach, less the products of
/// the predictor's steps, which Newton's equations leave out.
Products CorrectorProducts(const Boxes &b, const Iterate &at, const Iterate &predictor, const Directions &directions)
{
  const PetscReal lengths[2] = {PrimalLength(at, predictor, 1), DualLength(at, predictor, 1)};
  Iterate reached = at;
  Move(predictor, lengths, &reached);
  const PetscReal mu = MeanProduct(b, at), ratio = mu > 0 ? MeanProduct(b, reached) / mu : 0;
  Products q = directions.Toward(ratio * ratio * ratio * mu);
  for (PetscInt k = 0; k < b.size(); ++k) {
    q.lower[k] -= predictor.t_l[k] * predictor.z_l[k];
    q.upper[k] -= predictor.t_u[k] * predictor.z_u[k];
  }
  return q;
}

} // namespace

PetscErrorCode TakeStep(const Program &p, const Boxes &b, const Residuals &residuals, KktSolver *solver, Iterate *at,
                        PetscReal lengths[2], bool *good)
{
  constexpr PetscReal short_of_boundary = 0.995;
  Values d_x, d_w;
  Iterate predictor, step;

  PetscFunctionBeginUser;
  ComputeDiagonals(b, *at, &d_x, &d_w);
  PetscCall(solver->Factor(d_x, d_w, good));
  Directions directions(p, b, residuals, *at, d_w, solver);
  bool solved = false;
  while (*good && !solved) {
    PetscCall(directions.Solve(directions.Toward(0), &predictor, &solved));
    if (solved)
      PetscCall(directions.Solve(CorrectorProducts(b, *at, predictor, directions), &step, &solved));
    if (!solved)
      PetscCall(solver->FactorMoreRegular(good));
  }
  if (!*good)
    PetscFunctionReturn(PETSC_SUCCESS);
  lengths[0] = PrimalLength(*at, step, 1 / short_of_boundary) * short_of_boundary;
  lengths[1] = DualLength(*at, step, 1 / short_of_boundary) * short_of_boundary;
  if (p.q.entries() > 0) // Q couples them
    lengths[0] = lengths[1] = std::min(lengths[0], lengths[1]);
  Move(step, lengths, at);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
