/*
   KSPSQMR: the recurrence.
*/
#include "ksp/sqmr_solve.hpp"

#include <petsc/private/kspimpl.h>

namespace {

/// An iteration in which the Lanczos residual grows past tau by this factor leaves no correct digits in it.
PetscReal LargestTheta()
{
  return PetscPowReal(PETSC_MACHINE_EPSILON, -0.75);
}

/// Inner products after r and z have moved: *rho = z^T r, *rnorm = ||r||, and with f = r or z, as e is r- or z-like,
/// *fnorm = ||f|| and *fe = Re e^H f. Real scalars and the unpreconditioned norm: one pass over r and one reduction.
PetscErrorCode InnerProducts(KSP ksp, const KSPSQMRVectors &v, PetscScalar *rho, PetscReal *rnorm, PetscReal *fnorm,
                             PetscReal *fe)
{
  const bool preconditioned = ksp->normtype == KSP_NORM_PRECONDITIONED;
  const Vec f = preconditioned ? v.z : v.r;
  const Vec with[3] = {f, v.e, preconditioned ? v.r : v.z};
  PetscScalar dot[3];

  PetscFunctionBegin;
  PetscCall(VecMDot(f, PetscDefined(USE_COMPLEX) ? 2 : 3, with, dot));
  *fnorm = PetscSqrtReal(PetscRealPart(dot[0]));
  *fe = PetscRealPart(dot[1]);
  if (PetscDefined(USE_COMPLEX)) {
    PetscCall(VecTDot(v.z, v.r, rho));
  } else {
    *rho = dot[2];
  }
  if (preconditioned) {
    PetscCall(VecNorm(v.r, NORM_2, rnorm));
  } else {
    *rnorm = *fnorm;
  }
  KSPCheckNorm(ksp, *rnorm);
  KSPCheckNorm(ksp, *fnorm);
  KSPCheckDot(ksp, *rho);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Moves x and e by one step of length alpha along q, smoothed with weight c2 = c_n^2, and s->enorm with them.
PetscErrorCode SmoothedStep(KSP ksp, const KSPSQMRVectors &v, PetscScalar alpha, PetscReal theta, PetscReal fnorm,
                            PetscReal fe, KSPSQMRRecurrence *s)
{
  const PetscReal c2 = 1.0 / (1.0 + theta * theta);
  const PetscReal rest = theta * theta * c2; // 1 - c2 without cancellation
  PetscReal square;

  PetscFunctionBegin;
  PetscCall(VecAXPBY(v.d, alpha * c2, c2 * s->theta * s->theta, v.q));
  PetscCall(VecAXPY(v.x, 1.0, v.d));
  PetscCall(VecAXPBY(v.e, c2, rest, ksp->normtype == KSP_NORM_PRECONDITIONED ? v.z : v.r));
  // Where the two parts cancel this comes out too small, and the true residual is asked for too early.
  square = PetscSqr(rest * s->enorm) + PetscSqr(c2 * fnorm) + 2.0 * rest * c2 * fe;
  s->enorm = PetscSqrtReal(PetscMax(square, 0.0));
  s->tau *= theta * PetscSqrtReal(c2);
  s->theta = theta;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode KSPSQMRBegin(KSP ksp, const KSPSQMRVectors &v, KSPSQMRRecurrence *s)
{
  PetscReal rnorm, znorm;

  PetscFunctionBegin;
  PetscCall(VecCopy(v.x, v.start));
  PetscCall(VecCopy(v.t, v.r));
  if (ksp->normtype == KSP_NORM_PRECONDITIONED) {
    PetscCall(VecCopy(v.e, v.z));
  } else {
    PetscCall(KSP_PCApply(ksp, v.r, v.z));
  }
  PetscCall(VecCopy(v.z, v.q));
  PetscCall(VecSet(v.d, 0.0));
  PetscCall(VecTDot(v.z, v.r, &s->rho));
  KSPCheckDot(ksp, s->rho);
  PetscCall(VecNorm(v.r, NORM_2, &rnorm));
  PetscCall(VecNorm(v.z, NORM_2, &znorm));
  KSPCheckNorm(ksp, znorm);
  s->inverse = znorm / rnorm;
  s->tau = rnorm;
  s->theta = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPSQMRStep(KSP ksp, const KSPSQMRVectors &v, KSPSQMRRecurrence *s, PetscBool *moved, PetscBool *broken)
{
  Mat A;
  PetscScalar sigma, alpha, rho = 0.0;
  PetscReal rnorm = 0.0, fnorm = 0.0, fe = 0.0;

  PetscFunctionBegin;
  *moved = PETSC_FALSE;
  *broken = PETSC_TRUE;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(KSP_MatMult(ksp, A, v.q, v.t));
  PetscCall(VecTDot(v.q, v.t, &sigma));
  KSPCheckDot(ksp, sigma);
  if (sigma == 0.0)
    PetscFunctionReturn(PETSC_SUCCESS);
  alpha = s->rho / sigma;
  if (PetscIsInfOrNanScalar(alpha))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecAXPY(v.r, -alpha, v.t));
  PetscCall(KSP_PCApply(ksp, v.r, v.z));
  PetscCall(InnerProducts(ksp, v, &rho, &rnorm, &fnorm, &fe));
  if (ksp->reason)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (rnorm > LargestTheta() * s->tau)
    PetscFunctionReturn(PETSC_SUCCESS);

  PetscCall(SmoothedStep(ksp, v, alpha, rnorm / s->tau, fnorm, fe, s));
  *moved = PETSC_TRUE;
  ksp->its++;
  if (PetscAbsScalar(rho) <= PETSC_MACHINE_EPSILON * s->inverse * rnorm * rnorm)
    PetscFunctionReturn(PETSC_SUCCESS);
  *broken = PETSC_FALSE;
  PetscCall(VecAYPX(v.q, rho / s->rho, v.z));
  s->rho = rho;
  PetscFunctionReturn(PETSC_SUCCESS);
}
