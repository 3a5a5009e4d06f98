#include "measure.hpp"

#include "device.hpp"
#include <ctime>
#include <petsctime.h>

namespace examples {
namespace {

/// Events of PETSc's log. None of a list is inside of another one of the same list.
constexpr const char *analysis_events[] = {"MatGetOrdering",  "MatLUFactorSym",  "MatCholFctrSym", "MatILUFactorSym",
                                           "MatICCFactorSym", "PCBILDLTAnalyze", "PCJLDLTAnalyze"};
constexpr const char *factor_events[] = {"MatLUFactorNum", "MatCholFctrNum", "PCBILDLTFactor", "PCJLDLTFactor"};
constexpr const char *apply_events[] = {"PCApply"};

/// Seconds that events have taken so far; those that are not registered have taken none.
template <std::size_t Count>
PetscErrorCode EventSeconds(const char *const (&names)[Count], double *seconds)
{
  PetscFunctionBeginUser;
  *seconds = 0;
  for (const char *name : names) {
    PetscLogEvent event;
    PetscEventPerfInfo info;
    PetscCall(PetscLogEventGetId(name, &event));
    if (event < 0)
      continue;
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
    *seconds += info.time;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Adds what passes from its beginning to Stop().
class Clock {
public:
  Clock() { Read(&begin_); }

  Seconds Stop() const
  {
    Seconds now;
    Read(&now);
    return {now.wall - begin_.wall, now.processor - begin_.processor};
  }

private:
  static void Read(Seconds *now)
  {
    timespec wall, processor;
    clock_gettime(CLOCK_MONOTONIC, &wall);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
    now->wall = double(wall.tv_sec) + 1e-9 * double(wall.tv_nsec);
    now->processor = double(processor.tv_sec) + 1e-9 * double(processor.tv_nsec);
  }

  Seconds begin_;
};

/// on_device: what is still to be done there when PETSc returns is waited for.
PetscErrorCode SetUpAndSolve(KSP ksp, Vec b, Vec x, PetscBool on_device, Measurement *m)
{
  double before, after;

  PetscFunctionBeginUser;
  const Clock setup;
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  if (on_device)
    PetscCall(WaitForDevice());
  m->setup = setup.Stop();
  PetscCall(EventSeconds(apply_events, &before)); // a setup may apply what it has made, too
  const Clock solve;
  PetscCall(KSPSolve(ksp, b, x));
  if (on_device)
    PetscCall(WaitForDevice());
  m->solve = solve.Stop();
  PetscCall(EventSeconds(apply_events, &after));
  m->application = after - before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What the monitor of RecordHistory() writes to.
struct Recorder {
  Mat original;
  Vec b;
  History *history;
};

/// Whether a residual is recorded: the first fifty, then one in a fiftieth of the iterations so far.
bool IsRecorded(PetscInt iteration, const History &history)
{
  return history.iteration.empty() || iteration >= history.iteration.back() + 1 + iteration / 50;
}

PetscErrorCode Add(const Recorder &recorder, PetscInt iteration, Vec x)
{
  Residual residual;

  PetscFunctionBeginUser;
  PetscCall(ComputeResidual(recorder.original, recorder.b, x, &residual));
  recorder.history->iteration.push_back(iteration);
  recorder.history->relative_residual.push_back(residual.relative);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Record(KSP ksp, PetscInt iteration, PetscReal, void *context)
{
  const auto *recorder = static_cast<Recorder *>(context);
  Vec x;

  PetscFunctionBeginUser;
  if (!IsRecorded(iteration, *recorder->history))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPBuildSolution(ksp, nullptr, &x));
  PetscCall(Add(*recorder, iteration, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MeasureSolve(KSP ksp, Mat original, Vec b, Vec x, Measurement *m)
{
  double analysis[2], factorization[2];
  PetscBool on_device;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(IsOnDevice(original, &on_device));
  PetscCall(VecZeroEntries(x));
  PetscCall(EventSeconds(analysis_events, &analysis[0]));
  PetscCall(EventSeconds(factor_events, &factorization[0]));
  PetscCall(SetUpAndSolve(ksp, b, x, on_device, m));
  PetscCall(EventSeconds(analysis_events, &analysis[1]));
  PetscCall(EventSeconds(factor_events, &factorization[1]));
  m->analysis = analysis[1] - analysis[0];
  m->factorization = factorization[1] - factorization[0];
  PetscCall(KSPGetIterationNumber(ksp, &m->iterations));
  PetscCall(KSPGetConvergedReason(ksp, &m->reason));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetFailedReason(pc, &m->pc_reason));
  PetscCall(ComputeResidual(original, b, x, &m->residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RecordHistory(KSP ksp, Mat original, Vec b, Vec x, History *history)
{
  Recorder recorder = {original, b, history};
  PetscInt iterations;

  PetscFunctionBeginUser;
  PetscCall(VecZeroEntries(x));
  PetscCall(KSPMonitorSet(ksp, Record, &recorder, nullptr));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPMonitorCancel(ksp));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  if (history->iteration.empty() || history->iteration.back() != iterations)
    PetscCall(Add(recorder, iterations, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
