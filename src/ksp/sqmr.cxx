/*
   Symmetric QMR without look-ahead, from Vec operations alone.

   Two residuals live side by side. The Lanczos residual r_n belongs to the biconjugate gradient iterate: it is cheap to
   compute and may grow by orders of magnitude. The QMR iterate x_n is a smoothed version of it (Zhou & Walker 1994):

      b - A x_n = (1 - c_n^2) (b - A x_{n-1}) + c_n^2 r_n,     c_n^2 = 1/(1 + theta_n^2),  theta_n = ||r_n|| / tau_{n-1}

   so the residual that the user asks about costs one more vector update, and its norm follows from inner products that
   are summed in the same reduction as those of the recurrence. In floating point it drifts away from b - A x_n, hence
   it only ever proposes: what ends the solve is b - A x_n computed afresh.
*/
#include "ksp/sqmr.hpp"

#include "tessera.h"
#include <petsc/private/kspimpl.h>

namespace {

struct KSP_SQMR {
  PetscInt trueResiduals; ///< residuals b - A x computed in the last solve
  PetscInt restarts;      ///< recurrences begun in the last solve, less the first
};

/// Vectors of a solve. All but x and b are work vectors.
struct Vectors {
  Vec x, b;
  Vec r;     ///< Lanczos residual
  Vec z;     ///< M^{-1} r
  Vec q;     ///< search direction
  Vec t;     ///< A q; b - A x after TrueResidual()
  Vec d;     ///< last change of x
  Vec e;     ///< what the norm is taken of, by recurrence: b - A x, or M^{-1} (b - A x) for the preconditioned norm
  Vec start; ///< x where the recurrence began
};
constexpr PetscInt numberOfWorkVectors = 7;

/// Scalars of the recurrence.
struct Recurrence {
  PetscScalar rho;   ///< r^T M^{-1} r
  PetscReal tau;     ///< norm of the quasi-residual
  PetscReal theta;   ///< ||r_n|| / tau_{n-1}
  PetscReal enorm;   ///< ||e||; that of the true residual once the recurrence has ended
  PetscReal inverse; ///< ||M^{-1} r|| / ||r|| where the recurrence began, the scale that rho is measured with
};

/// Why a recurrence ended with the solve still open.
enum class Ending { Drift, Breakdown, Iterations };

/// An iteration in which the Lanczos residual grows past tau by this factor leaves no correct digits in it.
PetscReal LargestTheta()
{
  return PetscPowReal(PETSC_MACHINE_EPSILON, -0.75);
}

/// The true residual may be larger than its recurrence by this factor before the recurrence is begun anew.
constexpr PetscReal allowedDrift = 2.0;

Vectors GetVectors(KSP ksp)
{
  Vec *w = ksp->work;
  return {ksp->vec_sol, ksp->vec_rhs, w[0], w[1], w[2], w[3], w[4], w[5], w[6]};
}

/// t = b - A x, e = t or M^{-1} t, *norm = ||e||. Sets ksp->reason when the norm is not finite.
PetscErrorCode TrueResidual(KSP ksp, const Vectors &v, PetscReal *norm)
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
  PetscCall(VecNorm(v.e, NORM_2, norm));
  KSPCheckNorm(ksp, *norm);
  sqmr->trueResiduals++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Log(KSP ksp, PetscReal norm)
{
  PetscFunctionBegin;
  ksp->rnorm = ksp->normtype == KSP_NORM_NONE ? 0.0 : norm;
  PetscCall(KSPLogResidualHistory(ksp, ksp->rnorm));
  PetscCall(KSPMonitor(ksp, ksp->its, ksp->rnorm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Logs a true residual norm and has the convergence test decide on it. Without any residual the solve ends in any
/// case.
PetscErrorCode LogAndTest(KSP ksp, PetscReal norm)
{
  PetscFunctionBegin;
  PetscCall(Log(ksp, norm));
  PetscCall((*ksp->converged)(ksp, ksp->its, ksp->rnorm, &ksp->reason, ksp->cnvP));
  if (!ksp->reason && norm == 0.0)
    ksp->reason = KSP_CONVERGED_ATOL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Begins a recurrence at x from the residual in t (and e), with the direction q = M^{-1} t.
PetscErrorCode Begin(KSP ksp, const Vectors &v, Recurrence *s)
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

/// Inner products after r and z have moved: *rho = z^T r, *rnorm = ||r||, and with f = r or z, as e is r- or z-like,
/// *fnorm = ||f|| and *fe = Re e^H f. Real scalars and the unpreconditioned norm: one pass over r and one reduction.
PetscErrorCode InnerProducts(KSP ksp, const Vectors &v, PetscScalar *rho, PetscReal *rnorm, PetscReal *fnorm,
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
PetscErrorCode SmoothedStep(KSP ksp, const Vectors &v, PetscScalar alpha, PetscReal theta, PetscReal fnorm,
                            PetscReal fe, Recurrence *s)
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

/// One step of the recurrence: one product with A, one with M^{-1}, two reductions. *broken: sigma = q^T A q is zero or
/// so small that r lost its digits (x and e are as before), or rho is zero (*moved: x and e have moved).
PetscErrorCode Step(KSP ksp, const Vectors &v, Recurrence *s, PetscBool *moved, PetscBool *broken)
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

/// Reports the step just made. An estimate that passes the convergence test is replaced by the true residual, which
/// then decides; *drifted when it does not pass and is far from the estimate.
PetscErrorCode Report(KSP ksp, const Vectors &v, Recurrence *s, PetscBool *drifted)
{
  const PetscReal estimate = s->enorm;
  KSPConvergedReason proposed = KSP_CONVERGED_ITERATING;

  PetscFunctionBegin;
  *drifted = PETSC_FALSE;
  if (ksp->normtype == KSP_NORM_NONE) {
    PetscCall(LogAndTest(ksp, estimate));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall((*ksp->converged)(ksp, ksp->its, estimate, &proposed, ksp->cnvP));
  if (!proposed) {
    PetscCall(Log(ksp, estimate));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(TrueResidual(ksp, v, &s->enorm));
  if (ksp->reason)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LogAndTest(ksp, s->enorm));
  *drifted = (PetscBool)(!ksp->reason && s->enorm > allowedDrift * estimate);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs the recurrence from the residual in t and e until it ends. With ksp->reason still open, t, e and s->enorm are
/// the true residual's on return.
PetscErrorCode Run(KSP ksp, const Vectors &v, Recurrence *s, Ending *ending)
{
  PetscBool broken = PETSC_FALSE, moved, drifted;

  PetscFunctionBegin;
  *ending = Ending::Breakdown;
  PetscCall(Begin(ksp, v, s));
  while (!ksp->reason && !broken) {
    if (ksp->its >= ksp->max_it) {
      *ending = Ending::Iterations;
      if (ksp->normtype != KSP_NORM_NONE)
        PetscCall(TrueResidual(ksp, v, &s->enorm));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(Step(ksp, v, s, &moved, &broken));
    if (ksp->reason || !moved)
      continue;
    PetscCall(Report(ksp, v, s, &drifted));
    if (drifted) {
      *ending = Ending::Drift;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  if (!ksp->reason)
    PetscCall(TrueResidual(ksp, v, &s->enorm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// One step along p that minimizes ||t - alpha A p||, t = b - A x, if it makes the norm fall below sqrt(1 - least)
/// times what it was. *made: it does, and x has moved. ap is overwritten.
PetscErrorCode MinimalResidualStep(KSP ksp, const Vectors &v, Vec p, Vec ap, PetscReal least, PetscBool *made)
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

/// Leaves a breakdown by one iteration that reduces ||b - A x||, from the residual in t: along M^{-1} t if that helps
/// by a tenth, else along the gradient A^H t, where the norm falls unless x minimizes it already. Then,
/// KSP_DIVERGED_BREAKDOWN.
PetscErrorCode LeaveBreakdown(KSP ksp, const Vectors &v, PetscReal *norm)
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
  PetscCall(TrueResidual(ksp, v, norm));
  if (ksp->reason)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LogAndTest(ksp, *norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// How the true residual fell from one open end of the recurrence to the next.
struct Progress {
  PetscReal norm; ///< at the last end
  PetscInt idle;  ///< ends in a row without a worthwhile fall
};

/// After an open end of the recurrence with the true residual in t: decides whether another one may help, and leaves a
/// breakdown. After a drift the residual has to be halved; after a breakdown it has to fall by a tenth, but may fail to
/// once.
PetscErrorCode Continue(KSP ksp, const Vectors &v, Ending ending, Progress *progress, PetscReal *norm)
{
  const bool drift = ending == Ending::Drift;
  KSP_SQMR *sqmr = static_cast<KSP_SQMR *>(ksp->data);

  PetscFunctionBegin;
  if (*norm == 0.0) {
    ksp->reason = KSP_CONVERGED_ATOL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ksp->its >= ksp->max_it) {
    ksp->reason = KSP_DIVERGED_ITS;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscInfo(ksp, "%s at iteration %" PetscInt_FMT ", residual norm %g\n", drift ? "Drift" : "Breakdown",
                      ksp->its, (double)*norm));
  progress->idle = *norm <= (drift ? 0.5 : 0.9) * progress->norm ? 0 : progress->idle + 1;
  progress->norm = *norm;
  if (progress->idle > (drift ? 0 : 1)) {
    ksp->reason = KSP_DIVERGED_BREAKDOWN;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  sqmr->restarts++;
  if (!drift)
    PetscCall(LeaveBreakdown(ksp, v, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPSolve_SQMR(KSP ksp)
{
  const Vectors v = GetVectors(ksp);
  KSP_SQMR *sqmr = static_cast<KSP_SQMR *>(ksp->data);
  Recurrence s;
  Ending ending = Ending::Breakdown;
  PetscReal norm, startnorm;

  PetscFunctionBegin;
  *sqmr = {};
  ksp->its = 0;
  PetscCall(TrueResidual(ksp, v, &norm));
  if (!ksp->reason)
    PetscCall(LogAndTest(ksp, norm));
  for (Progress progress = {norm, 0}; !ksp->reason;) {
    startnorm = s.enorm = norm;
    PetscCall(Run(ksp, v, &s, &ending));
    if (ksp->reason > 0 || ksp->reason == KSP_DIVERGED_NANORINF || ksp->reason == KSP_DIVERGED_PC_FAILED)
      break;
    norm = s.enorm;
    if (norm > startnorm) { // QMR iterates are not monotone: give back the better one
      PetscCall(VecCopy(v.start, v.x));
      norm = startnorm;
      if (!ksp->reason)
        PetscCall(TrueResidual(ksp, v, &norm));
    }
    if (!ksp->reason)
      PetscCall(Continue(ksp, v, ending, &progress, &norm));
    ksp->rnorm = ksp->normtype == KSP_NORM_NONE ? 0.0 : norm;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPSetUp_SQMR(KSP ksp)
{
  Mat A;
  PetscBool known, symmetric;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  PetscCheck(!known || symmetric, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_INCOMP,
             "KSP type " KSPSQMR " is for symmetric matrices, this one is known not to be; use gmres, bcgs or tfqmr");
  PetscCall(KSPSetWorkVecs(ksp, numberOfWorkVectors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPView_SQMR(KSP ksp, PetscViewer viewer)
{
  const KSP_SQMR *sqmr = static_cast<KSP_SQMR *>(ksp->data);
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (ascii)
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "  last solve: true residuals computed %" PetscInt_FMT ", recurrences begun anew %" PetscInt_FMT "\n",
        sqmr->trueResiduals, sqmr->restarts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/*MC
   KSPSQMR - Symmetric QMR of Freund and Nachtigal [1], the quasi-minimal residual method for a symmetric, possibly
   indefinite matrix and a symmetric, possibly indefinite preconditioner. In the form of [2] for J-symmetric problems.

   Options Database Keys:
+  -ksp_type sqmr                                        - selects this method
-  -ksp_norm_type (unpreconditioned|preconditioned|none) - the residual that decides on convergence, the first by
default

   Level: intermediate

   Notes:
   `KSPMINRES` and `KSPSYMMLQ` need a positive definite preconditioner. This method takes an indefinite one, such as an
   incomplete or complete LDL^T factorization of a KKT matrix or an indefinite Schur complement preconditioner, and
still has a short recurrence: one product with the matrix, one application of the preconditioner and two reductions an
   iteration, and seven work vectors.

   The smoothing is done in the unpreconditioned norm. Every norm that decides on convergence or divergence, and the one
   of the final iterate, is that of the true residual b - A x (or, with `KSP_NORM_PRECONDITIONED`, of the preconditioner
   applied to it), computed with one more product with the matrix. The norms monitored on the way are by recurrence. A
   convergence test is asked twice in an iteration when it accepts the norm by recurrence: again with the true one. When
   that is not accepted and more than twice as large, the recurrence begins anew from it.

   After a breakdown (a zero inner product in the recurrence) one step that minimizes ||b - A x|| is made, along the
   preconditioned residual or, where that does not help, along the gradient; it counts as an iteration, and the
   recurrence begins anew. `KSP_DIVERGED_BREAKDOWN` is set when that does not help: when
   there is no descent (a singular and inconsistent system), after a second breakdown in a row without the residual
   fallen by a tenth, or after a drift without the residual halved. The iterate given back is never worse, in the norm
asked for, than the initial guess or than where the last recurrence began; `KSPView()` tells how many there were.

   With complex scalars the matrix and the preconditioner are to be complex symmetric, A^T = A, not Hermitian: the
   recurrence is in the bilinear form x^T y without conjugation, `VecTDot()`.

   Symmetry is not checked, except that a matrix known not to be symmetric, see `MatIsSymmetricKnown()`, is an error.
   Nonsymmetric preconditioners such as `PCILU`, `PCSOR` without symmetric sweeps, or an inner `KSP`, do not work.

   References:
   [1] R. W. Freund and N. M. Nachtigal, A new Krylov-subspace method for symmetric indefinite linear systems,
ORNL/TM-12754 and Proceedings of the 14th IMACS World Congress, 1994. [2] R. W. Freund and F. Jarre, A QMR-based
interior-point algorithm for solving linear programs, Mathematical Programming 76, 1997. [3] L. Zhou and H. F. Walker,
Residual smoothing techniques for iterative methods, SIAM Journal on Scientific Computing 15, 1994.

.seealso: [](ch_ksp), `KSPCreate()`, `KSPSetType()`, `KSPType`, `KSP`, `KSPMINRES`, `KSPSYMMLQ`, `KSPTFQMR`, `KSPQMRCGS`
M*/
PetscErrorCode KSPCreate_SQMR(KSP ksp)
{
  KSP_SQMR *sqmr;

  PetscFunctionBegin;
  PetscCall(PetscNew(&sqmr));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_PRECONDITIONED, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
  ksp->data = sqmr;
  ksp->ops->setup = KSPSetUp_SQMR;
  ksp->ops->solve = KSPSolve_SQMR;
  ksp->ops->destroy = KSPDestroyDefault;
  ksp->ops->view = KSPView_SQMR;
  ksp->ops->buildsolution = KSPBuildSolutionDefault;
  ksp->ops->buildresidual = KSPBuildResidualDefault;
  PetscFunctionReturn(PETSC_SUCCESS);
}
