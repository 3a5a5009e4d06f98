#ifndef EXAMPLES_INTERIOR_POINT_METHOD_HPP
#define EXAMPLES_INTERIOR_POINT_METHOD_HPP

#include "iterate.hpp"
#include "kkt_solver.hpp"
#include "reduce.hpp"

namespace examples {

/// What a solve asks for.
struct Goal {
  PetscReal gap = 1e-8;         ///< relative gap of the objectives
  PetscReal feasibility = 1e-8; ///< relative primal and dual infeasibility
  PetscInt most_steps = 200;
  bool quiet = false; ///< no line a step
};

/// What came of it.
struct Outcome {
  Status status = Status::Open;
  std::string reason; ///< of a status other than Optimal
  std::string method; ///< names of KSP and PC
  Progress progress;  ///< of the last iterate
  PetscInt steps = 0;
  KktSolver::Effort effort; ///< of all steps
  Values x;                 ///< [variables] of the program that was given
};

/// Solves a program. Prints a line a step, unless the goal is to be quiet.
PetscErrorCode SolveProgram(const Program &program, const Goal &goal, Outcome *outcome);

} // namespace examples
#endif
