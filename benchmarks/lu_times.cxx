// Times LU of this project beside KLU, UMFPACK and MUMPS with their defaults, on the host.
//
//   lu_times [-threads N] [-cpu] [-repeat N] [-skip NAME,...] [-ordering auto|nd|amd|metis|natural] [-nemin N] [-u U]
//            (FILE.mtx[.gz] | kkt3d:N | poisson:N | convection:N) ...
//
// A line for each system and solver: seconds of the analysis, milliseconds of the first factorization, of one of the
// same pattern (KLU's with kept pivots apart), and of a solve with one right-hand side; each a median of N runs but the
// first; entries of L and U, and the scaled backward error of one solution. -cpu: processor time of all threads, on a
// machine with other work.

#include "backward_error.hpp"
#include "factor/lu/lu_factorization.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "median.hpp"
#include "named_system.hpp"
#include "plan_arguments.hpp"
#include "support/random_matrix.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <numeric>
#include <omp.h>
#include <stdexcept>
#include <string>
#ifdef WITH_SUITESPARSE
#include <suitesparse/klu.h>
#include <suitesparse/umfpack.h>
#endif
#ifdef WITH_MUMPS
#include <dmumps_c.h>
#include <mpi.h>
#endif

using namespace tessera;

namespace {

struct Options {
  int repeat = 3;
  std::string skip;
  PlanOptions plan = lu_plan_options();
  DirectOptions direct;
};

/// A solver with its matrix. Members throw std::runtime_error when they fail.
class Solver {
public:
  virtual ~Solver() = default;
  virtual const char *name() const = 0;
  virtual void analyze() = 0;
  virtual void factor() = 0;
  /// The same pivots again, where the solver offers that.
  virtual bool refactor() { return false; }
  virtual void solve(const std::vector<double> &b, std::vector<double> &x) = 0;
  virtual double entries() const = 0;
  virtual std::string remark() const { return ""; }
};

void check(bool good, const char *what)
{
  if (!good)
    throw std::runtime_error(what);
}

class TesseraLu : public Solver {
public:
  TesseraLu(const Matrix &a, const Options &options) : a_(a), options_(options), source_(a.value.size())
  {
    std::iota(source_.begin(), source_.end(), 0);
  }

  const char *name() const override { return "tessera"; }

  void analyze() override
  {
    plan_ = make_lu_plan(a_, source_, options_.plan);
    check(plan_.status == AnalysisStatus::Ok, "analysis");
    factorization_ = make_host_lu(plan_.plan);
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
    char text[200];
    std::snprintf(text, sizeof text, "%d fronts, largest %d, %d blocks, %.2e flops, %lld delayed, %lld zero, %d steps",
                  int(plan_.plan.fronts.tree.fronts()), int(plan_.plan.fronts.largest_front),
                  int(plan_.plan.block.size()), report_.flops, (long long)report_.delayed, (long long)report_.zero,
                  int(solved_.steps));
    return text;
  }

private:
  const Matrix &a_;
  const Options &options_;
  std::vector<Offset> source_;
  LuPlanResult plan_;
  std::unique_ptr<DirectFactorization> factorization_;
  DirectReport report_;
  SolveReport solved_;
};

#ifdef WITH_SUITESPARSE
/// KLU and UMFPACK take columns: they factor the transpose, and solve with the transpose of that.
class Klu : public Solver {
public:
  explicit Klu(const Matrix &a) : a_(a), start_(a.pattern.start.begin(), a.pattern.start.end()), row_(a.pattern.column)
  {
    klu_defaults(&common_);
  }
  ~Klu() override
  {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  const char *name() const override { return "klu"; }
  void analyze() override
  {
    klu_free_symbolic(&symbolic_, &common_);
    symbolic_ = klu_analyze(a_.pattern.rows, start_.data(), row_.data(), &common_);
    check(symbolic_, "klu_analyze");
  }
  void factor() override
  {
    klu_free_numeric(&numeric_, &common_);
    numeric_ = klu_factor(start_.data(), row_.data(), values(), symbolic_, &common_);
    check(numeric_ && common_.status == KLU_OK, "klu_factor");
  }
  bool refactor() override
  {
    check(klu_refactor(start_.data(), row_.data(), values(), symbolic_, numeric_, &common_), "klu_refactor");
    return true;
  }
  void solve(const std::vector<double> &b, std::vector<double> &x) override
  {
    x = b;
    check(klu_tsolve(symbolic_, numeric_, a_.pattern.rows, 1, x.data(), &common_), "klu_tsolve");
  }
  double entries() const override { return double(numeric_->lnz) + numeric_->unz; }

private:
  double *values() { return const_cast<double *>(a_.value.data()); }

  const Matrix &a_;
  std::vector<int> start_, row_;
  klu_common common_;
  klu_symbolic *symbolic_ = nullptr;
  klu_numeric *numeric_ = nullptr;
};

class Umfpack : public Solver {
public:
  explicit Umfpack(const Matrix &a)
      : a_(a), start_(a.pattern.start.begin(), a.pattern.start.end()), row_(a.pattern.column)
  {
    umfpack_di_defaults(control_);
  }
  ~Umfpack() override
  {
    umfpack_di_free_numeric(&numeric_);
    umfpack_di_free_symbolic(&symbolic_);
  }

  const char *name() const override { return "umfpack"; }
  void analyze() override
  {
    umfpack_di_free_symbolic(&symbolic_);
    const int n = a_.pattern.rows;
    check(umfpack_di_symbolic(n, n, start_.data(), row_.data(), a_.value.data(), &symbolic_, control_, info_) == 0,
          "umfpack_di_symbolic");
  }
  void factor() override
  {
    umfpack_di_free_numeric(&numeric_);
    const int status =
        umfpack_di_numeric(start_.data(), row_.data(), a_.value.data(), symbolic_, &numeric_, control_, info_);
    check(status == 0, status == UMFPACK_WARNING_singular_matrix ? "singular" : "umfpack_di_numeric");
    entries_ = info_[UMFPACK_LNZ] + info_[UMFPACK_UNZ];
  }
  void solve(const std::vector<double> &b, std::vector<double> &x) override
  {
    check(umfpack_di_solve(UMFPACK_At, start_.data(), row_.data(), a_.value.data(), x.data(), b.data(), numeric_,
                           control_, info_) == 0,
          "umfpack_di_solve");
  }
  double entries() const override { return entries_; }

private:
  const Matrix &a_;
  std::vector<int> start_, row_;
  double control_[UMFPACK_CONTROL], info_[UMFPACK_INFO], entries_ = 0;
  void *symbolic_ = nullptr, *numeric_ = nullptr;
};
#endif

#ifdef WITH_MUMPS
class Mumps : public Solver {
public:
  explicit Mumps(const Matrix &a) : a_(a), column_(a.pattern.column)
  {
    for (Index i = 0; i < a.pattern.rows; ++i)
      row_.insert(row_.end(), a.pattern.start[i + 1] - a.pattern.start[i], i + 1);
    for (int &j : column_)
      ++j;
    data_.sym = 0;
    data_.par = 1;
    data_.comm_fortran = -987654; // MPI_COMM_WORLD
    call(-1);
    data_.icntl[0] = data_.icntl[1] = data_.icntl[2] = -1;
    data_.icntl[3] = 0;
    data_.n = a.pattern.rows;
    data_.nnz = MUMPS_INT8(a.value.size());
    data_.irn = row_.data();
    data_.jcn = column_.data();
    data_.a = const_cast<double *>(a.value.data());
  }
  ~Mumps() override { call(-2); }

  const char *name() const override { return "mumps"; }
  void analyze() override { call(1); }
  void factor() override
  {
    // It asks for more memory than it has foreseen by an error.
    for (data_.job = 2; dmumps_c(&data_), data_.infog[0] == -8 || data_.infog[0] == -9;)
      data_.icntl[13] *= 2;
    check(data_.infog[0] >= 0, "dmumps_c");
  }
  void solve(const std::vector<double> &b, std::vector<double> &x) override
  {
    x = b;
    data_.rhs = x.data();
    call(3);
  }
  double entries() const override { return data_.infog[28] < 0 ? -1e6 * data_.infog[28] : data_.infog[28]; }

private:
  void call(int job)
  {
    data_.job = job;
    dmumps_c(&data_);
    check(data_.infog[0] >= 0, "dmumps_c");
  }

  const Matrix &a_;
  std::vector<int> row_, column_;
  DMUMPS_STRUC_C data_ = {};
};
#endif

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
  const std::vector<double> b = product(a, test::random_vector(a.pattern.rows, 1));
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
                1e3 * first, 1e3 * again, 1e3 * solve, solver.entries(), backward_error(a, x, b));
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
  const auto wanted = [&](const char *solver) { return options.skip.find(solver) == std::string::npos; };
  std::vector<std::function<std::unique_ptr<Solver>()>> makers = {
      [&] { return std::make_unique<TesseraLu>(a, options); }};
#ifdef WITH_SUITESPARSE
  if (wanted("klu"))
    makers.push_back([&] { return std::make_unique<Klu>(a); });
  if (wanted("umfpack"))
    makers.push_back([&] { return std::make_unique<Umfpack>(a); });
#endif
#ifdef WITH_MUMPS
  if (wanted("mumps"))
    makers.push_back([&] { return std::make_unique<Mumps>(a); });
#endif
  if (!wanted("tessera"))
    makers.erase(makers.begin());
  for (const auto &make : makers)
    measure(name, a, *make(), options.repeat);
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
    if (arg == "-threads")
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
