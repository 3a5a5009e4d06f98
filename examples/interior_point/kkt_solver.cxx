#include "kkt_solver.hpp"

#include <algorithm>
#include <cmath>
#include <petsctime.h>

namespace examples {
namespace {

constexpr PetscReal least_regularization = 1e-13, most_regularization = 1e-3, growth = 10;
constexpr PetscReal unwatched = 1e-9;   // gamma where a factor does not tell its inertia: rows are often dependent
constexpr PetscReal harmless = 1e-9;    // a larger regularization is tried smaller in the next step
constexpr PetscReal refined = 1e-12;    // relative residual at which refinement ends
constexpr PetscReal good_enough = 1e-3; // relative residual of a solution that a step can use

PetscReal Grown(PetscReal regularization)
{
  return std::max(least_regularization, growth * regularization);
}

PetscReal Relaxed(PetscReal regularization)
{
  return regularization > harmless ? regularization / growth : regularization;
}

/// The factored matrix of a PC that knows its inertia, or NULL.
PetscErrorCode FactorWithInertia(PC pc, Mat *factor)
{
  PetscBool factors, knows = PETSC_FALSE;

  PetscFunctionBeginUser;
  *factor = nullptr;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factors, PCCHOLESKY, PCLU, ""));
  if (!factors)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFactorGetMatrix(pc, factor));
  PetscCall(MatHasOperation(*factor, MATOP_GET_INERTIA, &knows));
  if (!knows)
    *factor = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

KktSolver::~KktSolver()
{
  VecDestroy(&rhs_);
  VecDestroy(&solution_);
  VecDestroy(&residual_);
  VecDestroy(&correction_);
  VecDestroy(&regularization_);
  VecDestroy(&previous_);
  VecDestroy(&work_);
  KSPDestroy(&ksp_);
}

PetscErrorCode KktSolver::Create(const Program &program)
{
  constexpr PetscReal rtol = 1e-10;
  constexpr PetscInt most_iterations = 500;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-refine", &most_refinements_, nullptr));
  PetscCheck(most_refinements_ >= 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-refine %" PetscInt_FMT ": a number of steps is not negative", most_refinements_);
  quadratic_ = program.q.entries() > 0;
  PetscCall(matrix_.Create(program));
  PetscCall(MatCreateVecs(matrix_.mat(), &solution_, &rhs_));
  PetscCall(VecDuplicate(rhs_, &residual_));
  PetscCall(VecDuplicate(rhs_, &correction_));
  PetscCall(VecDuplicate(rhs_, &regularization_));
  PetscCall(VecDuplicate(rhs_, &previous_));
  PetscCall(VecDuplicate(rhs_, &work_));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp_));
  PetscCall(KSPSetType(ksp_, KSPPREONLY));
  PetscCall(KSPGetPC(ksp_, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(KSPSetTolerances(ksp_, rtol, PETSC_CURRENT, PETSC_CURRENT, most_iterations));
  PetscCall(KSPSetOperators(ksp_, matrix_.mat(), matrix_.mat()));
  PetscCall(KSPSetFromOptions(ksp_));
  PetscCall(ReadAnalyzeEvery());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tessera's factorizations analyse the matrix anew themselves, where the pivots of the last analysis fail.
PetscErrorCode KktSolver::ReadAnalyzeEvery()
{
  PC pc;
  MatSolverType solver;
  PetscBool tessera;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp_, &pc));
  PetscCall(PCFactorGetMatSolverType(pc, &solver));
  PetscCall(PetscStrcmp(solver, "tessera", &tessera));
  analyze_every_ = tessera ? 0 : 1;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-analyze_every", &analyze_every_, nullptr));
  PetscCheck(analyze_every_ >= 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-analyze_every %" PetscInt_FMT ": a number of steps is not negative", analyze_every_);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KktSolver::ReadInertia()
{
  PC pc;
  Mat factor;

  PetscFunctionBeginUser;
  inertia_ = {};
  PetscCall(KSPGetPC(ksp_, &pc));
  PetscCall(FactorWithInertia(pc, &factor));
  watched_ = factor;
  if (!factor)
    PetscFunctionReturn(PETSC_SUCCESS);
  // A factorization that stopped on the way has none, and says so by an error.
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  const PetscErrorCode error = MatGetInertia(factor, &inertia_.negative, &inertia_.zero, &inertia_.positive);
  PetscCall(PetscPopErrorHandler());
  inertia_.known = error == PETSC_SUCCESS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KktSolver::SetUp(bool *failed)
{
  const PetscInt n = matrix_.variables();
  PetscLogDouble begin, end;
  PetscScalar *to;
  PC pc;
  PCFailedReason reason;

  PetscFunctionBeginUser;
  PetscCall(matrix_.SetDiagonals(d_x_, delta_, d_w_, gamma_));
  PetscCall(VecGetArrayWrite(regularization_, &to));
  std::fill(to, to + n, -delta_);
  std::fill(to + n, to + n + matrix_.rows(), gamma_);
  PetscCall(VecRestoreArrayWrite(regularization_, &to));
  PetscCall(PetscTime(&begin));
  PetscCall(KSPSetOperators(ksp_, matrix_.mat(), matrix_.mat()));
  PetscCall(KSPSetUp(ksp_));
  PetscCall(KSPSetUpOnBlocks(ksp_));
  PetscCall(PetscTime(&end));
  effort_.setup += end - begin;
  ++effort_.setups;
  PetscCall(KSPGetPC(ksp_, &pc));
  PetscCall(PCGetFailedReason(pc, &reason));
  *failed = reason != PC_NOERROR;
  inertia_ = {};
  if (!*failed || reason == PC_FACTOR_NUMERIC_ZEROPIVOT)
    PetscCall(ReadInertia());
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool KktSolver::WantsMore(bool failed, bool *variables, bool *rows) const
{
  *variables = inertia_.known ? inertia_.negative < matrix_.variables() : failed;
  *rows = inertia_.known ? inertia_.positive < matrix_.rows() : failed;
  return *variables || *rows;
}

PetscErrorCode KktSolver::FactorUntilRegular(bool *good)
{
  bool failed = true, variables = false, rows = false;

  PetscFunctionBeginUser;
  PetscCall(SetUp(&failed));
  while (WantsMore(failed, &variables, &rows)) {
    if (std::max(variables ? delta_ : 0, rows ? gamma_ : 0) >= most_regularization) {
      // In a linear program a wrong inertia is rounding; Q may not be positive semidefinite.
      failed = failed || quadratic_;
      break;
    }
    delta_ = variables ? Grown(delta_) : delta_;
    gamma_ = rows ? Grown(gamma_) : gamma_;
    PetscCall(SetUp(&failed));
  }
  *good = !failed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Has the next setup analyse the matrix with the values of now: the pattern is the old one, but the entries that can
/// be pivots are others.
PetscErrorCode KktSolver::ForgetAnalysis()
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp_, &pc));
  PetscCall(PCReset(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KktSolver::Factor(const Values &d_x, const Values &d_w, bool *good)
{
  PetscFunctionBeginUser;
  d_x_ = d_x;
  d_w_ = d_w;
  delta_ = Relaxed(delta_);
  gamma_ = Relaxed(gamma_);
  if (!watched_)
    gamma_ = std::max(gamma_, unwatched);
  if (analyze_every_ > 0 && factors_ % analyze_every_ == 0)
    PetscCall(ForgetAnalysis());
  ++factors_;
  PetscCall(FactorUntilRegular(good));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KktSolver::FactorMoreRegular(bool *good)
{
  PetscFunctionBeginUser;
  *good = false;
  if (std::max(delta_, gamma_) >= most_regularization)
    PetscFunctionReturn(PETSC_SUCCESS);
  delta_ = Grown(delta_);
  gamma_ = Grown(gamma_);
  PetscCall(FactorUntilRegular(good));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool KktSolver::GrowRegularization(bool variables, bool rows)
{
  const Regularization grown = {variables ? Grown(delta_) : delta_, rows ? Grown(gamma_) : gamma_};
  if (std::max(grown.delta, grown.gamma) > harmless)
    return false;
  SetRegularization(grown);
  return true;
}

/// residual = rhs - K solution, K without delta and gamma. Norms relative to that of rhs: of it, and of what it is with
/// delta and gamma.
PetscErrorCode KktSolver::Residual(PetscReal *norm, PetscReal *regular_norm)
{
  PetscReal size;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(rhs_, NORM_2, &size));
  size = size > 0 ? size : 1;
  PetscCall(MatMult(matrix_.mat(), solution_, residual_));
  PetscCall(VecAYPX(residual_, -1, rhs_));
  PetscCall(VecNorm(residual_, NORM_2, regular_norm));
  PetscCall(VecPointwiseMult(work_, regularization_, solution_));
  PetscCall(VecAXPY(residual_, 1, work_));
  PetscCall(VecNorm(residual_, NORM_2, norm));
  *norm /= size;
  *regular_norm /= size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// correction = solution of the system with the residual on the right.
PetscErrorCode KktSolver::Correct()
{
  PetscInt iterations;
  PetscLogDouble begin, end;

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&begin));
  PetscCall(KSPSolve(ksp_, residual_, correction_));
  PetscCall(PetscTime(&end));
  PetscCall(KSPGetIterationNumber(ksp_, &iterations));
  effort_.solve += end - begin;
  effort_.iterations += iterations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KktSolver::GetSolution(Values *dx, Values *dy) const
{
  const PetscInt n = matrix_.variables();
  const PetscScalar *from;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(solution_, &from));
  const Values &scale = matrix_.scale();
  dx->resize(n);
  dy->resize(matrix_.rows());
  for (PetscInt j = 0; j < n; ++j)
    (*dx)[j] = scale[j] * from[j];
  for (PetscInt i = 0; i < matrix_.rows(); ++i)
    (*dy)[i] = scale[n + i] * from[n + i];
  PetscCall(VecRestoreArrayRead(solution_, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KktSolver::Solve(const Values &b_x, const Values &b_y, Values *dx, Values *dy, bool *good)
{
  const PetscInt n = matrix_.variables();
  PetscScalar *to;
  PetscReal reached, regular;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(rhs_, &to));
  const Values &scale = matrix_.scale();
  for (PetscInt j = 0; j < n; ++j)
    to[j] = scale[j] * b_x[j];
  for (PetscInt i = 0; i < matrix_.rows(); ++i)
    to[n + i] = scale[n + i] * b_y[i];
  PetscCall(VecRestoreArrayWrite(rhs_, &to));
  PetscCall(VecCopy(rhs_, residual_));
  PetscCall(Correct());
  PetscCall(VecCopy(correction_, solution_));
  PetscCall(Residual(&reached, &regular));
  for (PetscInt k = 0; k < most_refinements_ && reached > refined; ++k) {
    PetscReal norm, unused;
    PetscCall(VecCopy(solution_, previous_));
    PetscCall(Correct());
    PetscCall(VecAXPY(solution_, 1, correction_));
    PetscCall(Residual(&norm, &unused));
    if (!(norm < reached / 2)) { // nor if it is NaN
      PetscCall(VecCopy(previous_, solution_));
      break;
    }
    reached = norm;
  }
  PetscCall(GetSolution(dx, dy));
  // Contradicting equations have a large residual without gamma, so it is not asked for. False for NaN:
  *good = regular <= good_enough;
  PetscFunctionReturn(PETSC_SUCCESS);
}

KktSolver::Effort KktSolver::TakeEffort()
{
  const Effort taken = effort_;
  effort_ = {};
  return taken;
}

} // namespace examples
