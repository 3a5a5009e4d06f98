static char help[] =
    "Solves a system and a second one of the same pattern with one KSP, whatever the options make it, and prints what\n"
    "came of it, a line of key=value words for each step as soon as it is done. What examples/study/study runs.\n\n"
    "  -f FILE              matrix: Matrix Market (.mtx, .mtx.gz) or PETSc binary\n"
    "  -second FILE         values of the second system, in the same pattern; default: the first one's, a_ij times\n"
    "                       d_i d_j with d between 0.9 and 1.1\n"
    "  -passes K            at most so many passes, each with a new KSP; default 1\n"
    "  -pass_seconds S      no new pass after so many seconds; default 1\n"
    "  -no_history          leave out the residuals by iterations, which are computed in a further solve\n"
    "  -mat_type TYPE, -zero_diagonal, -spd   as in examples/solve\n"
    "Right-hand sides are A times 1. Memory is what the process has resident at most in the first pass, beyond what "
    "it\n"
    "has when both systems are loaded. With a matrix on a GPU (-mat_type aijcusparse) times begin when its values\n"
    "are there, and end when the GPU is done; memory is what the GPU has in use after the first pass, likewise.\n"
    "Exit status: 0, or 1 for an error.\n";

#include "../common/main.hpp"
#include "../common/random.hpp"
#include "../common/read_matrix.hpp"
#include "device.hpp"
#include "measure.hpp"
#include "memory.hpp"
#include <cmath>
#include <petscksp.h>

using namespace examples;

namespace {

/// The two systems, which no solver sees, and what solvers get: a copy of their matrices, by turns.
struct Case {
  System system[2];
  Mat given = nullptr;
  Vec x = nullptr;
  PetscBool on_device = PETSC_FALSE; ///< whether all of that is in the memory of a GPU
};

struct Passes {
  PetscInt most = 1;
  PetscReal seconds = 1;
  PetscBool no_history = PETSC_FALSE;
};

/// Multiplies every entry a_ij of a matrix by d_i d_j, for fixed numbers d.
PetscErrorCode ScaleRandomly(Mat a)
{
  Random random(1);
  Vec d;
  PetscScalar *value;
  PetscInt rows;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(a, nullptr, &d));
  PetscCall(VecGetLocalSize(d, &rows));
  PetscCall(VecGetArrayWrite(d, &value));
  for (PetscInt i = 0; i < rows; ++i)
    value[i] = 1 + 0.1 * random.Signed();
  PetscCall(VecRestoreArrayWrite(d, &value));
  PetscCall(MatDiagonalScale(a, d, d));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks that two sequential AIJ matrices have the same pattern.
PetscErrorCode CheckPatterns(Mat a, Mat b)
{
  const Mat matrix[2] = {a, b};
  PetscInt rows[2];
  const PetscInt *start[2], *column[2];
  PetscBool done, same;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; ++k) {
    PetscCall(MatGetRowIJ(matrix[k], 0, PETSC_FALSE, PETSC_FALSE, &rows[k], &start[k], &column[k], &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "the matrix does not give its pattern");
  }
  same = rows[0] == rows[1] ? PETSC_TRUE : PETSC_FALSE;
  if (same)
    PetscCall(PetscArraycmp(start[0], start[1], rows[0] + 1, &same));
  if (same)
    PetscCall(PetscArraycmp(column[0], column[1], start[0][rows[0]], &same));
  for (int k = 0; k < 2; ++k)
    PetscCall(MatRestoreRowIJ(matrix[k], 0, PETSC_FALSE, PETSC_FALSE, &rows[k], &start[k], &column[k], &done));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-second: the matrix has not the pattern of the first one");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gives solvers the values of a system, where its type keeps them: those of a matrix on a GPU go there with the first
/// product, which with a norm also makes the handles of libraries that PETSc makes once.
PetscErrorCode Give(const Case &c, int which)
{
  PetscReal norm;
  Vec y;

  PetscFunctionBeginUser;
  PetscCall(MatCopy(c.system[which].A, c.given, SAME_NONZERO_PATTERN));
  if (!c.on_device)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(c.x, &y));
  PetscCall(MatMult(c.given, c.system[which].b, y));
  PetscCall(VecNorm(y, NORM_2, &norm));
  PetscCall(VecDestroy(&y));
  PetscCall(WaitForDevice());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Values of the second system; returns in `given` whether they come from a file.
PetscErrorCode SetSecond(Case *c, PetscBool *given)
{
  char file[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  c->system[1].name = c->system[0].name;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-second", file, sizeof file, given));
  if (*given) {
    PetscCall(ReadMatrix(file, &c->system[1]));
    PetscCall(CheckPatterns(c->system[0].A, c->system[1].A));
  } else {
    PetscCall(MatDuplicate(c->system[0].A, MAT_COPY_VALUES, &c->system[1].A));
    PetscCall(ScaleRandomly(c->system[1].A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Load(Case *c)
{
  std::string file;
  PetscBool second;
  PetscInt rows;
  PetscMPIInt processes;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  PetscCheck(processes == 1, PETSC_COMM_WORLD, PETSC_ERR_SUP, "study_case runs on one process");
  PetscCall(GetFileOptions("matrix", &file, &c->system[0].name));
  PetscCall(ReadMatrix(file, &c->system[0]));
  PetscCall(SetSecond(c, &second));
  for (System &system : c->system)
    PetscCall(SetRightHandSide(&system));
  PetscCall(MatDuplicate(c->system[0].A, MAT_COPY_VALUES, &c->given));
  PetscCall(VecDuplicate(c->system[0].b, &c->x));
  PetscCall(IsOnDevice(c->given, &c->on_device));
  PetscCall(Give(*c, 0));
  PetscCall(MatGetSize(c->given, &rows, nullptr));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "loaded rows=%" PetscInt_FMT " entries=%lld symmetric=%s second=%s\n", rows,
                        (long long)c->system[0].entries, c->system[0].symmetric ? "true" : "false",
                        second ? "file" : "scaled"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintMeasurement(PetscInt pass, int which, const Measurement &m)
{
  PetscFunctionBeginUser;
  PetscCall(
      PetscPrintf(PETSC_COMM_SELF,
                  "solve pass=%" PetscInt_FMT " of=%s setup_wall=%.6g setup_processor=%.6g solve_wall=%.6g "
                  "solve_processor=%.6g analysis=%.6g factorization=%.6g application=%.6g iterations=%" PetscInt_FMT
                  " reason=%s pc_reason=%s residual=%.4e backward_error=%.4e\n",
                  pass, which ? "second" : "first", m.setup.wall, m.setup.processor, m.solve.wall, m.solve.processor,
                  m.analysis, m.factorization, m.application, m.iterations, KSPConvergedReasons[m.reason],
                  PCFailedReasons[m.pc_reason], (double)m.residual.relative, (double)m.residual.backward_error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintMemory(const Memory &memory)
{
  PetscInt64 growth;

  PetscFunctionBeginUser;
  PetscCall(memory.Growth(&growth));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "memory loaded_bytes=%lld solver_bytes=%lld\n", (long long)memory.base(),
                        (long long)growth));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// One pass: a new KSP, the first system, then the second with the same KSP, which is left for more.
PetscErrorCode RunPass(const Case &c, PetscInt pass, const Memory &memory, KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  for (int k = 0; k < 2; ++k) {
    Measurement m;
    PetscCall(Give(c, k));
    PetscCall(KSPSetOperators(*ksp, c.given, c.given));
    if (k == 0)
      PetscCall(KSPSetFromOptions(*ksp));
    PetscCall(MeasureSolve(*ksp, c.system[k].A, c.system[k].b, c.x, &m));
    PetscCall(PrintMeasurement(pass, k, m));
    if (pass == 0)
      PetscCall(PrintMemory(memory));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintHistory(KSP ksp, const Case &c)
{
  History history;
  PC pc;
  PCFailedReason failed;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetFailedReason(pc, &failed));
  if (failed != PC_NOERROR) // there is nothing to iterate with
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RecordHistory(ksp, c.system[1].A, c.system[1].b, c.x, &history));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "history"));
  for (std::size_t k = 0; k < history.iteration.size(); ++k)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, " %" PetscInt_FMT "=%.4e", history.iteration[k],
                          (double)history.relative_residual[k]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetPasses(Passes *passes)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-passes", &passes->most, nullptr));
  PetscCheck(passes->most >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-passes %" PetscInt_FMT ": at least one",
             passes->most);
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-pass_seconds", &passes->seconds, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-no_history", &passes->no_history, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run(int *status)
{
  Case c;
  Passes passes;
  Memory memory;
  KSP ksp = nullptr;
  PetscLogDouble begin, now;

  PetscFunctionBeginUser;
  PetscCall(PetscLogDefaultBegin()); // before types are registered by a first use, and with them their events
  PetscCall(GetPasses(&passes));
  PetscCall(Load(&c));
  PetscCall(memory.Begin(c.on_device));
  PetscCall(PetscTime(&begin));
  now = begin;
  for (PetscInt pass = 0; pass < passes.most && (pass == 0 || now - begin < passes.seconds); ++pass) {
    PetscCall(KSPDestroy(&ksp));
    PetscCall(RunPass(c, pass, memory, &ksp));
    PetscCall(PetscTime(&now));
  }
  if (!passes.no_history)
    PetscCall(PrintHistory(ksp, c));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "end\n"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&c.x));
  PetscCall(MatDestroy(&c.given));
  for (System &system : c.system)
    PetscCall(DestroySystem(&system));
  *status = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  return GuardedMain(argc, argv, help, Run);
}
