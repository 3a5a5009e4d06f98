#ifndef EXAMPLES_INTERIOR_POINT_REDUCE_HPP
#define EXAMPLES_INTERIOR_POINT_REDUCE_HPP

#include "program.hpp"

namespace examples {

/// What is known about a program.
enum class Status {
  Open,       ///< nothing yet
  Optimal,    ///< the iterate is within the tolerances
  Infeasible, ///< no point meets all constraints
  Unbounded,  ///< the objective has no bound, if a feasible point exists
  Failed      ///< the steps ended without any of these
};

/// How a program is left by Reduce().
struct Reduction {
  Status status = Status::Open; ///< Infeasible or Unbounded where that shows without a step
  std::string reason;           ///< why, in words
  Program program;              ///< what is left to solve
  std::vector<PetscInt> kept;   ///< [program.variables()] variables of the original program
  Values value;                 ///< [original variables] values of those that are gone
};

/// Takes out what an interior-point method cannot have or has no use for: variables that their bounds fix, variables
/// without an entry in A and Q (they go where the objective is least), rows without an entry, rows without a bound.
/// This is no presolve: nothing is derived from constraints.
PetscErrorCode Reduce(const Program &program, Reduction *reduction);

/// Solution of the original program from that of the reduced one.
Values Restore(const Reduction &reduction, const Values &x);

} // namespace examples
#endif
