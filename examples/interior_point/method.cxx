#include "method.hpp"

#include "../common/method_name.hpp"
#include "dependent_rows.hpp"
#include "rays.hpp"
#include "step.hpp"
#include <algorithm>
#include <cmath>

namespace examples {
namespace {

PetscErrorCode PrintHead(const Program &p)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%" PetscInt_FMT " variables, %" PetscInt_FMT " rows, %" PetscInt_FMT
                        " entries in A, %" PetscInt_FMT " in Q\n"
                        "step    primal      dual       gap          objective   lengths  inertia - 0 +"
                        "  delta  gamma  its  setup s  solve s\n",
                        p.variables(), p.rows(), p.a.entries(), p.q.entries()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintStep(PetscInt step, const Progress &now, PetscReal sign, const PetscReal lengths[2],
                         const KktSolver &solver, const KktSolver::Effort &effort)
{
  const KktSolver::Inertia &inertia = solver.inertia();
  char eigenvalues[80] = "unknown";

  PetscFunctionBeginUser;
  if (inertia.known)
    PetscCall(PetscSNPrintf(eigenvalues, sizeof eigenvalues, "%" PetscInt_FMT " %" PetscInt_FMT " %" PetscInt_FMT,
                            inertia.negative, inertia.zero, inertia.positive));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%4" PetscInt_FMT
                        "  %8.2e  %8.2e  %8.2e  %17.10e  %.2f %.2f  %13s  %5.0e  %5.0e  %3" PetscInt_FMT
                        "  %7.4f  %7.4f\n",
                        step, (double)now.primal, (double)now.dual, (double)now.gap, (double)(sign * now.objective),
                        (double)lengths[0], (double)lengths[1], eigenvalues, (double)solver.delta(),
                        (double)solver.gamma(), effort.iterations, effort.setup, effort.solve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Conclude(Status status, const char *reason, Outcome *outcome)
{
  outcome->status = status;
  outcome->reason = reason;
}

constexpr PetscReal proof = 1e-8; ///< part by which a ray may miss what it is to prove

/// Concludes what an iterate shows. The direction of one is only looked at as long as it does not come near
/// feasibility.
void Examine(const Program &p, const Boxes &b, const Iterate &at, const Goal &goal, Outcome *outcome)
{
  constexpr PetscReal far = 1e-6;
  const Progress &now = outcome->progress;
  if (now.primal <= goal.feasibility && now.dual <= goal.feasibility && now.gap <= goal.gap)
    Conclude(Status::Optimal, "", outcome);
  else if (!std::isfinite(now.primal) || !std::isfinite(now.dual) || !std::isfinite(now.gap))
    Conclude(Status::Failed, "the iterate is not finite", outcome);
  else if (now.primal > far || now.dual > far)
    switch (Judge(p, b, at, proof)) {
    case Status::Infeasible:
      Conclude(Status::Infeasible, "multipliers prove that the constraints contradict each other", outcome);
      break;
    case Status::Unbounded:
      Conclude(Status::Unbounded, "the objective falls for ever along a direction of the variables", outcome);
      break;
    default:
      break;
    }
}

/// The steps of a scaled program.
class Method {
public:
  Method(const Program &program, const Scaling &scaling, const Goal &goal, Outcome *outcome)
      : p_(program), s_(scaling), b_(program), goal_(goal), outcome_(outcome)
  {
  }

  PetscErrorCode Begin()
  {
    PetscFunctionBeginUser;
    PetscCall(solver_.Create(p_));
    PetscCall(MethodName(solver_.ksp(), &outcome_->method));
    PetscCall(Start(p_, b_, &solver_, &state_.at, &can_start_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// After Begin(): whether rows seem to depend on each other.
  bool lacks_rows() const { return solver_.lacks_rows(); }
  /// Adds the effort since the last step to the outcome.
  KktSolver::Effort TakeEffort()
  {
    const KktSolver::Effort effort = solver_.TakeEffort();
    outcome_->effort.setup += effort.setup;
    outcome_->effort.solve += effort.solve;
    outcome_->effort.iterations += effort.iterations;
    outcome_->effort.setups += effort.setups;
    return effort;
  }

  PetscErrorCode GoOn()
  {
    PetscFunctionBeginUser;
    if (!goal_.quiet)
      PetscCall(PrintHead(p_));
    if (can_start_)
      Look();
    else
      Conclude(Status::Failed, unsolvable_, outcome_);
    while (outcome_->status == Status::Open)
      PetscCall(Step());
    outcome_->x = state_.at.v;
    outcome_->x.resize(b_.n, 0);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  /// An iterate, and what it comes to.
  struct State {
    Iterate at;
    Residuals residuals;
    Progress progress;
    PetscReal lengths[2] = {0, 0}; ///< of the step that led there
  };

  /// Looks at the iterate, and goes on from it unless that ends the method.
  PetscErrorCode Step()
  {
    constexpr PetscReal standstill = 1e-6;
    constexpr PetscInt most_standing = 5;
    bool good;

    PetscFunctionBeginUser;
    outcome_->progress = state_.progress;
    PetscCall(Report());
    Examine(p_, b_, state_.at, goal_, outcome_);
    if (outcome_->status != Status::Open)
      PetscFunctionReturn(PETSC_SUCCESS);
    if (outcome_->steps == goal_.most_steps) {
      Conclude(Status::Failed, "not within the tolerances after so many steps", outcome_);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(Advance(&good));
    standing_ = std::max(state_.lengths[0], state_.lengths[1]) < standstill ? standing_ + 1 : 0;
    if (!good)
      Conclude(Status::Failed, unsolvable_, outcome_);
    else if (standing_ == most_standing)
      Conclude(Status::Failed, "the steps have no length any more", outcome_);
    ++outcome_->steps;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Takes a step. Multipliers are raised before it, once, where its dual part alone would have next to no length, as
  /// the variables would go far too far then, or where the first ones all had none. One that ends further from
  /// feasibility, and does not prove that there is no solution, is tried again with more regularization.
  PetscErrorCode Advance(bool *good)
  {
    constexpr PetscReal much = 0.1, next_to_nothing = 0.01;
    constexpr PetscInt most_short = 3;
    const State before = state_;

    PetscFunctionBeginUser;
    PetscCall(Take(good));
    const bool is_short = state_.lengths[1] < next_to_nothing;
    first_are_short_ = first_are_short_ && is_short;
    const bool waits = first_are_short_ && outcome_->steps + 1 >= most_short;
    if (*good && !raised_ && is_short && (state_.lengths[0] > much || waits)) {
      PetscCall(PetscInfo(solver_.ksp(), "A step has next to no length: takes it from larger multipliers\n"));
      state_ = before;
      RaiseMultipliers(p_, b_, &state_.at);
      raised_ = true;
      Look();
      PetscCall(Take(good));
    } else if (*good && IsWorse(before) && Judge(p_, b_, state_.at, proof) == Status::Open)
      PetscCall(TakeMoreRegular(before));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Multipliers or variables are so large that their rounding is more than what was left, if rows or variables depend
  /// on each other but for next to nothing. The step stands if more regularization does not help.
  PetscErrorCode TakeMoreRegular(const State &before)
  {
    const State first = state_;
    const KktSolver::Regularization regularization = solver_.regularization();
    bool good = true;

    PetscFunctionBeginUser;
    PetscCall(PetscInfo(solver_.ksp(), "A step has ended further from feasibility: tries more regularization\n"));
    while (good && IsWorse(before)) {
      const Progress &now = state_.progress, &then = before.progress;
      good = solver_.GrowRegularization(IsWorse(now.primal, then.primal), IsWorse(now.dual, then.dual));
      state_ = before;
      if (good)
        PetscCall(Take(&good));
    }
    if (!good) {
      PetscCall(PetscInfo(solver_.ksp(), "That does not help: the step stands\n"));
      state_ = first;
      solver_.SetRegularization(regularization);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// A step as it is.
  PetscErrorCode Take(bool *good)
  {
    PetscFunctionBeginUser;
    PetscCall(TakeStep(p_, b_, state_.residuals, &solver_, &state_.at, state_.lengths, good));
    Look();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  bool IsWorse(const State &before) const
  {
    const Progress &now = state_.progress, &then = before.progress;
    return IsWorse(now.primal, then.primal) || IsWorse(now.dual, then.dual);
  }

  bool IsWorse(PetscReal infeasibility, PetscReal before) const
  {
    constexpr PetscReal times = 10;
    return infeasibility > goal_.feasibility && infeasibility > times * before;
  }

  void Look()
  {
    state_.residuals = ComputeResiduals(p_, b_, state_.at);
    state_.progress = Measure(p_, s_, b_, state_.at, state_.residuals);
  }

  PetscErrorCode Report()
  {
    PetscFunctionBeginUser;
    const KktSolver::Effort effort = TakeEffort();
    if (!goal_.quiet)
      PetscCall(PrintStep(outcome_->steps, outcome_->progress, p_.sign, state_.lengths, solver_, effort));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static constexpr const char *unsolvable_ =
      "no regularization gives the KKT matrix its inertia and a factor that solves: not convex, or too ill-conditioned";

  const Program &p_;
  const Scaling &s_;
  const Boxes b_;
  const Goal &goal_;
  Outcome *outcome_;
  KktSolver solver_;
  State state_;
  bool can_start_ = false;
  PetscInt standing_ = 0;
  bool first_are_short_ = true; ///< dual steps, up to now
  bool raised_ = false;         ///< multipliers
};

PetscErrorCode SolveWith(const Program &program, const Scaling &scaling, const Goal &goal, Outcome *outcome)
{
  Method method(program, scaling, goal, outcome);

  PetscFunctionBeginUser;
  PetscCall(method.Begin());
  PetscCall(method.GoOn());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves the program where rows do not seem to depend on each other or none can be left out; else finds these.
PetscErrorCode SolveOrFind(const Program &program, const Scaling &scaling, const Goal &goal, Outcome *outcome,
                           DependentRows *dependent)
{
  Method method(program, scaling, goal, outcome);

  PetscFunctionBeginUser;
  PetscCall(method.Begin());
  if (method.lacks_rows())
    PetscCall(FindDependentRows(program, dependent));
  outcome->effort.setup += dependent->seconds;
  if (dependent->row.empty())
    PetscCall(method.GoOn());
  else
    method.TakeEffort();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Without equations that follow from others; with them where they do not hold at the end, which rounding may do.
PetscErrorCode SolveScaled(const Program &program, const Scaling &scaling, const Goal &goal, Outcome *outcome)
{
  DependentRows dependent;

  PetscFunctionBeginUser;
  PetscCall(SolveOrFind(program, scaling, goal, outcome, &dependent));
  if (dependent.row.empty())
    PetscFunctionReturn(PETSC_SUCCESS);
  Scaling scaling_left = scaling;
  const Program left = WithoutRows(program, dependent, &scaling_left);
  PetscCall(SolveWith(left, scaling_left, goal, outcome));
  outcome->x.resize(program.variables());
  PetscReal &primal = outcome->progress.primal;
  primal = std::max(primal, Violation(program, scaling, dependent, outcome->x));
  if (outcome->status != Status::Optimal || primal <= goal.feasibility)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInfo(nullptr, "Equations that were left out do not hold: solves with them\n"));
  outcome->status = Status::Open;
  PetscCall(SolveWith(program, scaling, goal, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode SolveProgram(const Program &program, const Goal &goal, Outcome *outcome)
{
  Reduction reduction;

  PetscFunctionBeginUser;
  PetscCall(Reduce(program, &reduction));
  outcome->status = reduction.status;
  outcome->reason = reduction.reason;
  if (reduction.status != Status::Open)
    PetscFunctionReturn(PETSC_SUCCESS);
  Program &left = reduction.program;
  if (left.variables() == 0) {
    outcome->status = Status::Optimal;
    outcome->progress.objective = outcome->progress.dual_objective = left.constant;
    outcome->x = reduction.value;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const Scaling scaling = Equilibrate(&left);
  PetscCall(SolveScaled(left, scaling, goal, outcome));
  for (PetscInt j = 0; j < left.variables(); ++j)
    outcome->x[j] *= scaling.variable[j];
  outcome->x = Restore(reduction, outcome->x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
