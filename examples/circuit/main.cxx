static char help[] =
    "Circuits by modified nodal analysis: the operating point, then steps in time, all by Newton's method. One KSP "
    "solves\n"
    "the systems of all iterations, with any -ksp_type and -pc_type; the default is an LU factorization.\n\n"
    "  -n N                 unknowns of a random network; default 1000\n"
    "  -seed S              of the random network; default 1\n"
    "  -f FILE              instead: a network in the text format of docs/examples.md\n"
    "  -steps K             steps in time; default 100, 0: the operating point alone\n"
    "  -step H              their length in seconds; default 1e-11\n"
    "  -rule RULE           trapezoidal (default), euler\n"
    "  -newton_max K        iterations of a step at most; default 100\n"
    "  -voltage_tol TOL     largest change in the last iteration of a step, in volts; default 1e-6\n"
    "  -current_tol TOL     largest entry of the residual, in amperes or volts; default 1e-9\n"
    "  -mat_type TYPE       aij (default), aijcusparse\n"
    "  -view_steps          print a line an iteration\n"
    "  -check_jacobian      compare the matrix with finite differences, and end\n"
    "  -write FILE          write the last voltages and currents of sources: .mtx Matrix Market text, otherwise PETSc "
    "binary\n"
    "  -write_matrix FILE   write the last matrix, likewise\n"
    "  -row                 print one line of key=value words only\n"
    "Exit status: 0 solved, 1 an error, 2 not solved.\n";

#include "jacobian_check.hpp"
#include "transient.hpp"

#include "../common/main.hpp"
#include "../common/method_name.hpp"
#include "../common/vector_file.hpp"
#include <cmath>
#include <cstring>

using namespace examples;

namespace {

/// Two numbers that tell solutions apart: mean of the voltages, and square root of the mean of their squares.
struct Checksum {
  PetscReal mean = 0, root_mean_square = 0;
};

PetscErrorCode GetNetwork(PetscInt64 seed, Network *network)
{
  PetscInt n = 1000;
  std::string file;
  PetscBool given;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(nullptr, nullptr, "-f", &given));
  if (given) {
    PetscCall(GetFileOptions("network", &file, &network->name));
    PetscCall(ReadNetwork(file, network));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
  constexpr PetscInt most = 50000000;
  PetscCheck(n >= least_unknowns && n <= most, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-n %" PetscInt_FMT ": between %" PetscInt_FMT " and %" PetscInt_FMT " unknowns", n, least_unknowns, most);
  GenerateNetwork(n, seed, network);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetSchedule(Schedule *schedule)
{
  char rule[32] = "trapezoidal";

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-steps", &schedule->steps, nullptr));
  PetscCheck(schedule->steps >= 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-steps %" PetscInt_FMT ": a number of steps is not negative", schedule->steps);
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-step", &schedule->step, nullptr));
  PetscCheck(schedule->step > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-step %g: a length of time is positive",
             (double)schedule->step);
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-rule", rule, sizeof rule, nullptr));
  schedule->trapezoidal = std::strcmp(rule, "trapezoidal") == 0;
  PetscCheck(schedule->trapezoidal || std::strcmp(rule, "euler") == 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-rule %s: trapezoidal or euler", rule);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintHead(const Network &n, Mat matrix)
{
  MatInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatGetInfo(matrix, MAT_LOCAL, &info));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%s: %" PetscInt_FMT " unknowns, %.0f entries, %.1f a row; %zu resistors, %zu capacitors, %zu "
                        "diodes, %zu transistors, %zu sources\n",
                        n.name.c_str(), n.Unknowns(), info.nz_used, info.nz_used / (double)n.Unknowns(),
                        n.resistors.from.size(), n.capacitors.from.size(), n.diodes.from.size(),
                        n.transistors.drain.size(), n.sources.from.size()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetChecksum(const Network &network, Vec x, Checksum *sum)
{
  const PetscScalar *v;
  PetscReal total = 0, squares = 0;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &v));
  for (PetscInt k = 0; k < network.nodes; ++k) {
    total += v[k];
    squares += v[k] * v[k];
  }
  PetscCall(VecRestoreArrayRead(x, &v));
  sum->mean = total / network.nodes;
  sum->root_mean_square = std::sqrt(squares / network.nodes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintEnd(const Schedule &schedule, const Course &course, const Newton &newton, const Checksum &sum)
{
  const Newton::Effort &e = newton.effort();
  std::string method;

  PetscFunctionBeginUser;
  PetscCall(MethodName(newton.ksp(), &method));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "operating point: %" PetscInt_FMT " iterations of Newton's method; %" PetscInt_FMT
                        " steps to %g s: %" PetscInt_FMT "\n",
                        course.operating_iterations, course.steps, (double)(schedule.step * course.steps),
                        e.iterations - course.operating_iterations));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%s: assembly %.3f s, setup %.3f s, solve %.3f s, iterations %" PetscInt_FMT "\n",
                        method.c_str(), e.assembly, e.setup, e.solve, e.linear));
  if (course.failure)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "not solved: %s\n", course.failure));
  else
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "solved: voltages have the mean %.6f, the root mean square %.6f\n",
                          (double)sum.mean, (double)sum.root_mean_square));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintRow(const Network &network, const Course &course, const Newton &newton, const Checksum &sum)
{
  const Newton::Effort &e = newton.effort();
  std::string method;

  PetscFunctionBeginUser;
  PetscCall(MethodName(newton.ksp(), &method));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "name=%s rows=%" PetscInt_FMT " method=%s solved=%s steps=%" PetscInt_FMT
                        " operating=%" PetscInt_FMT " newton=%" PetscInt_FMT " iterations=%" PetscInt_FMT
                        " mean=%.6f rms=%.6f assembly_seconds=%.4g setup_seconds=%.4g solve_seconds=%.4g\n",
                        network.name.c_str(), network.Unknowns(), method.c_str(), course.failure ? "false" : "true",
                        course.steps, course.operating_iterations, e.iterations, e.linear, (double)sum.mean,
                        (double)sum.root_mean_square, e.assembly, e.setup, e.solve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Write(Mat matrix, Vec x)
{
  char file[PETSC_MAX_PATH_LEN];
  PetscBool asked;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-write", file, sizeof file, &asked));
  if (asked)
    PetscCall(WriteVector(file, x));
  PetscCall(WriteMatrixIfAsked(matrix, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Simulate(Equations *equations, PetscBool row, int *status)
{
  Schedule schedule;
  Newton newton;
  Course course;
  Checksum sum;
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(GetSchedule(&schedule));
  PetscCall(newton.Create(equations));
  PetscCall(MatCreateVecs(equations->matrix(), &x, nullptr));
  PetscCall(RunTransient(schedule, equations, &newton, x, &course));
  PetscCall(GetChecksum(equations->network(), x, &sum));
  PetscCall(Write(equations->matrix(), x));
  PetscCall(VecDestroy(&x));
  if (row)
    PetscCall(PrintRow(equations->network(), course, newton, sum));
  else
    PetscCall(PrintEnd(schedule, course, newton, sum));
  *status = course.failure ? 2 : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run(int *status)
{
  Network network;
  Equations equations;
  PetscMPIInt processes;
  PetscInt seed = 1;
  PetscBool check = PETSC_FALSE, row = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  PetscCheck(processes == 1, PETSC_COMM_WORLD, PETSC_ERR_SUP, "circuit runs on one process");
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-seed", &seed, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-check_jacobian", &check, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-row", &row, nullptr));
  PetscCall(GetNetwork(seed, &network));
  PetscCall(equations.Create(network));
  if (!row)
    PetscCall(PrintHead(network, equations.matrix()));
  if (check) {
    PetscReal difference;
    PetscCall(CheckJacobian(seed, &equations, &difference));
    PetscCall(
        PetscPrintf(PETSC_COMM_SELF, "difference of the matrix to finite differences: %.2e\n", (double)difference));
    *status = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Simulate(&equations, row, status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  return GuardedMain(argc, argv, help, Run);
}
