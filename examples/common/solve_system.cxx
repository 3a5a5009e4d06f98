#include "solve_system.hpp"

#include "live_line.hpp"
#include "report.hpp"
#include "residual.hpp"
#include "vector_file.hpp"
#include <algorithm>
#include <petscksp.h>
#include <petsctime.h>

namespace examples {

const char *const solve_options_help =
    "  -rhs FILE            right-hand side: Matrix Market array or PETSc binary; default: A times -exact\n"
    "  -exact FILE          known solution, in the same formats; default: 1 everywhere\n"
    "  -mat_type TYPE       aij (default), sbaij (symmetric only), aijcusparse, ...\n"
    "  -zero_diagonal       store a zero wherever the diagonal has no entry: PETSc's ilu and icc ask for all of them\n"
    "  -spd                 vouch that the matrix is positive definite\n"
    "  -accept TOL          largest true relative residual that counts as solved; default: -ksp_rtol (1e-6)\n"
    "  -repeat K            K more setups with the same pattern, and solves; prints their median times\n"
    "  -write FILE          write the solution; .mtx: Matrix Market text, otherwise PETSc binary\n"
    "  -write_matrix FILE   write the matrix, likewise\n"
    "  -row, -json          print the result as one line of key=value words, or of JSON\n"
    "  -error_trace         print PETSc's full trace on an error instead of one line\n"
    "Exit status: 0 solved, 1 an error, 2 the true residual is not small enough.\n";

namespace {

/// A KSP and the line on the terminal that shows how far its solve is, while there is one.
struct Solver {
  KSP ksp = nullptr;
  LiveLine *live = nullptr;
};

PetscErrorCode ShowProgress(KSP, PetscInt iteration, PetscReal norm, void *solver)
{
  PetscFunctionBeginUser;
  if (LiveLine *live = static_cast<Solver *>(solver)->live)
    live->Progress(iteration, norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The solver must stay where it is: a monitor points at it.
PetscErrorCode CreateSolver(const System &system, Solver *solver)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver->ksp));
  PetscCall(KSPSetOperators(solver->ksp, system.A, system.A));
  PetscCall(KSPSetTolerances(solver->ksp, 1e-6, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetFromOptions(solver->ksp));
  if (LiveLine::Shown(PETSC_COMM_WORLD))
    PetscCall(KSPMonitorSet(solver->ksp, ShowProgress, solver, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TimedSetUp(KSP ksp, double *seconds)
{
  PetscLogDouble begin, end;
  LiveLine live(PETSC_COMM_WORLD, "setup");

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&begin));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(PetscTime(&end));
  *seconds = end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TimedSolve(Solver *solver, Vec b, Vec x, double *seconds)
{
  PetscLogDouble begin, end;
  LiveLine live(PETSC_COMM_WORLD, "solve");

  PetscFunctionBeginUser;
  solver->live = &live;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&begin));
  PetscCall(KSPSolve(solver->ksp, b, x));
  PetscCall(PetscTime(&end));
  solver->live = nullptr;
  *seconds = end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

double Median(std::vector<double> times)
{
  std::sort(times.begin(), times.end());
  const std::size_t half = times.size() / 2;
  return times.size() % 2 ? times[half] : (times[half - 1] + times[half]) / 2;
}

/// Gives a matrix new values, which are the old ones: the second change of sign undoes the first, exactly.
PetscErrorCode Renew(Mat a)
{
  PetscFunctionBeginUser;
  PetscCall(MatScale(a, -1.0));
  PetscCall(MatScale(a, -1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Setups as after new values in the same pattern, each followed by a solve.
PetscErrorCode Repeat(Solver *solver, const System &system, Vec first, Result *result)
{
  Vec x;
  std::vector<double> setups, solves;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(first, &x));
  for (PetscInt k = 0; k < result->repeats; ++k) {
    double setup, solve;
    PetscBool same;
    PetscCall(Renew(system.A));
    PetscCall(KSPSetOperators(solver->ksp, system.A, system.A));
    PetscCall(TimedSetUp(solver->ksp, &setup));
    PetscCall(TimedSolve(solver, system.b, x, &solve));
    PetscCall(VecEqual(first, x, &same));
    result->same_bits = result->same_bits && same ? PETSC_TRUE : PETSC_FALSE;
    setups.push_back(setup);
    solves.push_back(solve);
  }
  PetscCall(VecDestroy(&x));
  result->repeat_setup_seconds = Median(setups);
  result->repeat_solve_seconds = Median(solves);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// ||x - exact||_inf / ||exact||_inf; of a singular A the part of the difference in the null space does not count.
PetscErrorCode ForwardError(const System &system, Vec x, PetscReal *error)
{
  Vec difference;
  MatNullSpace null_space;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &difference));
  PetscCall(VecWAXPY(difference, -1.0, system.exact, x));
  PetscCall(MatGetNullSpace(system.A, &null_space));
  if (null_space)
    PetscCall(MatNullSpaceRemove(null_space, difference));
  PetscCall(VecNorm(difference, NORM_INFINITY, error));
  PetscCall(VecNorm(system.exact, NORM_INFINITY, &norm));
  if (norm > 0)
    *error /= norm;
  PetscCall(VecDestroy(&difference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Residual, errors and the verdict, from the system and x alone.
PetscErrorCode Judge(const System &system, Vec x, PetscReal absolute, Result *result)
{
  Residual residual;

  PetscFunctionBeginUser;
  PetscCall(ComputeResidual(system.A, system.b, x, &residual));
  result->relative_residual = residual.relative;
  result->backward_error = residual.backward_error;
  // Written so that a NaN is not accepted.
  result->solved = result->relative_residual <= result->accept || residual.norm <= absolute ? PETSC_TRUE : PETSC_FALSE;
  result->has_exact = system.exact ? PETSC_TRUE : PETSC_FALSE;
  if (system.exact)
    PetscCall(ForwardError(system, x, &result->forward_error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Describe(KSP ksp, const System &system, Result *result)
{
  PC pc;
  MatType mat_type;
  KSPType ksp_type;
  PCType pc_type;
  MatSolverType package = nullptr;
  PetscMPIInt processes;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(MatGetType(system.A, &mat_type));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(PCGetType(pc, &pc_type));
  PetscCall(PCFactorGetMatSolverType(pc, &package));
  PetscCall(MatGetSize(system.A, &result->rows, nullptr));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  result->name = system.name;
  result->entries = system.entries;
  result->symmetric = system.symmetric;
  result->processes = processes;
  result->mat_type = mat_type;
  result->ksp_type = ksp_type;
  result->pc_type =
      std::string(pc_type) + (package && std::string(package) != MATSOLVERPETSC ? std::string("/") + package : "");
  result->read_seconds = system.read_seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintVerdict(const Result &result)
{
  PetscFunctionBeginUser;
  if (!result.solved)
    PetscCall(
        PetscFPrintf(PETSC_COMM_WORLD, PETSC_STDERR,
                     "error: %s: not solved: the true relative residual %.2e is not within %.2e (%s + %s says %s)\n",
                     result.name.c_str(), result.relative_residual, result.accept, result.ksp_type.c_str(),
                     result.pc_type.c_str(), KSPConvergedReasons[result.reason]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode SolveAndReport(const System &system, PetscBool *solved)
{
  Solver solver;
  Vec x;
  Result result;
  PetscReal absolute;
  char file[PETSC_MAX_PATH_LEN];
  PetscBool write;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-write", file, sizeof file, &write));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-repeat", &result.repeats, nullptr));
  PetscCheck(result.repeats >= 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-repeat %" PetscInt_FMT ": a number of repeats is not negative", result.repeats);
  PetscCall(CreateSolver(system, &solver));
  PetscCall(KSPGetTolerances(solver.ksp, &result.accept, &absolute, nullptr, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-accept", &result.accept, nullptr));
  PetscCall(VecDuplicate(system.b, &x));
  PetscCall(TimedSetUp(solver.ksp, &result.setup_seconds));
  PetscCall(TimedSolve(&solver, system.b, x, &result.solve_seconds));
  PetscCall(KSPGetConvergedReason(solver.ksp, &result.reason));
  PetscCall(KSPGetIterationNumber(solver.ksp, &result.iterations));
  PetscCall(Describe(solver.ksp, system, &result));
  PetscCall(Judge(system, x, absolute, &result));
  if (result.repeats > 0)
    PetscCall(Repeat(&solver, system, x, &result));
  if (write)
    PetscCall(WriteVector(file, x));
  PetscCall(PrintResult(result));
  PetscCall(PrintVerdict(result));
  *solved = result.solved;
  PetscCall(VecDestroy(&x));
  PetscCall(KSPDestroy(&solver.ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
