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

#include "ksp/sqmr_solve.hpp"
#include "tessera.h"
#include <petsc/private/kspimpl.h>

namespace {

/// Why a recurrence ended with the solve still open.
enum class Ending { Drift, Breakdown, Iterations };

/// The true residual may be larger than its recurrence by this factor before the recurrence is begun anew.
constexpr PetscReal allowedDrift = 2.0;

KSPSQMRVectors GetVectors(KSP ksp)
{
  Vec *w = ksp->work;
  return {ksp->vec_sol, ksp->vec_rhs, w[0], w[1], w[2], w[3], w[4], w[5], w[6]};
}

/// Reports the step just made. An estimate that passes the convergence test is replaced by the true residual, which
/// then decides; *drifted when it does not pass and is far from the estimate.
PetscErrorCode Report(KSP ksp, const KSPSQMRVectors &v, KSPSQMRRecurrence *s, PetscBool *drifted)
{
  const PetscReal estimate = s->enorm;
  KSPConvergedReason proposed = KSP_CONVERGED_ITERATING;

  PetscFunctionBegin;
  *drifted = PETSC_FALSE;
  if (ksp->normtype == KSP_NORM_NONE) {
    PetscCall(KSPSQMRLogAndTest(ksp, estimate));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall((*ksp->converged)(ksp, ksp->its, estimate, &proposed, ksp->cnvP));
  if (!proposed) {
    PetscCall(KSPSQMRLog(ksp, estimate));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(KSPSQMRTrueResidual(ksp, v, &s->enorm));
  if (ksp->reason)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSQMRLogAndTest(ksp, s->enorm));
  *drifted = (PetscBool)(!ksp->reason && s->enorm > allowedDrift * estimate);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs the recurrence from the residual in t and e until it ends. With ksp->reason still open, t, e and s->enorm are
/// the true residual's on return.
PetscErrorCode Run(KSP ksp, const KSPSQMRVectors &v, KSPSQMRRecurrence *s, Ending *ending)
{
  PetscBool broken = PETSC_FALSE, moved, drifted;

  PetscFunctionBegin;
  *ending = Ending::Breakdown;
  PetscCall(KSPSQMRBegin(ksp, v, s));
  while (!ksp->reason && !broken) {
    if (ksp->its >= ksp->max_it) {
      *ending = Ending::Iterations;
      if (ksp->normtype != KSP_NORM_NONE)
        PetscCall(KSPSQMRTrueResidual(ksp, v, &s->enorm));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(KSPSQMRStep(ksp, v, s, &moved, &broken));
    if (ksp->reason || !moved)
      continue;
    PetscCall(Report(ksp, v, s, &drifted));
    if (drifted) {
      *ending = Ending::Drift;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  if (!ksp->reason)
    PetscCall(KSPSQMRTrueResidual(ksp, v, &s->enorm));
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
PetscErrorCode Continue(KSP ksp, const KSPSQMRVectors &v, Ending ending, Progress *progress, PetscReal *norm)
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
    PetscCall(KSPSQMRLeaveBreakdown(ksp, v, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPSolve_SQMR(KSP ksp)
{
  const KSPSQMRVectors v = GetVectors(ksp);
  KSP_SQMR *sqmr = static_cast<KSP_SQMR *>(ksp->data);
  KSPSQMRRecurrence s;
  Ending ending = Ending::Breakdown;
  PetscReal norm, startnorm;

  PetscFunctionBegin;
  *sqmr = {};
  ksp->its = 0;
  PetscCall(KSPSQMRTrueResidual(ksp, v, &norm));
  if (!ksp->reason)
    PetscCall(KSPSQMRLogAndTest(ksp, norm));
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
        PetscCall(KSPSQMRTrueResidual(ksp, v, &norm));
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
-  -ksp_norm_type (unpreconditioned|preconditioned|none) - whose residual decides on convergence, by default the first

   Level: intermediate

   Notes:
   `KSPMINRES` and `KSPSYMMLQ` need a positive definite preconditioner. This method takes an indefinite one, such as an
   incomplete or complete LDL^T factorization of a KKT matrix or an indefinite Schur complement preconditioner, and
   still has a short recurrence: one product with the matrix, one application of the preconditioner and two reductions
   an iteration, and seven work vectors.

   The smoothing is done in the unpreconditioned norm. Every norm that decides on convergence or divergence, and the one
   of the final iterate, is that of the true residual b - A x (or, with `KSP_NORM_PRECONDITIONED`, of the preconditioner
   applied to it), computed with one more product with the matrix. The norms monitored on the way are by recurrence. A
   convergence test is asked twice in an iteration when it accepts the norm by recurrence: again with the true one. When
   that is not accepted and more than twice as large, the recurrence begins anew from it.

   After a breakdown (a zero inner product in the recurrence) one step that minimizes ||b - A x|| is made, along the
   preconditioned residual or, where that does not help, along the gradient; it counts as an iteration, and the
   recurrence begins anew. `KSP_DIVERGED_BREAKDOWN` is set when that does not help: when there is no descent (a singular
   and inconsistent system), after a second breakdown in a row without the residual fallen by a tenth, or after a drift
   without the residual halved. The iterate given back is never worse, in the norm asked for, than the initial guess or
   than where the last recurrence began; `KSPView()` tells how many there were.

   With complex scalars the matrix and the preconditioner are to be complex symmetric, A^T = A, not Hermitian: the
   recurrence is in the bilinear form x^T y without conjugation, `VecTDot()`.

   Symmetry is not checked, except that a matrix known not to be symmetric, see `MatIsSymmetricKnown()`, is an error.
   Nonsymmetric preconditioners such as `PCILU`, `PCSOR` without symmetric sweeps, or an inner `KSP`, do not work.

   References:
+  [1] - R. W. Freund and N. M. Nachtigal, A new Krylov-subspace method for symmetric indefinite linear systems,
         ORNL/TM-12754 and Proceedings of the 14th IMACS World Congress, 1994
.  [2] - R. W. Freund and F. Jarre, A QMR-based interior-point algorithm for solving linear programs, Mathematical
         Programming 76, 1997
-  [3] - L. Zhou and H. F. Walker, Residual smoothing techniques for iterative methods, SIAM Journal on Scientific
         Computing 15, 1994

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
