#include "newton.hpp"

#include <petsctime.h>

namespace examples {
namespace {

// How far an unknown may move in an iteration: a constant, and a part of its size
constexpr PetscReal most_move = 0.5, most_growth = 0.5;

/// Adds the seconds of its life to a sum.
class Stopwatch {
public:
  explicit Stopwatch(double *sum) : sum_(*sum) { PetscTimeSubtract(&sum_); }
  ~Stopwatch() { PetscTimeAdd(&sum_); }
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

private:
  double &sum_;
};

PetscErrorCode GetTolerance(const char *option, PetscReal *tolerance)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, option, tolerance, nullptr));
  PetscCheck(*tolerance > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "%s %g: a tolerance is positive", option,
             (double)*tolerance);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// With small pivots the order that was found once lasts for more steps of a circuit, and a GPU seldom needs its host;
/// refinement makes up for the digits that this costs. So circuit simulators take small pivots, too.
PetscErrorCode TakeSmallPivots(PC pc)
{
  MatSolverType solver;
  PetscBool is_tessera, given;

  PetscFunctionBeginUser;
  PetscCall(PCFactorGetMatSolverType(pc, &solver));
  PetscCall(PetscStrcmp(solver, "tessera", &is_tessera));
  PetscCall(PetscOptionsHasName(nullptr, nullptr, "-mat_tessera_pivot_threshold", &given));
  if (is_tessera && !given)
    PetscCall(PetscOptionsSetValue(nullptr, "-mat_tessera_pivot_threshold", "1e-6"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

Newton::~Newton()
{
  VecDestroy(&most_);
  VecDestroy(&step_);
  KSPDestroy(&ksp_);
}

PetscErrorCode Newton::Create(Equations *equations)
{
  constexpr PetscReal rtol = 1e-10, zero = 1e-14;
  PC pc;

  PetscFunctionBeginUser;
  equations_ = equations;
  PetscCall(GetTolerance("-voltage_tol", &voltage_tolerance_));
  PetscCall(GetTolerance("-current_tol", &current_tolerance_));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-newton_max", &most_iterations_, nullptr));
  PetscCheck(most_iterations_ >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-newton_max %" PetscInt_FMT ": at least one iteration", most_iterations_);
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-view_steps", &view_, nullptr));
  PetscCall(MatCreateVecs(equations->matrix(), &step_, &most_));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp_));
  PetscCall(KSPSetType(ksp_, KSPPREONLY));
  PetscCall(KSPGetPC(ksp_, &pc));
  PetscCall(PCSetType(pc, PCLU));
  // PETSc's own LU does not look for pivots; the rows of sources have a zero on the diagonal.
  PetscCall(PCFactorReorderForNonzeroDiagonal(pc, zero));
  PetscCall(KSPSetTolerances(ksp_, rtol, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetFromOptions(ksp_));
  PetscCall(TakeSmallPivots(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Computes the residual; `small`: it is within the tolerance, and no diode away from where it is linearized.
PetscErrorCode Newton::Measure(Vec x, bool *small)
{
  const Stopwatch watch(&effort_.assembly);
  PetscReal overshoot;

  PetscFunctionBeginUser;
  PetscCall(equations_->Evaluate(x, &overshoot));
  PetscCall(VecNorm(equations_->residual(), NORM_INFINITY, &imbalance_));
  *small = imbalance_ <= current_tolerance_ && overshoot <= voltage_tolerance_; // false for NaN
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// x -= step_, but for the part of a move that is too large: it comes from a matrix that hardly holds a node, at an
/// output of channels that do not conduct, and what is far away would come back slowly.
PetscErrorCode Newton::Move(Vec x)
{
  PetscFunctionBeginUser;
  PetscCall(VecCopy(x, most_));
  PetscCall(VecAbs(most_));
  PetscCall(VecScale(most_, most_growth));
  PetscCall(VecShift(most_, most_move));
  PetscCall(VecPointwiseMin(step_, step_, most_));
  PetscCall(VecScale(most_, -1));
  PetscCall(VecPointwiseMax(step_, step_, most_));
  PetscCall(VecAXPY(x, -1, step_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// One iteration from the last evaluation. `change`: of the unknowns, the largest.
PetscErrorCode Newton::Iterate(Vec x, PetscReal *change, const char **failure)
{
  KSPConvergedReason reason;
  PCFailedReason failed;
  PetscInt linear;
  PC pc;

  PetscFunctionBeginUser;
  {
    const Stopwatch watch(&effort_.assembly);
    PetscCall(equations_->SetMatrix());
  }
  {
    const Stopwatch watch(&effort_.setup);
    PetscCall(KSPSetOperators(ksp_, equations_->matrix(), equations_->matrix()));
    PetscCall(KSPSetUp(ksp_));
    PetscCall(KSPSetUpOnBlocks(ksp_));
  }
  ++effort_.iterations;
  PetscCall(KSPGetPC(ksp_, &pc));
  PetscCall(PCGetFailedReason(pc, &failed));
  if (failed != PC_NOERROR) {
    *failure = PCFailedReasons[failed];
    PetscCall(PCReset(pc)); // so that a later step does not use what is left of a failed analysis
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const Stopwatch watch(&effort_.solve);
  PetscCall(KSPSolve(ksp_, equations_->residual(), step_));
  PetscCall(KSPGetConvergedReason(ksp_, &reason));
  PetscCall(KSPGetIterationNumber(ksp_, &linear));
  effort_.linear += linear;
  if (reason < 0) {
    *failure = KSPConvergedReasons[reason];
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecNorm(step_, NORM_INFINITY, change));
  if (PetscIsInfOrNanReal(*change))
    *failure = "voltages are not finite";
  else
    PetscCall(Move(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Newton::View(PetscReal time, PetscInt iteration, PetscReal change, const Effort &before)
{
  PetscFunctionBeginUser;
  if (view_)
    PetscCall(PetscPrintf(PETSC_COMM_SELF,
                          "time %.4e  newton %3" PetscInt_FMT "  residual %.2e  change %.2e  assembly %.4f s  setup "
                          "%.4f s  solve %.4f s\n",
                          (double)time, iteration, (double)imbalance_, (double)change,
                          effort_.assembly - before.assembly, effort_.setup - before.setup,
                          effort_.solve - before.solve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Newton::Solve(PetscReal time, Vec x, const char **failure)
{
  bool small;

  PetscFunctionBeginUser;
  *failure = nullptr;
  PetscCall(Measure(x, &small));
  for (PetscInt k = 1; k <= most_iterations_; ++k) {
    const Effort before = effort_;
    PetscReal change = 0;
    PetscCall(Iterate(x, &change, failure));
    if (*failure)
      PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Measure(x, &small));
    PetscCall(View(time, k, change, before));
    if (small && change <= voltage_tolerance_)
      PetscFunctionReturn(PETSC_SUCCESS);
  }
  *failure = "Newton's method does not converge";
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
