static char help[] =
    "Sets up PCBILDLT, PCJLDLT and the direct solver's LDL^T and LU many times, with changing values, patterns and\n"
    "sizes, and solves with them; every ninth system has a NaN or is zero, and has to fail. Checks all results, that\n"
    "memory stays flat, and that nothing hangs.\n"
    "  -n <n>            setups, each with a solve\n"
    "  -rows <n>         rows of the largest system\n"
    "  -patterns <n>     systems of other sizes in a round, each with two patterns\n"
    "  -values <n>       setups with other values before the pattern changes\n"
    "  -watchdog <s>     seconds for a setup and a solve, after which the program ends with status 2\n"
    "  -progress         a line a round\n\n";

#include <petscksp.h>
#if PetscDefined(HAVE_CUDA)
#include <petscdevice_cuda.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr int types = 4;
const char *const pc_types[types] = {"bildlt", "jldlt", PCCHOLESKY, PCLU};
const char *const ksp_types[types] = {"sqmr", KSPGMRES, KSPPREONLY, KSPPREONLY};
constexpr long early_steps = 500; /* after which memory is measured, beside that at the ends of rounds */
constexpr PetscReal tolerance = 1e-8, largest_residual = 1e-6; /* relative: asked for, and taken for a solution */

struct Options {
  PetscInt n = 20000, rows = 2000, patterns = 10, values = 10;
  PetscReal watchdog = 60;
  PetscBool progress = PETSC_FALSE;
};

/* Ends the program where one step takes too long, which no test of the results would see. */
class Watchdog {
public:
  explicit Watchdog(double seconds) : thread_([this, seconds] { watch(seconds); }) {}
  ~Watchdog()
  {
    done_ = true;
    thread_.join();
  }
  void step(long number) { step_ = number; }

private:
  void watch(double seconds)
  {
    long seen = -1;
    auto since = std::chrono::steady_clock::now();

    while (!done_) {
      const auto now = std::chrono::steady_clock::now();

      if (step_ != seen) {
        seen = step_;
        since = now;
      } else if (std::chrono::duration<double>(now - since).count() > seconds) {
        std::fprintf(stderr, "HANGS: step %ld takes more than %g seconds\n", seen, seconds);
        _exit(2);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  std::atomic<long> step_{0};
  std::atomic<bool> done_{false};
  std::thread thread_;
};

/* Pseudo-random numbers that are the same everywhere. */
class Random {
public:
  explicit Random(unsigned long long seed) : state_(seed * 2654435769ULL + 1) {}
  unsigned long long bits()
  {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return state_ >> 33;
  }
  PetscInt below(PetscInt n) { return (PetscInt)(bits() % (unsigned long long)n); }
  double between(double low, double high) { return low + (high - low) * (double)bits() / 2147483648.0; }

private:
  unsigned long long state_;
};

/* The upper triangle of [H B^T; B -D]: H a five-point stencil with random weights, three entries in each row of B. */
struct Pattern {
  PetscInt rows = 0, variables = 0;
  std::vector<std::array<PetscInt, 2>> entry;
};

Pattern MakePattern(PetscInt rows, unsigned long long seed)
{
  Random random(seed);
  Pattern p;
  const PetscInt constraints = rows / 4, width = std::max<PetscInt>(2, (PetscInt)std::sqrt(0.75 * (double)rows));

  p.rows = rows;
  p.variables = rows - constraints;
  for (PetscInt i = 0; i < rows; i++)
    p.entry.push_back({i, i});
  for (PetscInt i = 0; i < p.variables; i++) {
    if (i + 1 < p.variables)
      p.entry.push_back({i, i + 1});
    if (i + width < p.variables)
      p.entry.push_back({i, i + width});
  }
  for (PetscInt i = p.variables; i < rows; i++) {
    const PetscInt third = p.variables / 3;

    for (PetscInt j = 0; j < 3; j++)
      p.entry.push_back({j * third + random.below(third), i});
  }
  return p;
}

PetscErrorCode SetValues(const Pattern &p, unsigned long long seed, Mat A)
{
  Random random(seed);

  PetscFunctionBeginUser;
  for (const auto &[i, j] : p.entry) {
    PetscScalar value = random.between(-1, 1);

    if (i == j)
      value = i < p.variables ? random.between(3, 5) : -random.between(0.1, 1);
    PetscCall(MatSetValue(A, i, j, value, INSERT_VALUES));
    if (i != j)
      PetscCall(MatSetValue(A, j, i, value, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A system with its solver */
struct Solver {
  KSP ksp = nullptr;
  Mat A = nullptr;
  Vec x = nullptr, b = nullptr, residual = nullptr;
  PetscInt rows = 0;
  bool broken = false; /* A has no values to be scaled */
};

PetscErrorCode CreateKSP(int type, KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetType(*ksp, ksp_types[type]));
  PetscCall(KSPSetTolerances(*ksp, tolerance, PETSC_CURRENT, PETSC_CURRENT, 500));
  PetscCall(KSPGMRESSetRestart(*ksp, 100));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, pc_types[type]));
  if (!std::strcmp(ksp_types[type], KSPPREONLY))
    PetscCall(PCFactorSetMatSolverType(pc, "tessera"));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DestroySystem(Solver *s)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&s->A));
  PetscCall(VecDestroy(&s->x));
  PetscCall(VecDestroy(&s->b));
  PetscCall(VecDestroy(&s->residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Goes to another pattern. The PC stays as it is where the size does; else it is reset or made anew. */
PetscErrorCode ChangePattern(int type, const Pattern &p, PetscBool anew, Solver *s)
{
  PetscFunctionBeginUser;
  PetscCall(DestroySystem(s));
  if (anew)
    PetscCall(KSPDestroy(&s->ksp));
  if (!s->ksp)
    PetscCall(CreateKSP(type, &s->ksp));
  else if (p.rows != s->rows)
    PetscCall(KSPReset(s->ksp));
  s->rows = p.rows;
  s->broken = false;
  PetscCall(MatCreate(PETSC_COMM_SELF, &s->A));
  PetscCall(MatSetSizes(s->A, p.rows, p.rows, p.rows, p.rows));
  PetscCall(MatSetType(s->A, MATSEQAIJ));
  PetscCall(MatSetFromOptions(s->A));
  PetscCall(MatSetUp(s->A));
  PetscCall(SetValues(p, 0, s->A));
  PetscCall(MatCreateVecs(s->A, &s->x, &s->b));
  PetscCall(VecDuplicate(s->b, &s->residual));
  PetscCall(KSPSetOperators(s->ksp, s->A, s->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves A x = A v for a random v. residual: the true one, relative; infinite if there is no solution. */
PetscErrorCode Solve(Solver *s, PetscRandom random, PetscInt *iterations, PetscReal *residual)
{
  PetscReal norm;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(VecSetRandom(s->x, random));
  PetscCall(MatMult(s->A, s->x, s->b));
  PetscCall(KSPSolve(s->ksp, s->b, s->x));
  PetscCall(KSPGetConvergedReason(s->ksp, &reason));
  PetscCall(KSPGetIterationNumber(s->ksp, iterations));
  PetscCall(MatMult(s->A, s->x, s->residual));
  PetscCall(VecAXPY(s->residual, -1.0, s->b));
  PetscCall(VecNorm(s->residual, NORM_2, residual));
  PetscCall(VecNorm(s->b, NORM_2, &norm));
  *residual = reason > 0 ? *residual / norm : PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with a matrix that has a NaN or is zero. right: it has a failed reason. */
PetscErrorCode SolveBroken(Solver *s, PetscRandom random, bool zero, bool *right)
{
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  if (zero) {
    PetscCall(MatZeroEntries(s->A));
  } else {
    PetscCall(MatSetValue(s->A, s->rows / 2, s->rows / 2, NAN, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(s->A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(s->A, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(VecSetRandom(s->b, random));
  PetscCall(KSPSolve(s->ksp, s->b, s->x));
  PetscCall(KSPGetConvergedReason(s->ksp, &reason));
  *right = reason < 0;
  s->broken = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Memory {
  double host = 0, device = 0; /* bytes */
};

PetscErrorCode MeasureMemory(Memory *memory)
{
  long pages = 0, resident = 0;

  PetscFunctionBeginUser;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2)
      resident = 0;
    std::fclose(file);
  }
  PetscCheck(resident > 0, PETSC_COMM_SELF, PETSC_ERR_SYS, "No memory of this process in /proc/self/statm");
  memory->host = (double)resident * (double)sysconf(_SC_PAGESIZE);
#if PetscDefined(HAVE_CUDA)
  {
    size_t unused = 0, all = 0;

    PetscCallCUDA(cudaDeviceSynchronize());
    PetscCallCUDA(cudaMemGetInfo(&unused, &all));
    memory->device = (double)(all - unused);
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a round needed no more memory than an early one, but for a hundredth and 8 MB. */
bool Flat(double early, double late)
{
  return late <= 1.01 * early + 8e6;
}

PetscErrorCode PrintMemory(const char what[], double early, double late, bool *failed)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %.1f MB early, %.1f MB late: %s\n", what, 1e-6 * early, 1e-6 * late,
                        Flat(early, late) ? "flat" : "GROWS"));
  *failed = *failed || !Flat(early, late);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest memory at the ends of rounds from `begin` to `end`, as shares of all. */
Memory LargestOf(const std::vector<Memory> &rounds, double begin, double end)
{
  Memory largest;

  for (std::size_t i = 0; i < rounds.size(); i++)
    if ((double)i >= begin * (double)rounds.size() && (double)i < end * (double)rounds.size()) {
      largest.host = std::max(largest.host, rounds[i].host);
      largest.device = std::max(largest.device, rounds[i].device);
    }
  return largest;
}

struct Sums {
  long steps[types] = {}, iterations[types] = {}, broken = 0, failures = 0;
  PetscReal worst = 0; /* relative residual */
  std::vector<Memory> rounds;
  Memory early; /* after early_steps */

  long all() const { return std::accumulate(steps, steps + types, 0L); }
};

/* One setup and solve, and what came of it. */
PetscErrorCode Step(Solver *s, int type, PetscRandom random, Sums *sums)
{
  const long step = sums->all();
  PetscInt iterations = 0;
  PetscReal residual = 0;
  bool good = false;

  PetscFunctionBeginUser;
  if (step % 9 == 8) {
    PetscCall(SolveBroken(s, random, step % 2 == 0, &good));
    sums->broken++;
  } else {
    PetscCall(Solve(s, random, &iterations, &residual));
    good = residual <= largest_residual;
    sums->worst = std::max(sums->worst, residual);
  }
  if (!good) {
    sums->failures++;
    PetscCall(PetscPrintf(PETSC_COMM_SELF,
                          "FAILS: %s, %" PetscInt_FMT " rows, step %ld, %" PetscInt_FMT
                          " iterations, relative residual %g\n",
                          pc_types[type], s->rows, step, iterations, (double)residual));
  }
  sums->iterations[type] += (long)iterations;
  sums->steps[type]++;
  if (sums->all() == early_steps)
    PetscCall(MeasureMemory(&sums->early));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One pass over all systems: `values` setups of each type with each pattern, in turns. */
PetscErrorCode Round(const Options &o, Solver solver[], PetscRandom random, Watchdog *watchdog, Sums *sums)
{
  const unsigned long long round = sums->rounds.size();
  Memory memory;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 2 * o.patterns; k++) {
    const PetscInt rows = std::max<PetscInt>(12, o.rows * (k / 2 + 1) / o.patterns);
    const Pattern pattern = MakePattern(rows, (unsigned long long)k);

    for (int type = 0; type < types; type++)
      PetscCall(ChangePattern(type, pattern, (PetscBool)((k / 2) % 3 == 2 && k % 2 == 0), &solver[type]));
    for (PetscInt i = 0; i < o.values * types; i++) {
      const int type = (int)(i % types);

      if (sums->all() == o.n)
        PetscFunctionReturn(PETSC_SUCCESS);
      if (i % 5 == 4 && !solver[type].broken) {
        PetscCall(MatScale(solver[type].A, -2.0)); /* in device memory */
      } else {
        PetscCall(SetValues(pattern, round * 1000003ULL + (unsigned long long)(k * o.values + i), solver[type].A));
        solver[type].broken = false;
      }
      PetscCall(Step(&solver[type], type, random, sums));
      watchdog->step(sums->all());
    }
  }
  PetscCall(MeasureMemory(&memory));
  sums->rounds.push_back(memory);
  if (o.progress)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "round %d: host %.1f MB, device %.1f MB\n", (int)sums->rounds.size(),
                          1e-6 * memory.host, 1e-6 * memory.device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Report(const Sums &sums, double seconds, bool *failed)
{
  const Memory early = LargestOf(sums.rounds, 0.1, 0.3), late = LargestOf(sums.rounds, 0.7, 1);

  PetscFunctionBeginUser;
  for (int type = 0; type < types; type++)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %ld setups and solves, %.1f iterations each\n", pc_types[type],
                          sums.steps[type], (double)sums.iterations[type] / (double)std::max(1L, sums.steps[type])));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%ld systems with a NaN or zero; %.1f seconds; largest relative residual %.1e; failures %ld\n",
                        sums.broken, seconds, (double)sums.worst, sums.failures));
  if (sums.early.host > 0) {
    Memory now;

    PetscCall(MeasureMemory(&now));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "host memory: %.1f MB after %ld setups, %.1f MB now\n",
                          1e-6 * sums.early.host, early_steps, 1e-6 * now.host));
  }
  *failed = sums.failures > 0;
  if (sums.rounds.size() < 10) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "memory: not judged, as that needs 10 rounds and these were %d\n",
                          (int)sums.rounds.size()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PrintMemory("host memory", early.host, late.host, failed));
  PetscCall(PrintMemory("device memory", early.device, late.device, failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Soak(bool *failed)
{
  Options o;
  Sums sums;
  Solver solver[types];
  PetscRandom random;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &o.n, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-rows", &o.rows, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-patterns", &o.patterns, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-values", &o.values, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-watchdog", &o.watchdog, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-progress", &o.progress, nullptr));
  PetscCheck(o.n > 0 && o.rows > 0 && o.patterns > 0 && o.values > 0 && o.watchdog > 0, PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE, "-n, -rows, -patterns, -values and -watchdog take numbers above zero");
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetType(random, PETSCRANDER48));
  PetscCall(PetscRandomSetInterval(random, -1.0, 1.0));
  const auto begin = std::chrono::steady_clock::now();
  {
    Watchdog watchdog(o.watchdog);

    while (sums.all() < o.n)
      PetscCall(Round(o, solver, random, &watchdog, &sums));
  }
  PetscCall(Report(sums, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), failed));
  for (Solver &s : solver) {
    PetscCall(DestroySystem(&s));
    PetscCall(KSPDestroy(&s.ksp));
  }
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  bool failed = false;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(Soak(&failed));
  PetscCall(PetscFinalize());
  return failed ? 1 : 0;
}
