// Times the direct solver on the host: analysis, factorization, solve; and says how good the solution is.
//
//   direct_times [-threads N] [-repeat N] [-definite] [-ordering auto|nd|amd|metis|natural] [-nemin N] [-u U] [-refine
//   STEPS]
//                (FILE.mtx[.gz] | kkt3d:N | poisson:N) ...
//
// poisson:N is the 7-point Laplacian on N x N x N points. A line for each system: rows, entries of L, flops (additions
// and multiplications), seconds of the analysis, milliseconds of a factorization (median of N runs after one more) and
// of a solve, the scaled backward error of one solution of b = A times random numbers, inertia, and pivots.

#include "analysis/input/symmetric_input.hpp"
#include "factor/front/direct_factorization.hpp"
#include "factor/front/make_plan.hpp"
#include "kkt3d.hpp"
#include "support/matrix_market.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <omp.h>
#include <string>

using namespace tessera;

namespace {

struct Options {
  int repeat = 3;
  FactorKind kind = FactorKind::LDLT;
  PlanOptions plan;
  DirectOptions direct;
  RefinementOptions refinement{1e-14, 0};
};

double seconds()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> x)
{
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

Matrix poisson(Index n)
{
  std::vector<test::Triplet> t;
  const auto at = [n](Index i, Index j, Index k) { return (i * n + j) * n + k; };
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < n; ++k) {
        const Index v = at(i, j, k);
        t.push_back({v, v, 6});
        const auto join = [&](bool there, Index w) {
          if (there) {
            t.push_back({v, w, -1});
            t.push_back({w, v, -1});
          }
        };
        join(i + 1 < n, at(std::min(i + 1, n - 1), j, k));
        join(j + 1 < n, at(i, std::min(j + 1, n - 1), k));
        join(k + 1 < n, at(i, j, std::min(k + 1, n - 1)));
      }
  return test::assemble(n * n * n, n * n * n, t);
}

Matrix system_of(const std::string &name)
{
  Matrix a;
  if (name.rfind("kkt3d:", 0) == 0)
    return Kkt3d(std::atoi(name.c_str() + 6)).assemble();
  if (name.rfind("poisson:", 0) == 0)
    return poisson(std::atoi(name.c_str() + 8));
  if (!test::read_matrix_market(name, a)) {
    std::fprintf(stderr, "cannot read %s\n", name.c_str());
    std::exit(1);
  }
  return a;
}

/// ||b - A x|| / (||A|| ||x|| + ||b||), norms of the maximum.
double backward_error(const Matrix &a, const std::vector<double> &x, const std::vector<double> &b)
{
  double residual = 0, norm = 0, largest_x = 0, largest_b = 0;
  for (Index i = 0; i < a.pattern.rows; ++i) {
    double r = b[i], sum = 0;
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p) {
      r -= a.value[p] * x[a.pattern.column[p]];
      sum += std::abs(a.value[p]);
    }
    residual = std::max(residual, std::isfinite(r) ? std::abs(r) : INFINITY);
    norm = std::max(norm, sum);
    largest_x = std::max(largest_x, std::abs(x[i]));
    largest_b = std::max(largest_b, std::abs(b[i]));
  }
  return residual / (norm * largest_x + largest_b);
}

std::uint64_t checksum(const std::vector<double> &x)
{
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (double value : x) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    sum = (sum ^ bits) * 0x100000001b3u;
  }
  return sum;
}

void measure(const std::string &name, const Options &options)
{
  const Matrix a = system_of(name);
  const Index n = a.pattern.rows;
  std::vector<Offset> source(a.value.size());
  std::iota(source.begin(), source.end(), 0);
  double begin = seconds();
  const PlanResult plan = make_plan(a, source, options.plan);
  const double analysis = seconds() - begin;
  const auto factorization = make_host_direct(plan.plan, options.kind);
  std::vector<double> factor_times, solve_times;
  DirectReport report;
  SolveReport solved;
  for (int r = 0; r <= options.repeat; ++r) {
    begin = seconds();
    report = factorization->factor(a.value.data(), options.direct);
    if (r > 0)
      factor_times.push_back(seconds() - begin);
  }
  const std::vector<double> exact = test::random_vector(n, 1);
  std::vector<double> b(n, 0.0), x(n);
  for (Index i = 0; i < n; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      b[i] += a.value[p] * exact[a.pattern.column[p]];
  for (int r = 0; r <= options.repeat && report.status == DirectReport::Complete; ++r) {
    begin = seconds();
    solved = factorization->solve(1, b.data(), n, x.data(), n, options.refinement);
    if (r > 0)
      solve_times.push_back(seconds() - begin);
  }
  std::printf("%-28s n %8d nnz(L) %.2e flops %.2e fronts %d largest %d: ",
              name.substr(name.find_last_of('/') + 1).c_str(), int(n), double(plan.plan.factor_entries),
              plan.plan.flops, int(plan.plan.tree.fronts()), int(plan.plan.largest_front));
  if (report.status != DirectReport::Complete) {
    std::printf("status %d row %d\n", int(report.status), int(report.failed_row));
    return;
  }
  std::printf("analysis %.3f s factor %.2f ms (%.2f Gflop/s) solve %.2f ms error %.1e (%d steps) inertia -%lld 0:%lld "
              "+%lld 2x2 %lld "
              "delayed %lld flops %.2e MB %.0f bits %016llx\n",
              analysis, 1e3 * median(factor_times), 1e-9 * report.flops / median(factor_times),
              1e3 * median(solve_times), backward_error(a, x, b), int(solved.steps), (long long)report.negative,
              (long long)report.zero, (long long)report.positive, (long long)report.two_by_two,
              (long long)report.delayed, report.flops, 1e-6 * double(factorization->bytes()),
              (unsigned long long)checksum(x));
  for (const StepTime &step : plan.steps)
    std::printf("    %s %.3f", name_of(step.step), step.seconds);
  std::printf("\n");
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (arg == "-threads")
      omp_set_num_threads(std::atoi(next().c_str()));
    else if (arg == "-repeat")
      options.repeat = std::max(1, std::atoi(next().c_str()));
    else if (arg == "-definite") {
      options.kind = FactorKind::LLT;
      options.plan.preprocessing = Preprocessing::None;
    } else if (arg == "-nemin")
      options.plan.relaxation.nemin = std::atoi(next().c_str());
    else if (arg == "-zeros")
      options.plan.relaxation.zeros = std::atof(next().c_str());
    else if (arg == "-refine")
      options.refinement.most = std::atoi(next().c_str());
    else if (arg == "-u")
      options.direct.threshold = std::atof(next().c_str());
    else if (arg == "-ordering") {
      const std::string o = next();
      options.plan.ordering = o == "nd"        ? Ordering::ND
                              : o == "amd"     ? Ordering::AMD
                              : o == "metis"   ? Ordering::METIS
                              : o == "natural" ? Ordering::Natural
                                               : Ordering::Automatic;
    } else
      measure(arg, options);
  }
}
