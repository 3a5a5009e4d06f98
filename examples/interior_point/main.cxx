static char help[] =
    "Predictor-corrector interior-point method for linear and convex quadratic programs,\n"
    "    minimize  c^T x + x^T Q x / 2   subject to   row bounds on A x, bounds on x.\n"
    "One KSP solves the KKT systems of all steps, with any -ksp_type and -pc_type; the default is a Cholesky\n"
    "factorization (LDL^T). A line a step, then the result.\n\n"
    "  -f FILE              program: MPS (.mps, .mps.gz), or the text format of docs/examples.md (.qp, .qp.gz)\n"
    "  -generate N          instead: a random quadratic program of N variables with a known solution\n"
    "  -seed S              of the random program; default 1\n"
    "  -maximize            the objective of the file is to be maximized\n"
    "  -gap TOL             relative gap of the objectives to reach; default 1e-8\n"
    "  -feasibility TOL     relative infeasibility to reach, primal and dual; default 1e-8\n"
    "  -steps STEPS         at most; default 200\n"
    "  -refine K            steps of refinement of a solve at most; default 3\n"
    "  -analyze_every K     a new analysis of the matrix every K steps; 0: only the first. Scaling and pairs of rows "
    "are\n"
    "                       chosen for the values there are, and these change a lot from step to step; default 1, of\n"
    "                       Tessera's factorizations, which analyse anew where pivots fail, 0\n"
    "  -mat_type TYPE       aij (default), sbaij, aijcusparse\n"
    "  -write FILE          write x: .mtx Matrix Market text, otherwise PETSc binary\n"
    "  -row                 print one line of key=value words only\n"
    "Exit status: 0 optimal, 1 an error, 2 not solved, 3 infeasible, 4 unbounded.\n";

#include "method.hpp"

#include "../common/file_text.hpp"
#include "../common/main.hpp"
#include "../common/vector_file.hpp"
#include <cmath>

using namespace examples;

namespace {

struct Task {
  std::string name, write;
  Program program;
  Goal goal;
  bool knows_optimum = false;
  PetscReal optimum = 0; // of the minimization
};

PetscErrorCode Generate(PetscInt variables, Task *task)
{
  PetscInt seed = 1;

  PetscFunctionBeginUser;
  PetscCheck(variables >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-generate %" PetscInt_FMT ": a program has at least one variable", variables);
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-seed", &seed, nullptr));
  PetscCall(GenerateProgram(variables, seed, &task->program, &task->optimum));
  task->name = "generated_" + std::to_string(variables);
  task->knows_optimum = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Read(Task *task)
{
  std::string file;
  PetscBool maximize = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(GetFileOptions("program", &file, &task->name));
  if (EndsWith(file, ".qp") || EndsWith(file, ".qp.gz"))
    PetscCall(ReadQpProgram(file, &task->program));
  else
    PetscCall(ReadMpsProgram(file, &task->program));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-maximize", &maximize, nullptr));
  if (maximize)
    Maximize(&task->program);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetTask(Task *task)
{
  PetscInt variables;
  PetscBool generate, quiet = PETSC_FALSE, write;
  char file[PETSC_MAX_PATH_LEN];
  Goal &goal = task->goal;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-gap", &goal.gap, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-feasibility", &goal.feasibility, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-steps", &goal.most_steps, nullptr));
  PetscCheck(goal.most_steps >= 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-steps %" PetscInt_FMT ": a number of steps is not negative", goal.most_steps);
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-row", &quiet, nullptr));
  goal.quiet = quiet;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-write", file, sizeof file, &write));
  task->write = write ? file : "";
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-generate", &variables, &generate));
  if (generate)
    PetscCall(Generate(variables, task));
  else
    PetscCall(Read(task));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *StatusName(Status status)
{
  switch (status) {
  case Status::Optimal:
    return "optimal";
  case Status::Infeasible:
    return "infeasible";
  case Status::Unbounded:
    return "unbounded";
  default:
    return "not solved";
  }
}

int ExitStatus(Status status)
{
  switch (status) {
  case Status::Optimal:
    return 0;
  case Status::Infeasible:
    return 3;
  case Status::Unbounded:
    return 4;
  default:
    return 2;
  }
}

PetscErrorCode PrintRow(const Task &task, const Outcome &o)
{
  const bool solved = o.status == Status::Optimal;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "name=%s variables=%" PetscInt_FMT " rows=%" PetscInt_FMT " entries=%" PetscInt_FMT
                        " method=%s solved=%s status=%s reason=%s objective=%.12e steps=%" PetscInt_FMT
                        " gap=%.2e primal=%.2e dual=%.2e setups=%" PetscInt_FMT " iterations=%" PetscInt_FMT
                        " setup_seconds=%.4g solve_seconds=%.4g\n",
                        task.name.c_str(), task.program.variables(), task.program.rows(), task.program.a.entries(),
                        o.method.c_str(), solved ? "true" : "false",
                        o.status == Status::Failed ? "failed" : StatusName(o.status), solved ? "CONVERGED" : "DIVERGED",
                        (double)(task.program.sign * o.progress.objective), o.steps, (double)o.progress.gap,
                        (double)o.progress.primal, (double)o.progress.dual, o.effort.setups, o.effort.iterations,
                        o.effort.setup, o.effort.solve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintEnd(const Task &task, const Outcome &o)
{
  const MPI_Comm comm = PETSC_COMM_WORLD;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(comm, "%s: %s", task.name.c_str(), StatusName(o.status)));
  if (o.status == Status::Optimal)
    PetscCall(PetscPrintf(comm, ": objective %.10e, gap %.1e,", (double)(task.program.sign * o.progress.objective),
                          (double)o.progress.gap));
  else
    PetscCall(PetscPrintf(comm, ": %s,", o.reason.c_str()));
  PetscCall(PetscPrintf(comm, " after %" PetscInt_FMT " steps; %s, setup %.3f s, solve %.3f s\n", o.steps,
                        o.method.empty() ? "no system to solve" : o.method.c_str(), o.effort.setup, o.effort.solve));
  if (task.knows_optimum && o.status == Status::Optimal)
    PetscCall(PetscPrintf(comm, "known optimum %.10e, relative difference %.1e\n",
                          (double)(task.program.sign * task.optimum),
                          (double)(std::abs(o.progress.objective - task.optimum) / (1 + std::abs(task.optimum)))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Write(const std::string &file, const Values &values)
{
  Vec x;
  const auto size = static_cast<PetscInt>(values.size());

  PetscFunctionBeginUser;
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, values.data(), &x));
  PetscCall(WriteVector(file, x));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run(int *status)
{
  Task task;
  Outcome outcome;
  PetscMPIInt processes;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  PetscCheck(processes == 1, PETSC_COMM_WORLD, PETSC_ERR_SUP, "interior_point runs on one process");
  PetscCall(GetTask(&task));
  PetscCall(SolveProgram(task.program, task.goal, &outcome));
  if (!task.write.empty() && outcome.status == Status::Optimal)
    PetscCall(Write(task.write, outcome.x));
  if (task.goal.quiet)
    PetscCall(PrintRow(task, outcome));
  else
    PetscCall(PrintEnd(task, outcome));
  *status = ExitStatus(outcome.status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  return GuardedMain(argc, argv, help, Run);
}
