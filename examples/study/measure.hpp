#ifndef EXAMPLES_STUDY_MEASURE_HPP
#define EXAMPLES_STUDY_MEASURE_HPP

#include "../common/residual.hpp"
#include <petscksp.h>
#include <vector>

namespace examples {

/// Seconds by the clock on the wall and of the process' processors.
struct Seconds {
  double wall = 0, processor = 0;
};

/// What a setup and the solve after it took, and what came of them. The residual is that of the original matrix.
struct Measurement {
  Seconds setup, solve;
  double analysis = 0;      ///< part of setup.wall and solve.wall in ordering and symbolic factorization
  double factorization = 0; ///< and in numeric factorization
  double application = 0;   ///< part of solve.wall in applications of the preconditioner
  PetscInt iterations = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PCFailedReason pc_reason = PC_NOERROR;
  Residual residual;
};

/// Sets up and solves A x = b, with the values that the operator of the KSP has now. original: a matrix with these
/// values that the KSP does not have. x begins at 0.
PetscErrorCode MeasureSolve(KSP ksp, Mat original, Vec b, Vec x, Measurement *measurement);

/// True relative residuals by iterations, not every one of them when there are many.
struct History {
  std::vector<PetscInt> iteration;
  std::vector<PetscReal> relative_residual;
};

/// Solves once more with the setup that there is, and computes the true residual on the way; not to be timed.
PetscErrorCode RecordHistory(KSP ksp, Mat original, Vec b, Vec x, History *history);

} // namespace examples
#endif
