#ifndef EXAMPLES_INTERIOR_POINT_ITERATE_HPP
#define EXAMPLES_INTERIOR_POINT_ITERATE_HPP

#include "scaling.hpp"

namespace examples {

/// A primal-dual iterate of a program. Variables x and row activities w are treated alike, as the n + m "boxed" numbers
/// v = (x, w): v has a bound, or not, on either side, t_l and t_u are its distances to them, z_l and z_u their
/// multipliers. An equation's activity is a constant: no distances, no multipliers beside y. At a solution
///   A x = w,  v - t_l = lower,  v + t_u = upper,
///   (Q x + c - A^T y, y) = z_l - z_u,  t_l z_l = 0,  t_u z_u = 0,  t_l, t_u, z_l, z_u >= 0.
struct Iterate {
  Values v;        ///< [n + m]
  Values t_l, t_u; ///< [n + m], 1 where there is no such bound
  Values z_l, z_u; ///< [n + m], 0 where there is no such bound
  Values y;        ///< [m]
};

/// Bounds of all boxed numbers of a program.
struct Boxes {
  PetscInt n, m;
  Values lower, upper; ///< [n + m]
  PetscInt pairs = 0;  ///< products t z that are to vanish

  explicit Boxes(const Program &program);

  PetscInt size() const { return n + m; }
  bool Equation(PetscInt k) const { return k >= n && lower[k] == upper[k]; }
  bool HasLower(PetscInt k) const { return lower[k] != -unbounded && !Equation(k); }
  bool HasUpper(PetscInt k) const { return upper[k] != unbounded && !Equation(k); }
};

/// What is left of the optimality conditions but complementarity: the right-hand sides of Newton's equations.
struct Residuals {
  Values rows;  ///< [m]      w - A x
  Values lower; ///< [n + m]  lower - v + t_l
  Values upper; ///< [n + m]  upper - v - t_u
  Values dual;  ///< [n + m]  z_l - z_u - (Q x + c - A^T y, y); 0 for an equation
};

/// How far an iterate is from a solution, in the units of the program before it was scaled.
struct Progress {
  PetscReal primal = 0, dual = 0; ///< infeasibility relative to the largest bound or cost, at least 1
  PetscReal objective = 0;        ///< primal one
  PetscReal dual_objective = 0;
  PetscReal gap = 0; ///< of the objectives, relative to the primal one, at least 1
};

Residuals ComputeResiduals(const Program &program, const Boxes &boxes, const Iterate &at);

/// The largest bound of a scaled program, of a row or a variable, in the units before.
PetscReal LargestBound(const Program &program, const Scaling &scaling);

Progress Measure(const Program &program, const Scaling &scaling, const Boxes &boxes, const Iterate &at,
                 const Residuals &residuals);

/// Mean product t z, 0 if there is none.
PetscReal MeanProduct(const Boxes &boxes, const Iterate &at);

} // namespace examples
#endif
