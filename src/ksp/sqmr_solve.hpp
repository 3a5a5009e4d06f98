#ifndef TESSERA_KSP_SQMR_SOLVE_HPP
#define TESSERA_KSP_SQMR_SOLVE_HPP

#include <petscksp.h>

// The parts of a solve by KSPSQMR: what they share, the recurrence (sqmr_recurrence.cxx), and the residual b - A x with
// what is decided by it (sqmr_residual.cxx). sqmr.cxx puts them together.

struct KSP_SQMR {
  PetscInt trueResiduals; ///< residuals b - A x computed in the last solve
  PetscInt restarts;      ///< recurrences begun in the last solve, less the first
};

/// Vectors of a solve. All but x and b are work vectors.
struct KSPSQMRVectors {
  Vec x, b;
  Vec r;     ///< Lanczos residual
  Vec z;     ///< M^{-1} r
  Vec q;     ///< search direction
  Vec t;     ///< A q; b - A x after KSPSQMRTrueResidual()
  Vec d;     ///< last change of x
  Vec e;     ///< what the norm is taken of, by recurrence: b - A x, or M^{-1} (b - A x) for the preconditioned norm
  Vec start; ///< x where the recurrence began
};
constexpr PetscInt numberOfWorkVectors = 7;

/// Scalars of the recurrence.
struct KSPSQMRRecurrence {
  PetscScalar rho;   ///< r^T M^{-1} r
  PetscReal tau;     ///< norm of the quasi-residual
  PetscReal theta;   ///< ||r_n|| / tau_{n-1}
  PetscReal enorm;   ///< ||e||; that of the true residual once the recurrence has ended
  PetscReal inverse; ///< ||M^{-1} r|| / ||r|| where the recurrence began, the scale that rho is measured with
};

/// Begins a recurrence at x from the residual in t (and e), with the direction q = M^{-1} t.
PETSC_INTERN PetscErrorCode KSPSQMRBegin(KSP ksp, const KSPSQMRVectors &v, KSPSQMRRecurrence *s);

/// One step of the recurrence: one product with A, one with M^{-1}, two reductions. *broken: sigma = q^T A q is zero or
/// so small that r lost its digits (x and e are as before), or rho is zero (*moved: x and e have moved).
PETSC_INTERN PetscErrorCode KSPSQMRStep(KSP ksp, const KSPSQMRVectors &v, KSPSQMRRecurrence *s, PetscBool *moved,
                                        PetscBool *broken);

/// t = b - A x, e = t or M^{-1} t, *norm = ||e||. Sets ksp->reason when the norm is not finite.
PETSC_INTERN PetscErrorCode KSPSQMRTrueResidual(KSP ksp, const KSPSQMRVectors &v, PetscReal *norm);

/// Logs a norm as the one of this iteration.
PETSC_INTERN PetscErrorCode KSPSQMRLog(KSP ksp, PetscReal norm);

/// Logs a true residual norm and has the convergence test decide on it. Without any residual the solve ends in any
/// case.
PETSC_INTERN PetscErrorCode KSPSQMRLogAndTest(KSP ksp, PetscReal norm);

/// Leaves a breakdown by one iteration that reduces ||b - A x||, from the residual in t: along M^{-1} t if that helps
/// by a tenth, else along the gradient A^H t, where the norm falls unless x minimizes it already. Then,
/// KSP_DIVERGED_BREAKDOWN.
PETSC_INTERN PetscErrorCode KSPSQMRLeaveBreakdown(KSP ksp, const KSPSQMRVectors &v, PetscReal *norm);

#endif
