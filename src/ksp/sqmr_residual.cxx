/*
   KSPSQMR: the residual b - A x, which the convergence test decides on, and the step that reduces it after a breakdown.
*/
#include "ksp/sqmr_solve.hpp"

#include <petsc/private/kspimpl.h>

PetscErrorCode KSPSQMRTrueResidual(KSP ksp, const KSPSQMRVectors &v, PetscReal *norm)
{
  KSP_SQMR *sqmr = static_cast<KSP_SQMR *>(ksp->data);
  Mat A;

  PetscFunctionBegin;
  if (ksp->guess_zero && !sqmr->trueResiduals) {
    PetscCall(VecCopy(v.b, v.t));
  } else {
    PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
    PetscCall(KSP_MatMult(ksp, A, v.x, v.t));
    PetscCall(VecAYPX(v.t, -1.0, v.b));
  }
  if (ksp->normtype == KSP_NORM_PRECONDITIONED) {
    PetscCall(KSP_PCApply(ksp, v.t, v.e));
  } else {
    PetscCall(VecCopy(v.t, v.e));
  }
  // A block of the preconditioner that failed on some processes has to end the solve on all of them.
  if (sqmr->trueResiduals == 0)
    PetscCall(VecFlag(v.e, ksp->reason == KSP_DIVERGED_PC_FAILED));
  PetscCall(VecNorm(v.e, NORM_2, norm));
  KSPCheckNorm(ksp, *norm);
  sqmr->trueResiduals++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPSQMRLog(KSP ksp, PetscReal norm)
{
  PetscFunctionBegin;
  ksp->rnorm = ksp->normtype == KSP_NORM_NONE ? 0.0 : norm;
  PetscCall(KSPLogResidualHistory(ksp, ksp->rnorm));
  PetscCall(KSPMonitor(ksp, ksp->its, ksp->rnorm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPSQMRLogAndTest(KSP ksp, PetscReal norm)
{
  PetscFunctionBegin;
  PetscCall(KSPSQMRLog(ksp, norm));
  PetscCall((*ksp->converged)(ksp, ksp->its, ksp->rnorm, &ksp->reason, ksp->cnvP));
  if (!ksp->reason && norm == 0.0)
    ksp->reason = KSP_CONVERGED_ATOL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace {

/// One step along p that minimizes ||t - alpha A p||, t = b - A x, if it makes the norm fall below sqrt(1 - least)
/// times what it was. *made: it does, and x has moved. ap is overwritten.
PetscErrorCode MinimalResidualStep(KSP ksp, const KSPSQMRVectors &v, Vec p, Vec ap, PetscReal least, PetscBool *made)
{
  Mat A;
  PetscScalar dot;
  PetscReal tnorm, apnorm;

  PetscFunctionBegin;
  *made = PETSC_FALSE;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(KSP_MatMult(ksp, A, p, ap));
  PetscCall(VecDot(v.t, ap, &dot));
  PetscCall(VecNorm(v.t, NORM_2, &tnorm));
  PetscCall(VecNorm(ap, NORM_2, &apnorm));
  KSPCheckNorm(ksp, apnorm);
  if (PetscAbsScalar(dot) <= PetscSqrtReal(least) * tnorm * apnorm)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecAXPY(v.x, dot / PetscSqr(apnorm), p));
  *made = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode KSPSQMRLeaveBreakdown(KSP ksp, const KSPSQMRVectors &v, PetscReal *norm)
{
  const Vec p = v.q, ap = v.r;
  Mat A;
  PetscBool made;

  PetscFunctionBegin;
  PetscCall(KSP_PCApply(ksp, v.t, p));
  PetscCall(MinimalResidualStep(ksp, v, p, ap, 0.19, &made));
  if (!made && !ksp->reason) {
    PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
    PetscCall(VecConjugate(v.t));
    PetscCall(KSP_MatMult(ksp, A, v.t, p));
    PetscCall(VecConjugate(p));
    PetscCall(VecConjugate(v.t));
    PetscCall(MinimalResidualStep(ksp, v, p, ap, PETSC_SQRT_MACHINE_EPSILON, &made));
  }
  if (ksp->reason)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (!made) {
    PetscCall(PetscInfo(ksp, "The residual is orthogonal to the range of the matrix\n"));
    ksp->reason = KSP_DIVERGED_BREAKDOWN;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  ksp->its++;
  PetscCall(KSPSQMRTrueResidual(ksp, v, norm));
  if (ksp->reason)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSQMRLogAndTest(ksp, *norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
