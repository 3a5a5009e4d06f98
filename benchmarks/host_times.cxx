// Times the direct solver on the host beside others with their default options: LU beside KLU, UMFPACK and MUMPS, LDLᵀ
// beside MUMPS and SSIDS, LLᵀ beside these and CHOLMOD; those of them that were found.
//
//   host_times [-kind lu|ldlt|llt] [-threads N] [-cpu] [-repeat N] [-skip NAME,...] [-ordering
//   auto|nd|amd|metis|natural] [-nemin N] [-u U]
//            (FILE.mtx[.gz] | kkt3d:N | poisson:N | convection:N) ...
//
// A line for each system and solver: seconds of the analysis, milliseconds of the first factorization, of one of the
// same pattern (KLU's with kept pivots apart), and of a solve with one right-hand side; each a median of N runs but the
// first; entries of L and U, and the scaled backward error of one solution. -cpu: processor time of all threads, on a
// machine with other work.

#include "factor/lu/lu_factorization.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "host_rivals.hpp"
#include "median.hpp"
#include "named_system.hpp"
#include "plan_arguments.hpp"
#include "support/backward_error.hpp"
#include "support/random_matrix.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <numeric>
#include <omp.h>
#include <string>
#ifdef WITH_MUMPS
#include <mpi.h>
#endif

using namespace tessera;

namespace {

enum class Kind { Lu, Ldlt, Llt };

struct Options {
  Kind kind = Kind::Lu;
  int repeat = 3;
  std::string skip;
  PlanOptions plan = lu_plan_options();
  DirectOptions direct;
};

class TesseraSolver : public Solver {
public:
  TesseraSolver(const Matrix &a, const Options &options) : a_(a), options_(options), source_(a.value.size())
  {
    std::iota(source_.begin(), source_.end(), 0);
  }

  const char *name() const override { return "tessera"; }

  void analyze() override
  {
    if (options_.kind == Kind::Lu) {
      lu_ = make_lu_plan(a_, source_, options_.plan);
      check(lu_.status == AnalysisStatus::Ok, "analysis");
      factorization_ = make_host_lu(lu_.plan);
      return;
    }
    symmetric_ = make_plan(a_, source_, options_.plan);
    check(symmetric_.status == AnalysisStatus::Ok, "analysis");
    factorization_ = make_host_direct(symmetric_.plan, options_.kind == Kind::Llt ? FactorKind::LLT : FactorKind::LDLT);
  }

  void factor() override
  {
    report_ = factorization_->factor(a_.value.data(), options_.direct);
    check(report_.status == DirectReport::Complete, "factorization");
  }

  void solve(const std::vector<double> &b, std::vector<double> &x) override
  {
    const Index n = a_.pattern.rows;
    solved_ = factorization_->solve(1, b.data(), n, x.data(), n, {1e-14, 10});
  }

  double entries() const override { return double(report_.entries); }

  std::string remark() const override
  {
    const FrontPlan &plan = options_.kind == Kind::Lu ? lu_.plan.fronts : symmetric_.plan;
    char text[200];
    std::snprintf(text, sizeof text, "%d fronts, largest %d, %.2e flops, %lld delayed, %lld zero, %d steps",
                  int(plan.tree.fronts()), int(plan.largest_front), report_.flops, (long long)report_.delayed,
                  (long long)report_.zero, int(solved_.steps));
    return text;
  }

private:
  const Matrix &a_;
  const Options &options_;
  std::vector<Offset> source_;
  LuPlanResult lu_;
  PlanResult symmetric_;
  std::unique_ptr<DirectFactorization> factorization_;
  DirectReport report_;
  SolveReport solved_;
};

bool processor_time = false;

double seconds()
{
  if (processor_time)
    return double(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds that each of some runs takes.
template <class Work>
std::vector<double> times(int runs, const Work &work)
{
  std::vector<double> result;
  for (int r = 0; r < runs; ++r) {
    const double begin = seconds();
    work();
    result.push_back(seconds() - begin);
  }
  return result;
}

void measure(const std::string &name, const Matrix &a, Solver &solver, int repeat)
{
  const std::vector<double> b = test::product(a, test::random_vector(a.pattern.rows, 1));
  std::vector<double> x(b.size());
  std::printf("%-28s %-8s ", name.substr(name.find_last_of('/') + 1).c_str(), solver.name());
  std::fflush(stdout);
  try {
    const double analysis = median(times(1, [&] { solver.analyze(); }));
    const double first = median(times(1, [&] { solver.factor(); }));
    const double again = median(times(repeat, [&] { solver.factor(); }));
    bool kept = true;
    const double refactor = median(times(repeat, [&] { kept = kept && solver.refactor(); }));
    const double solve = median(times(repeat, [&] { solver.solve(b, x); }));
    std::printf("analysis %8.4f s first %9.3f ms again %9.3f ms solve %8.3f ms nnz(L+U) %.3e error %.1e", analysis,
                1e3 * first, 1e3 * again, 1e3 * solve, solver.entries(), test::backward_error(a, x, b));
    if (kept)
      std::printf(" kept pivots %.3f ms", 1e3 * refactor);
    std::printf(" %s\n", solver.remark().c_str());
  } catch (const std::exception &error) {
    std::printf("failed: %s\n", error.what());
  }
  std::fflush(stdout);
}

void measure(const std::string &name, const Options &options)
{
  const Matrix a = system_of(name);
  std::vector<std::function<std::unique_ptr<Solver>()>> makers;
  const auto add = [&](const char *solver, std::function<std::unique_ptr<Solver>()> make) {
    if (options.skip.find(solver) == std::string::npos)
      makers.push_back(std::move(make));
  };
  add("tessera", [&] { return std::make_unique<TesseraSolver>(a, options); });
#ifdef WITH_SUITESPARSE
  if (options.kind == Kind::Lu) {
    add("klu", [&] { return std::make_unique<Klu>(a); });
    add("umfpack", [&] { return std::make_unique<Umfpack>(a); });
  } else if (options.kind == Kind::Llt) {
    add("cholmod", [&] { return std::make_unique<Cholmod>(a); });
  }
#endif
#ifdef WITH_MUMPS
  const int sym = options.kind == Kind::Lu ? 0 : options.kind == Kind::Llt ? 1 : 2;
  add("mumps", [&] { return std::make_unique<Mumps>(a, sym); });
#endif
#ifdef WITH_SPRAL
  if (options.kind != Kind::Lu)
    add("ssids", [&] { return std::make_unique<Ssids>(a, options.kind == Kind::Llt); });
#endif
  for (const auto &make : makers)
    measure(name, a, *make(), options.repeat);
}

void set_kind(const std::string &name, Options &options)
{
  options.kind = name == "llt" ? Kind::Llt : name == "ldlt" ? Kind::Ldlt : Kind::Lu;
  options.plan = options.kind == Kind::Lu ? lu_plan_options() : PlanOptions();
  if (options.kind == Kind::Llt)
    options.plan.preprocessing = Preprocessing::None;
}

} // namespace

int main(int argc, char **argv)
{
#ifdef WITH_MUMPS
  MPI_Init(&argc, &argv);
#endif
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (arg == "-kind")
      set_kind(next(), options);
    else if (arg == "-threads")
      omp_set_num_threads(std::atoi(next().c_str()));
    else if (arg == "-cpu")
      processor_time = true;
    else if (arg == "-repeat")
      options.repeat = std::max(1, std::atoi(next().c_str()));
    else if (arg == "-skip")
      options.skip = next();
    else if (arg == "-u")
      options.direct.threshold = std::atof(next().c_str());
    else if (!take_plan_argument(arg, next, options.plan))
      measure(arg, options);
  }
#ifdef WITH_MUMPS
  MPI_Finalize();
#endif
}
