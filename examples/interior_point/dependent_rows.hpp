#ifndef EXAMPLES_INTERIOR_POINT_DEPENDENT_ROWS_HPP
#define EXAMPLES_INTERIOR_POINT_DEPENDENT_ROWS_HPP

#include "program.hpp"
#include "scaling.hpp"

namespace examples {

/// Equations that follow from others.
struct DependentRows {
  std::vector<PetscInt> row;  ///< ascending
  PetscLogDouble seconds = 0; ///< of finding them by a matrix that is there
};

/// Finds equations A_E x = b that follow from the others: the null space of [I A_Eᵀ; A_E 0] has the multipliers y with
/// A_Eᵀ y = 0, and the rows with the pivots of their elimination depend on the others. None where bᵀ y = 0 does not
/// hold for all of them, as the equations contradict each other then, where a null vector is not accurate, and where
/// Tessera, whose factorization finds the null space, was not loaded. -mat_type: of the matrix.
PetscErrorCode FindDependentRows(const Program &program, DependentRows *dependent);

/// The program without these rows; scaling: that of its rows likewise.
Program WithoutRows(const Program &program, const DependentRows &dependent, Scaling *scaling);

/// The largest violation of these rows, as Measure() has it.
PetscReal Violation(const Program &program, const Scaling &scaling, const DependentRows &dependent, const Values &x);

} // namespace examples
#endif
